//! `pv graph`: the process automata as DOT, each transition with what it reads and writes, and with what the static reductions of
//! `pv check` make of it.
//!
//! The picture is that of the user's automaton: every location and every transition is there. A dashed transition is no step of its own,
//! since the step before it does its work. `--full` leaves the reductions out of the picture.

use super::console::Console;
use super::load::load_model;
use super::options::ModelArgs;
use crate::model::visit;
use crate::model::{Action, Expr, ExprKind, Initial, Model, Place, Proctype, Region, Transition};
use crate::search::statics::{Reduced, by_default};
use clap::Args;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Arguments of `pv graph`.
#[derive(Args, Debug)]
pub(crate) struct GraphArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// Only this process type (or claim).
    #[arg(long, value_name = "NAME")]
    proctype: Option<String>,
    /// The automata as they are written. Without this each transition also tells what `pv check` leaves out when it looks for
    /// assertions and end states: writes that nobody reads, variables that nobody reads any more (they become 0), and
    /// local steps that are part of the step before them (dashed).
    #[arg(long)]
    full: bool,
}

/// Runs the command; gives the exit code.
pub(crate) fn run(console: &Console, args: &GraphArgs) -> u8 {
    let loaded = match load_model(console, &args.model) {
        Ok(loaded) => loaded,
        Err(code) => return code,
    };
    let model = &loaded.model;
    let reduced = (!args.full).then(|| by_default(model));
    let all = views(model, reduced.as_ref());
    let wanted = |view: &&View<'_>| args.proctype.as_ref().is_none_or(|name| **name == *view.user.name);
    let chosen: Vec<&View<'_>> = all.iter().filter(wanted).collect();
    if let (Some(name), true) = (&args.proctype, chosen.is_empty()) {
        let names: Vec<&str> = all.iter().map(|view| &*view.user.name).collect();
        return console.wrong(format!("{} has no process type `{name}`; it has: {}", model.name, names.join(", ")));
    }
    console.print_data(&dot(&chosen, reduced.as_ref()), 0)
}

/// An automaton that is drawn.
struct View<'m> {
    model: &'m Model,
    /// As the user has written it.
    user: &'m Proctype,
    /// What the static reductions make of it. Claims and traces are not reduced.
    changes: Option<Changes<'m>>,
}

/// The same automaton in the reduced model.
struct Changes<'m> {
    reduced: &'m Reduced,
    /// Number of the process type.
    number: usize,
    proctype: &'m Proctype,
    /// By transition: the step before it does its work.
    merged: Vec<bool>,
}

/// All automata of a model.
fn views<'m>(model: &'m Model, reduced: Option<&'m Reduced>) -> Vec<View<'m>> {
    let changes = |number: usize| {
        let reduced = reduced?;
        let proctype = reduced.model.proctypes.get(number)?;
        Some(Changes { reduced, number, proctype, merged: reduced.merged(number) })
    };
    let processes =
        model.proctypes.iter().enumerate().map(|(number, user)| View { model, user, changes: changes(number) });
    let claims = model.claims.iter().map(|claim| &claim.body);
    let others = claims.chain(model.trace.iter().map(|trace| &trace.body));
    processes.chain(others.map(|user| View { model, user, changes: None })).collect()
}

