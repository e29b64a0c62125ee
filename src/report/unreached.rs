//! Statements that no search executed. A process type that was never started is told as such rather than by its
//! statements: the reason lies elsewhere.

use super::Report;
use crate::model::{Action, Automaton, Expr, ExprKind, Model};
use std::collections::HashSet;

/// What was not reached of one process type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Unreached {
    /// The process type.
    pub proctype: String,
    /// It was never started.
    pub never_started: bool,
    /// How many transitions it has.
    pub transitions: usize,
    /// Transitions never executed, in order of their place; the same text on the same line is one.
    pub statements: Vec<Statement>,
}

/// A statement that was not executed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Statement {
    /// The file, if it lies in one.
    pub file: String,
    /// Its line; 0 if it lies in no file.
    pub line: u32,
    /// As it is shown.
    pub text: String,
}

/// What no run reached, for each process type that has something unreached; `None` if no run went through.
pub(crate) fn unreached(report: &Report<'_>) -> Option<Vec<Unreached>> {
    let runs: Vec<_> = report.runs.iter().filter(|run| report.ran_through(run)).collect();
    if runs.is_empty() {
        return None;
    }
    // Every run counts, also one that stopped early: what it reached is reachable.
    let reached = |proctype: usize, transition: usize| {
        let flag = |flags: &Vec<bool>| flags.get(transition).copied().unwrap_or(false);
        report.runs.iter().any(|run| run.outcome.reached.get(proctype).is_some_and(flag))
    };
    let started = started(report.model, &reached);
    let mut all = Vec::new();
    for (number, proctype) in report.model.proctypes.iter().enumerate() {
        let mut seen = HashSet::new();
        let mut statements: Vec<Statement> = Vec::new();
        for (index, transition) in proctype.automaton.transitions.iter().enumerate() {
            if !reached(number, index) {
                let (file, line) = report.place(transition.span).unwrap_or(("", 0));
                let statement = Statement { file: file.into(), line, text: transition.text.to_string() };
                if seen.insert(statement.clone()) {
                    statements.push(statement);
                }
            }
        }
        statements.sort_by_key(|statement| statement.line);
        if !statements.is_empty() {
            all.push(Unreached {
                proctype: proctype.name.to_string(),
                never_started: !started[number],
                transitions: proctype.automaton.transitions.len(),
                statements,
            });
        }
    }
    Some(all)
}

/// Which process types had an instance: those of the start, those that made a step, and those that an executed `run`
/// names.
fn started(model: &Model, reached: &dyn Fn(usize, usize) -> bool) -> Vec<bool> {
    let mut started = vec![false; model.proctypes.len()];
    for process in &model.processes {
        if let Some(flag) = started.get_mut(process.proctype as usize) {
            *flag = true;
        }
    }
    for (number, proctype) in model.proctypes.iter().enumerate() {
        for (index, transition) in proctype.automaton.transitions.iter().enumerate() {
            if reached(number, index) {
                started[number] = true;
                mark_runs(&transition.action, &mut started);
            }
        }
    }
    started
}

fn mark_runs(action: &Action, started: &mut [bool]) {
    match action {
        Action::Guard(value) | Action::Assign(_, value) => mark_run(value, started),
        Action::Block(assignments) => assignments.iter().for_each(|(_, value)| mark_run(value, started)),
        Action::DStep(body) => mark_automaton(body, started),
        _ => {}
    }
}

fn mark_automaton(automaton: &Automaton, started: &mut [bool]) {
    automaton.transitions.iter().for_each(|transition| mark_runs(&transition.action, started));
}

fn mark_run(value: &Expr, started: &mut [bool]) {
    match &value.kind {
        ExprKind::Run { proctype, .. } => {
            if let Some(flag) = started.get_mut(*proctype as usize) {
                *flag = true;
            }
        }
        ExprKind::Unary(_, operand) => mark_run(operand, started),
        ExprKind::Binary(_, left, right) => {
            mark_run(left, started);
            mark_run(right, started);
        }
        ExprKind::Conditional(test, yes, no) => [test, yes, no].into_iter().for_each(|part| mark_run(part, started)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample::Sample;

    #[test]
    fn lists_what_was_not_executed() {
        let sample = Sample::verified();
        let list = unreached(&sample.report()).expect("the run went through");
        assert_eq!(list.len(), 2);
        assert_eq!(list[0].proctype, "sender");
        assert!(!list[0].never_started);
        assert_eq!(list[0].statements, [Statement { file: "m.pml".into(), line: 3, text: "out!ack,1".into() }]);
        assert_eq!(list[1].proctype, "ghost");
        assert!(list[1].never_started);
    }

    #[test]
    fn a_search_that_stopped_tells_nothing() {
        assert_eq!(unreached(&Sample::violated().report()), None);
        assert_eq!(unreached(&Sample::incomplete().report()), None);
    }
}
