//! `pv replay --json`: a run as one JSON document, with the state after each step. The run is made twice: once to see that it can be made, and once
//! to print it step by step, so that a long run takes no memory and a trail that does not replay prints nothing on standard output.

use super::console::Console;
use super::watched::{Watched, Watches};
use crate::exec::show::View;
use crate::report::chart::ChartEvent;
use crate::report::formats::Region;
use crate::report::place;
use crate::report::recorder::{Record, Recorder};
use crate::report::trail::{Trail, TrailError};
use crate::report::written;
use crate::source::SourceMap;
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// Takes all steps, and says what is wrong if that is not possible.
pub(super) fn rehearse(recorder: &mut Recorder<'_>, trail: &Trail) -> Result<(), String> {
    let mut closed_at = None;
    for (number, step) in trail.steps.iter().enumerate() {
        if trail.cycle_start == Some(number) {
            closed_at = Some(recorder.machine().state().to_vec());
        }
        recorder
            .take(step.step)
            .map_err(|what| format!("the trail does not replay: step {} ({}): {what}", number + 1, step.text))?;
    }
    match closed_at {
        Some(start) if recorder.machine().state() != start => {
            Err("the trail does not replay: its cycle does not come back to where it started".into())
        }
        _ => Ok(()),
    }
}

/// A run at its initial state, with what is watched; or what would be watched if there were an initial state.
type Start<'r, 'a, 'w> = Result<(&'r mut Recorder<'a>, &'r mut Watched<'w>), &'r Watches>;

/// Prints the document; steps in front of the last `most` are made and not printed.
pub(super) fn play(
    console: &Console,
    start: Start<'_, '_, '_>,
    map: &SourceMap,
    trail: &Trail,
    most: usize,
) -> Result<io::Result<()>, String> {
    let mut out = io::BufWriter::new(console.out());
    let written = print(&mut out, start, map, trail, most);
    let written = written.map(|written| written.and_then(|()| out.flush()));
    // What is left in the buffer of a failed output would fail again.
    let (_, _) = out.into_parts();
    written
}

fn print(
    out: &mut impl Write,
    mut start: Start<'_, '_, '_>,
    map: &SourceMap,
    trail: &Trail,
    most: usize,
) -> Result<io::Result<()>, String> {
    let error = match &start {
        Ok((recorder, _)) => trail.error_in_words(recorder.view().model, map),
        Err(_) => trail.error.message.clone(),
    };
    let mut head = json!({
        "pv": env!("CARGO_PKG_VERSION"),
        "model": trail.model,
        "property": trail.property,
        "error": TrailError { message: error, ..trail.error.clone() },
        "cycle_start": trail.cycle_start,
        "step_count": trail.steps.len(),
    });
    let (initial, values) = match &start {
        Ok((recorder, watched)) => (state(&recorder.view(), map), watched.json(&recorder.view())),
        Err(watches) => (Value::Null, watches.nowhere()),
    };
    head["initial"] = initial;
    if let Some(values) = values {
        head["watched"] = values;
    }
    let mut written = begin(out, &head);
    let silent = trail.steps.len().saturating_sub(most);
    for (number, step) in trail.steps.iter().enumerate() {
        let Ok((recorder, watched)) = start.as_mut() else { break };
        if trail.cycle_start == Some(number)
            && let Some(events) = recorder.events()
        {
            events.push(ChartEvent::CycleStart);
        }
        let record = recorder.take(step.step)?;
        watched.take(step.step)?;
        if number >= silent && written.is_ok() {
            let mut value = told(number, &record, &recorder.view(), map);
            if let Some(values) = watched.json(&recorder.view()) {
                value["watched"] = values;
            }
            let comma = if number == silent { "" } else { "," };
            written = write!(out, "{comma}\n    {value}");
        }
    }
    Ok(written.and_then(|()| out.write_all(b"\n  ]\n}\n")))
}

/// The document up to its steps.
fn begin(out: &mut impl Write, head: &Value) -> io::Result<()> {
    let text = serde_json::to_string_pretty(head).unwrap_or_default();
    // The closing brace makes room for the steps.
    let text = text.strip_suffix("\n}").unwrap_or(&text);
    write!(out, "{text},\n  \"steps\": [")
}

/// A step, and the state behind it.
fn told(number: usize, record: &Record, view: &View<'_>, map: &SourceMap) -> Value {
    let region = Region::of(map, record.span);
    let printed: String = record.printed.iter().map(|printed| printed.text(view.model)).collect();
    let changes: Vec<Value> = record
        .changes
        .iter()
        .map(|change| json!({ "name": change.name, "old": change.old, "new": change.new }))
        .collect();
    let mut value = json!({
        "number": number + 1,
        "who": record.who,
        "pid": record.pid,
        "proctype": record.process,
        "file": region.as_ref().map(|region| region.file.as_str()),
        "line": region.as_ref().map(|region| region.line),
        "column": region.as_ref().map(|region| region.column),
        "end": region.as_ref().map(|region| region.end),
        "text": record.text,
        "written": written::statement(map, record.span, &record.text),
        "calls": written::calls(map, record.span),
        "changes": changes,
    });
    if !printed.is_empty() {
        value["printed"] = printed.into();
    }
    if let Some(cut_off) = &record.cut_off {
        value["cut_off"] = cut_off.as_str().into();
    }
    if let Some(trap) = &record.trap {
        value["error"] = written::failure(map, record.trap_span, trap).into();
    }
    value["state"] = state(view, map);
    value
}

/// Where each process stands, and the value of every variable and channel.
fn state(view: &View<'_>, map: &SourceMap) -> Value {
    let process = |pid: usize| {
        let proctype = view.proctype(pid);
        let location = view.machine.location(pid);
        let here = match proctype.automaton.locations.get(location as usize) {
            Some(_) => proctype.automaton.at(location),
            None => &[],
        };
        json!({
            "pid": pid,
            "proctype": &*proctype.name,
            "state": view.machine.place(pid).number,
            "line": here.first().and_then(|transition| place(map, transition.span)).map(|(_, line)| line),
            "valid_end": view.machine.place(pid).valid_end,
            "next": here.iter().map(|transition| &*transition.text).collect::<Vec<&str>>(),
        })
    };
    let variables: Map<String, Value> =
        view.variables().into_iter().map(|shown| (shown.name, shown.value.into())).collect();
    json!({
        "processes": (0..view.machine.process_count()).map(process).collect::<Vec<Value>>(),
        "variables": variables,
    })
}
