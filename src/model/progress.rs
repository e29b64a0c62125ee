//! The claim behind `--non-progress`: from some point on no process is at a progress label. As an automaton: stay in
//! the first location as long as you like, then guess that there is no more progress and stay in the accepting one.

use super::{
    Action, After, Automaton, Claim, Expr, ExprKind, Location, PROCESS_HEADER, Proctype, ProctypeKind, Transition,
    TransitionType,
};
use crate::source::Span;

impl Claim {
    /// See the module.
    pub fn non_progress() -> Claim {
        let span = Span::default();
        let transition = |guard: Option<ExprKind>, target| Transition {
            action: guard.map_or(Action::Skip, |kind| Action::Guard(Expr { kind, span })),
            target,
            atomic: false,
            escape: 0,
            kind: TransitionType::Other,
            text: "np_".into(),
            span,
            after: After::default(),
        };
        let location = |number, first, count, accept| Location { number, first, count, accept, ..Location::default() };
        let automaton = Automaton {
            locations: vec![location(1, 0, 2, false), location(2, 2, 1, true)],
            transitions: vec![
                transition(Some(ExprKind::NonProgress), 1),
                transition(None, 0),
                transition(Some(ExprKind::NonProgress), 1),
            ],
            entry: 0,
            exit: None,
        };
        Claim {
            name: "non-progress".into(),
            formula: None,
            counts_labels: false,
            uses_next: false,
            from_outside: false,
            body: Proctype {
                name: "non-progress".into(),
                kind: ProctypeKind::Claim,
                deterministic: false,
                parameters: Vec::new(),
                locals: Vec::new(),
                size: PROCESS_HEADER,
                channels: Vec::new(),
                initial: Vec::new(),
                provided: None,
                priority: 1,
                exclusive: Vec::new(),
                automaton,
                span,
            },
        }
    }
}