/// The automata as one DOT graph, a cluster for each.
fn dot(views: &[&View<'_>], reduced: Option<&Reduced>) -> String {
    let name = views.first().map_or("", |view| &view.model.name);
    let mut out = format!("digraph {} {{\n", quoted(name));
    out.push_str("  node [shape=circle fontname=\"Helvetica\" fontsize=10];\n");
    out.push_str("  edge [fontname=\"Helvetica\" fontsize=9];\n");
    if let Some(reduced) = reduced {
        out.push_str("  // dashed: no step of its own, the step before does its work (--full: the automata as they are written)\n");
        let model = &reduced.model;
        let unread: BTreeSet<String> = reduced.unread().iter().map(|place| global_name(model, place)).collect();
        if !unread.is_empty() {
            let text = format!("always 0, since nobody reads it: {}", join(&unread));
            let _ = writeln!(out, "  label={};", quoted(&text));
        }
    }
    for (number, view) in views.iter().enumerate() {
        let _ = writeln!(out, "  subgraph cluster_{number} {{\n    label={};", quoted(&view.user.name));
        cluster(&mut out, number, view);
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    out
}

fn cluster(out: &mut String, number: usize, view: &View<'_>) {
    let automaton = &view.user.automaton;
    let stays = |transition: &&Transition| !matches!(transition.action, Action::End);
    let mut used: BTreeSet<u32> =
        automaton.transitions.iter().filter(stays).map(|transition| transition.target).collect();
    used.insert(automaton.entry);
    let dead = automaton.locations.len();
    let mut dies = false;
    let birth = view.cleared_at_birth();
    let label = if birth.is_empty() {
        String::new()
    } else {
        format!(" [label={}]", quoted(&format!("becomes 0: {}", join(&birth))))
    };
    let _ = writeln!(out, "    p{number}_start [shape=point];");
    let _ = writeln!(out, "    p{number}_start -> p{number}_{}{label};", automaton.entry);
    for (index, location) in automaton.locations.iter().enumerate() {
        if location.count == 0 && !used.contains(&(index as u32)) {
            continue;
        }
        let mut label = location.number.to_string();
        for name in &location.labels {
            let _ = write!(label, "\n{name}");
        }
        let shape = if location.end || location.accept { " shape=doublecircle" } else { "" };
        let _ = writeln!(out, "    p{number}_{index} [label={}{shape}];", quoted(&label));
    }
    for (source, location) in automaton.locations.iter().enumerate() {
        for t in location.first..location.first + location.count {
            let Some(transition) = automaton.transitions.get(t as usize) else { continue };
            let end = matches!(transition.action, Action::End);
            dies |= end;
            let target = if end { dead } else { transition.target as usize };
            let _ = writeln!(
                out,
                "    p{number}_{source} -> p{number}_{target} [label={}{}];",
                quoted(&view.label(t)),
                style(transition.atomic, view.is_merged(t))
            );
        }
    }
    if dies {
        let _ = writeln!(out, "    p{number}_{dead} [label=\"\" shape=point];");
    }
}

fn style(atomic: bool, merged: bool) -> &'static str {
    match (atomic, merged) {
        (false, false) => "",
        (true, false) => " style=bold",
        (false, true) => " style=dashed",
        (true, true) => " style=\"bold,dashed\"",
    }
}

impl View<'_> {
    fn is_merged(&self, t: u32) -> bool {
        self.changes.as_ref().is_some_and(|changes| changes.merged.get(t as usize) == Some(&true))
    }

    /// The statement, what it reads and writes, and what the reductions change about it.
    fn label(&self, t: u32) -> String {
        let Some(transition) = self.user.automaton.transitions.get(t as usize) else { return String::new() };
        let mut label = transition.text.to_string();
        let (reads, writes) = touched(self.model, self.user, &transition.action);
        line(&mut label, "reads", &reads);
        line(&mut label, "writes", &writes);
        let Some(changes) = &self.changes else { return label };
        let Some(reduced) = changes.proctype.automaton.transitions.get(t as usize) else { return label };
        let (_, kept) = touched(self.model, changes.proctype, &reduced.action);
        line(&mut label, "not written, since nobody reads it:", &writes.difference(&kept).cloned().collect());
        line(&mut label, "sent as 0, since nobody reads it:", &unread_fields(&transition.action, &reduced.action));
        if self.is_merged(t) {
            label.push_str("\npart of the step before");
            if !changes.is_executed(t) {
                return label;
            }
        }
        if !changes.reduced.tail(changes.number, t).is_empty() {
            let target = changes.proctype.automaton.locations.get(reduced.target as usize);
            let _ = write!(label, "\ngoes on to {}", target.map_or(0, |location| location.number));
        }
        let resets = reduced.after.resets.iter().map(|place| element_name(self.model, changes.proctype, place));
        line(&mut label, "becomes 0:", &resets.collect());
        label
    }

    /// The variables that the reductions clear when a process is made: nobody reads what they are given.
    fn cleared_at_birth(&self) -> BTreeSet<String> {
        let Some(changes) = &self.changes else { return BTreeSet::new() };
        let added = changes.proctype.initial.get(self.user.initial.len()..).unwrap_or_default();
        let name = |initial: &Initial| {
            let (Initial::Assign(place, _) | Initial::Channel(place, _)) = initial;
            element_name(self.model, changes.proctype, place)
        };
        added.iter().map(name).collect()
    }
}

impl Changes<'_> {
    /// Is a merged transition also a step of its own? The first one of a process is, if a loop leads back to it.
    fn is_executed(&self, t: u32) -> bool {
        let automaton = &self.proctype.automaton;
        automaton
            .locations
            .get(automaton.entry as usize)
            .is_some_and(|entry| (entry.first..entry.first + entry.count).contains(&t))
    }
}

