//! Steps and states as replay and simulation print them.

use crate::exec::show::View;
use crate::model::{Model, Transition};
use crate::report::recorder::Record;
use crate::report::written;
use crate::source::visible::visible;
use crate::source::{SourceFile, SourceMap};
use std::io::{self, Write};

const DIM: &str = "\x1b[2m";
const RED: &str = "\x1b[1;31m";
const YELLOW: &str = "\x1b[33m";
const PLAIN: &str = "\x1b[0m";

/// How wide the columns are.
pub(crate) struct Layout<'a> {
    model: &'a Model,
    who: usize,
    place: usize,
}

impl<'a> Layout<'a> {
    /// Wide enough for every process and place of the model.
    pub(crate) fn new(model: &'a Model, map: &SourceMap) -> Layout<'a> {
        let names = model.proctypes.iter().map(|proctype| proctype.name.chars().count() + "(10)".len());
        let claims = model.claims.iter().map(|claim| "claim ".len() + claim.name.chars().count());
        // Text that pv itself made stands in files without a path.
        let real = |(index, file): &(usize, &SourceFile)| *index == 0 || file.path.is_some();
        let files = map.files().iter().enumerate().filter(real).map(|(_, file)| {
            let lines = file.text.lines().count().to_string().len();
            base_name(&file.name).chars().count() + 1 + lines
        });
        Layout { model, who: names.chain(claims).max().unwrap_or(0).min(24), place: files.max().unwrap_or(0).min(40) }
    }

    /// Where stands what belongs to a step.
    pub(crate) fn indent(&self) -> usize {
        5 + 2 + self.who + 2
    }
}

/// `  12  sender(1)  m.pml:30  q!data,1`, then what it printed and what it changed.
pub(crate) fn print_record(
    out: &mut impl Write,
    layout: &Layout<'_>,
    number: usize,
    record: &Record,
) -> io::Result<()> {
    let place = record.place.as_ref().map_or("-".into(), |(file, line)| format!("{}:{line}", visible(base_name(file))));
    let (who, width, indent) = (layout.who, layout.place, layout.indent());
    writeln!(out, "{number:>5}  {:<who$}  {DIM}{place:<width$}{PLAIN}  {}", record.who, record.text)?;
    for printed in &record.printed {
        for line in printed.text(layout.model).lines() {
            writeln!(out, "{:>indent$}| {}", "", visible(line))?;
        }
    }
    for change in &record.changes {
        let absent = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".into());
        writeln!(
            out,
            "{:>indent$}  {DIM}{}:{PLAIN} {} -> {}",
            "",
            change.name,
            absent(&change.old),
            absent(&change.new)
        )?;
    }
    if let Some(cut_off) = &record.cut_off {
        writeln!(out, "{:>indent$}  {YELLOW}{cut_off}{PLAIN}", "")?;
    }
    if let Some(trap) = &record.trap {
        writeln!(out, "{:>indent$}  {RED}{trap}{PLAIN}", "")?;
    }
    Ok(())
}

/// Where each process stands, and the value of every variable and channel. With a map the statements are told as they stand in the
/// source.
pub(crate) fn print_state(out: &mut impl Write, view: &View<'_>, map: Option<&SourceMap>) -> io::Result<()> {
    let processes = view.machine.process_count();
    writeln!(out, "processes: {processes}")?;
    for pid in 0..processes {
        let automaton = &view.proctype(pid).automaton;
        let location = automaton.locations.get(view.machine.location(pid) as usize);
        let worded = |transition: &Transition| match map {
            Some(map) => written::worded(map, transition.span, &transition.text),
            None => transition.text.to_string(),
        };
        let waits: Vec<String> = match location {
            Some(_) => automaton.at(view.machine.location(pid)).iter().map(worded).collect(),
            None => Vec::new(),
        };
        let end = if view.machine.place(pid).valid_end { " (valid end)" } else { "" };
        let number = view.machine.place(pid).number;
        writeln!(out, "  {:<16} state {number}{end}: {}", view.process_name(pid), waits.join(" | "))?;
    }
    let variables = view.variables();
    if !variables.is_empty() {
        writeln!(out, "variables:")?;
    }
    for variable in variables {
        writeln!(out, "  {} = {}", variable.name, variable.value)?;
    }
    Ok(())
}

/// The file without its folders: columns stay narrow, and a model rarely has two files of one name.
pub(crate) fn base_name(file: &str) -> &str {
    file.rsplit(['/', '\\']).next().unwrap_or(file)
}
