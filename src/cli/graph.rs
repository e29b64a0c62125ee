//! `pv graph`: the process automata as DOT, each transition with what it reads and writes.

use super::console::Console;
use super::load::load_model;
use super::options::ModelArgs;
use crate::model::visit;
use crate::model::{Action, Expr, ExprKind, Model, Place, Proctype, Region, Transition};
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
}

/// Runs the command; gives the exit code.
pub(crate) fn run(console: &Console, args: &GraphArgs) -> u8 {
    let loaded = match load_model(console, &args.model) {
        Ok(loaded) => loaded,
        Err(code) => return code,
    };
    let model = &loaded.model;
    let claims = model.claims.iter().map(|claim| &claim.body);
    let all: Vec<&Proctype> =
        model.proctypes.iter().chain(claims).chain(model.trace.iter().map(|trace| &trace.body)).collect();
    let wanted = |proctype: &&&Proctype| args.proctype.as_ref().is_none_or(|name| **name == *proctype.name);
    let chosen: Vec<&Proctype> = all.iter().filter(wanted).copied().collect();
    if let (Some(name), true) = (&args.proctype, chosen.is_empty()) {
        let names: Vec<&str> = all.iter().map(|proctype| &*proctype.name).collect();
        return console.wrong(format!("{} has no process type `{name}`; it has: {}", model.name, names.join(", ")));
    }
    console.print_data(&dot(model, &chosen), 0)
}

/// The automata as one DOT graph, a cluster for each.
fn dot(model: &Model, proctypes: &[&Proctype]) -> String {
    let mut out = format!("digraph {} {{\n", quoted(&model.name));
    out.push_str("  node [shape=circle fontname=\"Helvetica\" fontsize=10];\n");
    out.push_str("  edge [fontname=\"Helvetica\" fontsize=9];\n");
    for (number, proctype) in proctypes.iter().enumerate() {
        let _ = writeln!(out, "  subgraph cluster_{number} {{\n    label={};", quoted(&proctype.name));
        cluster(&mut out, model, number, proctype);
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    out
}

fn cluster(out: &mut String, model: &Model, number: usize, proctype: &Proctype) {
    let automaton = &proctype.automaton;
    let stays = |transition: &&Transition| !matches!(transition.action, Action::End);
    let mut used: BTreeSet<u32> =
        automaton.transitions.iter().filter(stays).map(|transition| transition.target).collect();
    used.insert(automaton.entry);
    let dead = automaton.locations.len();
    let mut dies = false;
    let _ = writeln!(out, "    p{number}_start [shape=point];\n    p{number}_start -> p{number}_{};", automaton.entry);
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
        let range = location.first as usize..(location.first + location.count) as usize;
        for transition in automaton.transitions.get(range).unwrap_or_default() {
            let mut label = transition.text.to_string();
            let (reads, writes) = touched(model, proctype, &transition.action);
            if !reads.is_empty() {
                let _ = write!(label, "\nreads {}", join(&reads));
            }
            if !writes.is_empty() {
                let _ = write!(label, "\nwrites {}", join(&writes));
            }
            let end = matches!(transition.action, Action::End);
            dies |= end;
            let target = if end { dead } else { transition.target as usize };
            let style = if transition.atomic { " style=bold" } else { "" };
            let _ = writeln!(out, "    p{number}_{source} -> p{number}_{target} [label={}{style}];", quoted(&label));
        }
    }
    if dies {
        let _ = writeln!(out, "    p{number}_{dead} [label=\"\" shape=point];");
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

fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}