/// The fields of a message that the reductions send as 0.
fn unread_fields(user: &Action, reduced: &Action) -> BTreeSet<String> {
    let (Action::Send { arguments: user, .. }, Action::Send { arguments: reduced, .. }) = (user, reduced) else {
        return BTreeSet::new();
    };
    let is_zero = |expr: &Expr| matches!(expr.kind, ExprKind::Constant(0));
    let changed =
        user.iter().zip(reduced).enumerate().filter(|(_, (user, reduced))| !is_zero(user) && is_zero(reduced));
    changed.map(|(k, _)| format!("field {}", k + 1)).collect()
}

/// Adds a line with names, if there are any.
fn line(label: &mut String, what: &str, names: &BTreeSet<String>) {
    if !names.is_empty() {
        let _ = write!(label, "\n{what} {}", join(names));
    }
}

fn join(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

/// What an action reads and writes, by name: variables, channels, facts about processes.
fn touched(model: &Model, proctype: &Proctype, action: &Action) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut reads, mut writes) = (BTreeSet::new(), BTreeSet::new());
    visit::expressions(action, &mut |outermost| {
        visit::walk(outermost, &mut |expr| {
            if let Some(name) = read_name(model, proctype, expr) {
                reads.insert(name);
            }
            if let ExprKind::Run { proctype, .. } = &expr.kind {
                let name = model.proctypes.get(*proctype as usize).map_or("?", |proctype| &proctype.name);
                writes.insert(format!("new {name}"));
            }
        });
    });
    visit::writes(action, &mut |place, _| {
        writes.insert(place_name(model, proctype, place));
    });
    channels(model, proctype, action, &mut reads, &mut writes);
    (reads, writes)
}

/// Sends and receives change their channel; a receive that copies only reads it.
fn channels(
    model: &Model,
    proctype: &Proctype,
    action: &Action,
    reads: &mut BTreeSet<String>,
    writes: &mut BTreeSet<String>,
) {
    match action {
        Action::Send { channel, .. } => {
            writes.insert(contents(model, proctype, channel));
        }
        Action::Receive { channel, copy, .. } => {
            let name = contents(model, proctype, channel);
            if *copy {
                reads.insert(name)
            } else {
                writes.insert(name)
            };
        }
        Action::DStep(body) => {
            body.transitions.iter().for_each(|inner| channels(model, proctype, &inner.action, reads, writes));
        }
        _ => {}
    }
}

fn contents(model: &Model, proctype: &Proctype, channel: &Expr) -> String {
    match &channel.kind {
        ExprKind::Load(place) => format!("contents of {}", place_name(model, proctype, place)),
        _ => "contents of a channel".into(),
    }
}

fn read_name(model: &Model, proctype: &Proctype, expr: &Expr) -> Option<String> {
    Some(match &expr.kind {
        ExprKind::Load(place) => place_name(model, proctype, place),
        ExprKind::Channel(_, channel) | ExprKind::Poll { channel, .. } => contents(model, proctype, channel),
        ExprKind::ProcessCount => "_nr_pr".into(),
        ExprKind::Last => "_last".into(),
        ExprKind::NonProgress => "np_".into(),
        ExprKind::Timeout => "timeout".into(),
        ExprKind::RemoteLabel { proctype, .. } => {
            format!("location of {}", model.proctypes.get(*proctype as usize)?.name)
        }
        ExprKind::RemoteVariable(remote) => {
            let other = model.proctypes.get(remote.proctype as usize)?;
            format!("{}:{}", other.name, place_name(model, other, &remote.place))
        }
        ExprKind::Enabled(_) => "enabled()".into(),
        ExprKind::PcValue(_) => "pc_value()".into(),
        _ => return None,
    })
}

fn place_name(model: &Model, proctype: &Proctype, place: &Place) -> String {
    let list = if place.region == Region::Local { &proctype.locals } else { &model.globals };
    list.get(place.variable as usize).map_or_else(|| "?".into(), |variable| variable.path.to_string())
}

/// A variable, or the very element of an array: `a[2].x`.
fn element_name(model: &Model, proctype: &Proctype, place: &Place) -> String {
    let list = if place.region == Region::Local { &proctype.locals } else { &model.globals };
    let Some(variable) = list.get(place.variable as usize) else { return "?".into() };
    let mut rest = place.offset.saturating_sub(variable.offset);
    let mut name = variable.path.to_string();
    for dimension in &variable.dimensions {
        let index = rest.checked_div(dimension.stride).unwrap_or(0);
        rest = rest.checked_rem(dimension.stride).unwrap_or(0);
        name = name.replacen("[]", &format!("[{index}]"), 1);
    }
    name
}

/// A global variable as a whole.
fn global_name(model: &Model, place: &Place) -> String {
    model.globals.get(place.variable as usize).map_or_else(|| "?".into(), |variable| variable.path.to_string())
}

fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}
