//! The nearest state where a condition holds: a breadth-first search from where the user stands.
//!
//! It goes through the moves that a user could choose ([`super::turn`]), so what it finds is a run like any other, and a shortest one. Every
//! state is kept whole, so nothing is overlooked; what is kept is bounded, and a search that reaches the bound says so. Behind a step that is an
//! error it does not go on.

use super::tell::{Move, Subject};
use super::turn::Course;
use super::watch::Condition;
use crate::exec::Machine;
use crate::report::number::thousands;
use crate::search::outcome::{Actor, Step};
use crate::search::walk::replay;
use std::collections::HashSet;
use std::rc::Rc;

/// What a search may keep.
#[derive(Clone, Copy)]
pub(crate) struct Bound {
    /// States.
    pub states: usize,
    /// Bytes of all states together.
    pub bytes: usize,
}

/// What came of a search.
pub(crate) enum Reached {
    /// The moves to a nearest state where it holds.
    Found(Vec<Move>),
    /// All states were looked at, so many; and whether an error was met, behind which nothing was looked at.
    Nowhere { states: usize, error: bool },
    /// The bound was reached. It holds in none of these states, and in none that fewer moves than these lead to.
    Cut { states: usize, within: usize },
}

struct Node {
    state: Rc<[u8]>,
    course: Course,
    /// The node before it, and the move between.
    from: usize,
    by: Move,
    depth: usize,
}

/// Takes the steps of a move; says whether one of them is an error.
fn take(machine: &mut Machine<'_>, course: &mut Course, steps: &[Step]) -> Result<bool, String> {
    let mut failed = false;
    for &step in steps {
        let proctype = match step.actor {
            Actor::Process(pid) if usize::from(pid) < machine.process_count() => machine.proctype(usize::from(pid)),
            Actor::Process(_) => return Err("there is no such process".into()),
            Actor::Claim => machine.program().claim.map_or(0, |(_, number)| number),
        };
        course.before(machine, step);
        failed |= replay::take(machine, step)?.is_some();
        course.after(machine, proctype, step);
    }
    machine.set_timeout(false);
    Ok(failed)
}

/// Searches from the state behind the moves of `past`. `may_go_on` is asked now and then; its error ends the search.
pub(crate) fn nearest<'m>(
    subject: Subject<'_>,
    condition: &Condition,
    past: impl Iterator<Item = &'m Move>,
    bound: Bound,
    may_go_on: &dyn Fn() -> Result<(), String>,
) -> Result<Reached, String> {
    let program = condition.program(subject.program);
    let mut machine = Machine::new(program).map_err(|trap| program.describe(trap))?;
    let mut course = Course::default();
    for steps in past {
        take(&mut machine, &mut course, steps)?;
        machine.forget_journal_if_idle();
    }
    // The start is not among the seen states: a way that comes back to it and finds the condition true there counts.
    let start = Node { state: machine.saved().into(), course, from: 0, by: Move::new(), depth: 0 };
    let (mut nodes, mut seen, mut bytes, mut error) = (vec![start], HashSet::new(), 0, false);
    // In how many states the condition has no value, and why in the first of them.
    let mut without: Option<(usize, &str)> = None;
    let mut next = 0;
    while let Some(node) = nodes.get(next) {
        let (state, course, depth) = (Rc::clone(&node.state), node.course, node.depth);
        if next.is_multiple_of(64) {
            may_go_on()?;
        }
        machine.load(&state);
        for choice in course.possible(&mut machine).list {
            machine.load(&state);
            let mut after = course;
            let failed = take(&mut machine, &mut after, &choice.steps)?;
            error |= failed;
            let held = condition.holds_in(subject.model, &machine);
            let found = held == Ok(true);
            if !found && (failed || seen.contains(&(Rc::from(machine.saved()), after))) {
                continue;
            }
            if let Err(why) = held {
                without = Some(without.map_or((1, why), |(states, first)| (states + 1, first)));
            }
            let state: Rc<[u8]> = machine.saved().into();
            let node = Node { state, course: after, from: next, by: choice.steps.to_vec(), depth: depth + 1 };
            if found {
                return Ok(Reached::Found(way_to(&nodes, node)));
            }
            bytes += node.state.len();
            seen.insert((Rc::clone(&node.state), after));
            nodes.push(node);
            if nodes.len() > bound.states || bytes > bound.bytes {
                return Ok(Reached::Cut { states: nodes.len(), within: depth + 1 });
            }
        }
        next += 1;
    }
    let states = seen.len();
    match without {
        // Nobody should believe that it is false there.
        Some((number, why)) if number == states => Err(format!(
            "It has no value in any state that can be reached from here ({why}): all {} were looked at.",
            thousands(states as u64)
        )),
        Some((number, why)) => Err(format!(
            "It holds in no state that can be reached from here, and has no value in {} of them ({why}): all {} were looked at.",
            thousands(number as u64),
            thousands(states as u64)
        )),
        None => Ok(Reached::Nowhere { states: states.max(1), error }),
    }
}

fn way_to(nodes: &[Node], last: Node) -> Vec<Move> {
    let (mut way, mut from) = (vec![last.by], last.from);
    while from > 0 {
        way.push(nodes[from].by.clone());
        from = nodes[from].from;
    }
    way.reverse();
    way
}

#[cfg(test)]
mod tests {
    use super::super::watch::Watch;
    use super::*;
    use crate::load::{compile_expression, read_text};
    use crate::model::{Expr, Model};
    use crate::search::plan::Property;
    use crate::source::SourceMap;
    use crate::source::preprocess::PreprocessOptions;

    fn asked(text: &str, until: &str) -> Result<Reached, String> {
        let (map, model) = read_text("m.pml", text).expect("a model");
        let (_, program) = Property::Safety.compile(&model);
        let subject = Subject { model: &model, map: &map, program: &program, claim: None };
        let compile = |until: &str| -> Result<(Model, Expr), String> {
            let (mut map, mut diagnostics) = (SourceMap::new(), Vec::new());
            let file = map.add_file("m.pml".into(), None, text.into());
            let watched = map.add_file("<expression>".into(), None, until.into());
            let options = PreprocessOptions::default();
            compile_expression(&mut map, file, None, watched, &options, &mut diagnostics).ok_or_else(String::new)
        };
        let watch = Watch::new(&model, Property::Safety, &compile, until).expect("an expression");
        let bound = Bound { states: 1000, bytes: 1 << 20 };
        nearest(subject, &Condition::Holds(Rc::new(watch)), std::iter::empty(), bound, &|| Ok(()))
    }

    #[test]
    fn what_has_no_value_is_not_called_false() {
        let text = "byte x; active proctype p() { x = 1; x = 2; x = 0 }";
        let never = asked(text, "1 / 0 == 1").err().expect("no answer");
        assert!(
            never.starts_with("It has no value in any state that can be reached from here (division by zero"),
            "{never}"
        );
        let sometimes = asked(text, "4 / x == 7").err().expect("no answer");
        assert!(
            sometimes.starts_with("It holds in no state that can be reached from here, and has no value in "),
            "{sometimes}"
        );
        assert!(matches!(asked(text, "4 / x == 2"), Ok(Reached::Found(way)) if way.len() == 2));
        assert!(matches!(asked(text, "x == 9"), Ok(Reached::Nowhere { .. })));
    }
}
