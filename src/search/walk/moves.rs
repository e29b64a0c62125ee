//! All moves of a state with all states in which they can end, found by execution. The audit of the reductions compares the
//! dependence relation and the persistent sets with them.

use crate::exec::{Machine, Program, Trap};
use crate::model::TransitionType;
use crate::search::monitor::Patience;
use crate::search::outcome::Step;
use crate::search::reduce::{Attempt, Reduction, Ruling};
use crate::search::walk::{Control, Decision, Event, Rules, Visitor, Walk};
use std::cell::RefCell;

/// A move and what comes of it.
#[derive(Clone, Debug)]
pub struct Tried {
    /// The move: its first step, or both sides of a rendezvous.
    pub attempt: Attempt,
    /// The states it can end in, with hidden variables, in order and without repetition.
    pub ends: Vec<Vec<u8>>,
    /// Errors on the way, by site, in order.
    pub traps: Vec<u32>,
}

impl Tried {
    /// The same step (or pair of steps)?
    pub fn is(&self, other: &Tried) -> bool {
        self.attempt == other.attempt
    }

    /// Do they share a process?
    pub fn meets(&self, other: &Tried) -> bool {
        let of = |tried: &Tried| [Some(tried.attempt.step.pid), tried.attempt.sender.map(|s| s.pid)];
        of(self).into_iter().flatten().any(|pid| of(other).contains(&Some(pid)))
    }
}

/// Finds the moves of a state by executing them, on a machine of its own.
pub struct MoveRunner<'p> {
    /// The machine, in the state that was asked about last.
    pub machine: Machine<'p>,
    walk: Walk,
    patience: Option<Patience<'p>>,
    /// The runner was stopped by the budgets of its search, so its answers no longer count. The search ends soon.
    pub over: bool,
}

/// Rules of a walk that judges nothing.
pub fn free_rules() -> Rules {
    Rules {
        end_states: false,
        assertions: true,
        pass_assertions: false,
        strict_channels: false,
        max_depth: u64::MAX,
        claim: false,
        halts: false,
        stutter: false,
    }
}

impl<'p> MoveRunner<'p> {
    /// `None` if the model has no initial state.
    pub fn new(program: &'p Program) -> Option<MoveRunner<'p>> {
        let machine = Machine::new(program).ok()?;
        Some(MoveRunner {
            machine,
            walk: Walk::new(program.transitions.len(), free_rules()),
            patience: None,
            over: false,
        })
    }

    /// The same runner for a search with these budgets and signals.
    #[must_use]
    pub fn within(self, patience: Patience<'p>) -> MoveRunner<'p> {
        MoveRunner { patience: Some(patience), ..self }
    }

    /// The moves of a state.
    pub fn moves(&mut self, saved: &[u8]) -> Vec<Tried> {
        self.machine.load(saved);
        if self.over {
            return Vec::new();
        }
        let listener = MoveListener { patience: self.patience, heard: RefCell::default() };
        self.walk.expand(&mut self.machine, &mut &listener, &mut &listener);
        let mut heard = listener.heard.into_inner();
        self.over |= heard.over;
        heard.flush();
        self.machine.load(saved);
        heard.done
    }

    /// What comes of one move after another, from a state from which the first ends as given; `None` if the second is not
    /// enabled after some end of the first.
    pub fn after(&mut self, first: &Tried, second: &Tried) -> Option<Tried> {
        let mut both = Tried { ends: Vec::new(), traps: Vec::new(), ..second.clone() };
        for end in &first.ends {
            let found = self.moves(end).into_iter().find(|tried| tried.is(second))?;
            both.ends.extend(found.ends);
            both.traps.extend(found.traps);
        }
        both.tidy();
        Some(both)
    }
}

impl Tried {
    fn tidy(&mut self) {
        self.ends.sort_unstable();
        self.ends.dedup();
        self.traps.sort_unstable();
        self.traps.dedup();
    }
}

/// Listens to a walk in two roles: as the reduction it hears which moves are tried and which return, as the visitor it hears
/// in which states they end.
struct MoveListener<'i> {
    patience: Option<Patience<'i>>,
    heard: RefCell<Heard>,
}

#[derive(Default)]
struct Heard {
    over: bool,
    done: Vec<Tried>,
    /// What was tried last.
    asked: Option<Attempt>,
    ends: Vec<Vec<u8>>,
    traps: Vec<Trap>,
}

impl Heard {
    /// A move that failed is not told as returned: the errors that it left belong to the move that was asked about last.
    fn flush(&mut self) {
        if let Some(attempt) = self.asked.take()
            && !self.traps.is_empty()
        {
            if attempt.sender.is_some() {
                // to look at the receive was an error, whoever offers something: it is no move of the two
                self.traps.clear();
            } else {
                self.close(attempt);
            }
        }
    }

    fn close(&mut self, attempt: Attempt) {
        let ends = std::mem::take(&mut self.ends);
        let traps = self.traps.drain(..).map(|trap| trap.site()).collect();
        let mut tried = Tried { attempt, ends, traps };
        tried.tidy();
        self.done.push(tried);
        self.asked = None;
    }
}

impl Reduction for &MoveListener<'_> {
    fn rule(&mut self, _: &Machine<'_>, attempt: Attempt) -> Ruling {
        let mut heard = self.heard.borrow_mut();
        heard.flush();
        heard.asked = Some(attempt);
        Ruling::Try
    }

    fn returned(&mut self, _: &Machine<'_>, attempt: Attempt) {
        self.heard.borrow_mut().close(attempt);
    }
}

impl Visitor for &MoveListener<'_> {
    fn arrive(&mut self, machine: &mut Machine<'_>, _: &Walk, _: TransitionType) -> Decision {
        self.heard.borrow_mut().ends.push(machine.saved().to_vec());
        Decision::Back
    }

    fn event(&mut self, machine: &mut Machine<'_>, walk: &Walk, event: Event, step: Option<Step>) -> Control {
        // Without a step it is the clause of somebody that failed: it belongs to the move if it was asked inside of it. In the
        // state itself, or when the first step is an offer, it would have failed anyway.
        let inside = walk.depth() > 1 || (walk.depth() == 1 && !machine.in_handshake());
        if let Event::Trap(trap) = event
            && (step.is_some() || inside)
        {
            self.heard.borrow_mut().traps.push(trap);
        }
        Control::Continue
    }

    fn tick(&mut self, _: &Machine<'_>, walk: &Walk, _: usize) -> Control {
        let over = self.patience.is_some_and(|patience| patience.is_over(walk.memory()));
        self.heard.borrow_mut().over = over;
        if over { Control::Stop } else { Control::Continue }
    }
}
