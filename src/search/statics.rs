//! Static reductions, from the side of a search: a path of the reduced model becomes a path of the user's model, and an
//! audit compares the two models state by state.
//!
//! A step of the reduced model stands for a step of the user's model and the silent steps that were merged with it
//! (`Reduced::tail`). These follow at once, with two exceptions, in which the user's model would not let the process go on yet,
//! or would not let the others go on behind it:
//! - behind an offer the silent steps wait for the rendezvous, and for an atomic block of the receiver;
//! - silent steps that lead into an atomic block wait for the step that goes on in it.
//!
//! In both cases the silent steps are done immediately before the next step that their process takes part in, or before a
//! `timeout`, or at the end of the path.

pub use crate::analysis::statics::Reduced;
use crate::analysis::statics::{Observed, Reductions, reduce};
use crate::exec::{Machine, Program, Trap};
use crate::model::{Model, Place, Region, Scalar, TransitionType};
use crate::search::cycles::claim_run::{Goal, beside};
use crate::search::outcome::{About, Actor, Limit, Outcome, Step, Verdict, Violation, ViolationKind};
use crate::search::reduce::Full;
use crate::search::walk::moves::free_rules;
use crate::search::walk::possible::{atomic_after, choices};
use crate::search::walk::replay::take;
use crate::search::walk::{Control, Decision, Ended, Event, Rules, Visitor, Walk};
use crate::store::Handle;
use crate::witness::Witness;
use std::collections::{BTreeMap, HashSet};

/// What a depth-first search for assertions and end states explores if nothing is said.
pub fn by_default(model: &Model) -> Reduced {
    reduce(model, Observed::default(), Reductions::ALL)
}

/// A path of the user's model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expanded {
    /// Its steps.
    pub path: Vec<Step>,
    /// For a cycle: the steps from here on repeat for ever.
    pub cycle_start: Option<usize>,
    /// The cycle comes back to the very state that it starts from. If not, the two differ in variables that nobody reads.
    pub closes: bool,
    /// The error of its last step.
    pub error: Option<Trap>,
}

/// So often a cycle is followed until its variables come back to the values they had: a byte that counts does by then.
const MOST_ROUNDS: usize = 300;
/// A path of so many steps is not made longer for that.
const MOST_STEPS: usize = 100_000;

struct Expander<'a> {
    model: &'a Model,
    reduced: &'a Reduced,
    machine: Machine<'a>,
    path: Vec<Step>,
    error: Option<Trap>,
    /// Silent steps that are still to be done, by pid.
    pending: BTreeMap<u8, Vec<u32>>,
}

/// Turns a path of a reduced model into one of the user's model, `program` without or with the claim that was checked.
/// `fails`: the last step is the one that goes wrong. `cycle_start`: the path is a cycle from here on.
pub fn expand(
    model: &Model,
    program: &Program,
    reduced: &Reduced,
    path: &[Step],
    cycle_start: Option<usize>,
    fails: bool,
) -> Result<Expanded, String> {
    let machine = Machine::new(program).map_err(|trap| program.describe(trap))?;
    let (pending, error) = (BTreeMap::new(), None);
    let mut expander = Expander { model, reduced, machine, path: Vec::new(), error, pending };
    let start = cycle_start.map_or(path.len(), |start| start.min(path.len()));
    let (stem, cycle) = path.split_at(start);
    expander.follow(stem, fails)?;
    if cycle.is_empty() {
        // A path that ends in the middle of a rendezvous (there a clause has failed) ends before any silent step.
        if !fails && !expander.machine.in_handshake() {
            expander.flush_all()?;
        }
        return Ok(Expanded { path: expander.path, cycle_start: None, closes: true, error: expander.error });
    }
    let (cycle_start, closes) = expander.go_round(cycle)?;
    Ok(Expanded { path: expander.path, cycle_start: Some(cycle_start), closes, error: expander.error })
}

impl Expander<'_> {
    /// Follows a cycle until the user's model is back in a state in which it was before at this point: variables that nobody reads
    /// may take some rounds, and silent steps that are put off are the same at both ends from the second round on. Gives where the
    /// last round or rounds begin, and whether the state is the same there.
    fn go_round(&mut self, cycle: &[Step]) -> Result<(usize, bool), String> {
        let mut known = vec![(self.machine.saved().to_vec(), self.pending.clone(), self.path.len())];
        loop {
            let (before, length) = (self.pending.clone(), self.path.len());
            self.follow(cycle, false)?;
            let here =
                known.iter().find(|(state, pending, _)| state == self.machine.saved() && *pending == self.pending);
            if let Some(&(_, _, start)) = here {
                return Ok((start, true));
            }
            if before == self.pending && (known.len() >= MOST_ROUNDS || self.path.len() >= MOST_STEPS) {
                return Ok((length, false));
            }
            known.push((self.machine.saved().to_vec(), self.pending.clone(), self.path.len()));
        }
    }

    fn follow(&mut self, path: &[Step], fails: bool) -> Result<(), String> {
        for (number, &step) in path.iter().enumerate() {
            let Actor::Process(pid) = step.actor else {
                self.take(step)?;
                continue;
            };
            if step.timeout {
                // Nobody can move here in the reduced model; in the user's model that holds behind the silent steps.
                self.flush_all()?;
            }
            self.flush(pid)?;
            self.machine.forget_journal_if_idle();
            let mark = self.machine.mark();
            let proctype = (usize::from(pid) < self.machine.process_count())
                .then(|| self.machine.proctype(usize::from(pid)) as usize)
                .ok_or_else(|| format!("there is no process {pid}"))?;
            self.take(step)?;
            let next = path.get(number + 1).map(|next| next.actor);
            if self.machine.in_handshake()
                && let Some(Actor::Process(partner)) = next
                && self.pending.contains_key(&partner)
            {
                // Who takes the offer has to be ready for it.
                self.machine.undo(mark);
                self.path.pop();
                self.flush(partner)?;
                self.take(step)?;
            }
            if !(fails && number + 1 == path.len()) {
                self.tail(pid, proctype, step.transition)?;
            }
        }
        Ok(())
    }

    /// Does the silent steps behind a step, or remembers them for later.
    fn tail(&mut self, pid: u8, proctype: usize, transition: u32) -> Result<(), String> {
        let tail = self.reduced.tail(proctype, transition);
        let atomic = |model: &Model, t: u32| model.proctypes[proctype].automaton.transitions[t as usize].atomic;
        let later = if self.machine.in_handshake() {
            tail.len()
        } else if atomic(&self.reduced.model, transition) {
            0
        } else {
            tail.iter().rev().take_while(|&&t| atomic(self.model, t)).count()
        };
        let (now, later) = tail.split_at(tail.len() - later);
        for &transition in now {
            self.take(Step { actor: Actor::Process(pid), transition, timeout: false })?;
        }
        if !later.is_empty() {
            self.pending.insert(pid, later.to_vec());
        }
        Ok(())
    }

    fn flush(&mut self, pid: u8) -> Result<(), String> {
        for transition in self.pending.remove(&pid).unwrap_or_default() {
            self.take(Step { actor: Actor::Process(pid), transition, timeout: false })?;
        }
        Ok(())
    }

    fn flush_all(&mut self) -> Result<(), String> {
        while let Some(&pid) = self.pending.keys().next() {
            self.flush(pid)?;
        }
        Ok(())
    }

    fn take(&mut self, step: Step) -> Result<(), String> {
        let number = self.path.len() + 1;
        self.error = take(&mut self.machine, step).map_err(|reason| format!("step {number}: {reason}"))?;
        self.path.push(step);
        Ok(())
    }
}

/// Tells somebody who writes the states of the reduced model down which variables and fields are 0 there whatever they hold in the
/// user's model. Steps that were merged have no such words: a state of the user's model would be missing.
pub fn name_what_is_open(reduced: &Reduced, witness: &mut Witness) {
    reduced.unread().iter().for_each(|place| witness.leave_open(place));
    for (number, proctype) in reduced.model.proctypes.iter().enumerate() {
        for location in 0..proctype.automaton.locations.len() {
            witness.leave_open_at(number, location, reduced.dead(number, location as u32));
        }
        witness.leave_open_without(number, reduced.dead_with(number));
    }
    reduced.unread_fields().iter().for_each(|&(channel, field)| witness.leave_field_open(channel, field));
}

/// The model that a search was asked about, and what was searched in its place.
pub struct UsersModel<'a> {
    /// The model as the user has written it.
    pub model: &'a Model,
    /// The same compiled, with the claim that was checked.
    pub program: &'a Program,
    /// The rules of the search.
    pub rules: Rules,
    /// The reduced model.
    pub reduced: &'a Reduced,
}

/// What a search has found in the reduced model, as something about the user's model: paths show every statement, and so does the
/// list of what was executed.
pub fn of_users_model(users: &UsersModel<'_>, outcome: Outcome) -> Outcome {
    let reduced = users.reduced;
    if let Err(trap) = Machine::new(users.program) {
        // There is no initial state, so no path leads to the error.
        return Outcome::failed_at_start(users.program, trap);
    }
    let mut outcome = Outcome { reached: reduced.reached(&outcome.reached, &outcome.completed), ..outcome };
    for violation in &mut outcome.violations {
        match users.expand_violation(violation) {
            Ok(Expanded { path, cycle_start, .. }) => {
                violation.depth += (path.len() as u64).saturating_sub(violation.path.len() as u64);
                // A run that stays where it is has a cycle without steps.
                violation.cycle_start = violation.cycle_start.map(|_| cycle_start.unwrap_or(path.len()));
                violation.path = path;
            }
            Err(reason) => {
                let bug = format!("a path of the reduced model is none of the user's model: {reason}");
                outcome.verdict = Verdict::Incomplete(Limit::Internal(bug));
                return Outcome { violations: Vec::new(), error_count: 0, ..outcome };
            }
        }
    }
    outcome
}

impl UsersModel<'_> {
    fn expand(&self, path: &[Step], cycle_start: Option<usize>, fails: bool) -> Result<Expanded, String> {
        expand(self.model, self.program, self.reduced, path, cycle_start, fails)
    }

    /// The path to a violation in the user's model.
    fn expand_violation(&self, violation: &Violation) -> Result<Expanded, String> {
        let path = &violation.path;
        if self.rules.claim && self.reduced.summary().merged > 0 {
            return self.expand_beside_claim(violation);
        }
        if violation.cycle_start.is_some() {
            return self.expand(path, violation.cycle_start, false);
        }
        if violation.kind != ViolationKind::InvalidEndState {
            let expanded = self.expand(path, None, true)?;
            if expanded.error.is_some() {
                return Ok(expanded);
            }
        }
        // A clause that cannot be evaluated belongs to no step, as the end of a run does not.
        self.expand(path, None, false)
    }

    /// The same where steps were merged and a claim is checked: the steps of the system are expanded, and then the claim follows them. It does
    /// so in another way than in the reduced model, since there are more states to look at.
    fn expand_beside_claim(&self, violation: &Violation) -> Result<Expanded, String> {
        let of_system =
            |path: &[Step]| -> Vec<Step> { path.iter().filter(|step| step.actor != Actor::Claim).copied().collect() };
        let system = of_system(&violation.path);
        let start = violation.cycle_start.map(|start| of_system(&violation.path[..start]).len());
        let (expanded, goal) = match start {
            Some(start) if start < system.len() => {
                let expanded = self.expand(&system, Some(start), false)?;
                let goal = Goal::Cycle(expanded.cycle_start.unwrap_or(expanded.path.len()));
                (expanded, goal)
            }
            Some(_) => {
                let expanded = self.expand(&system, None, false)?;
                let goal = Goal::Cycle(expanded.path.len());
                (expanded, goal)
            }
            None if violation.about == About::Property => (self.expand(&system, None, false)?, Goal::End),
            None => {
                let failed = self.expand(&system, None, true)?;
                match failed.error {
                    Some(_) => (failed, Goal::Follow),
                    // A clause that cannot be evaluated belongs to no step.
                    None => (self.expand(&system, None, false)?, Goal::Follow),
                }
            }
        };
        let (path, cycle_start) = beside(self.program, self.rules, &expanded.path, goal)?;
        Ok(Expanded { path, cycle_start, ..expanded })
    }
}

/// Do two states of the user's model differ at most in variables that nobody reads before they are written again?
pub fn look_alike(model: &Model, reduced: &Reduced, program: &Program, one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && canonical(model, reduced, program, one) == canonical(model, reduced, program, other)
}

/// What an audit has compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Audit {
    /// States of the user's model.
    pub full: usize,
    /// States of the reduced model.
    pub reduced: usize,
    /// Different errors of each.
    pub errors: usize,
    /// Deadlocks of the reduced model, valid or not.
    pub halts: usize,
}

/// Explores a model as it is and as the reductions make it, in full and depth first, and compares. `Ok(None)`: the model has
/// more than `most` states, or its initial state cannot be made. `Err` says what the reduction has got wrong:
/// - the errors of both are the same, statement by statement;
/// - the path to each, expanded, leads to the same error of the user's model;
/// - the states in which nothing can move are the same, apart from dead variables and unread fields;
/// - the reduced model has no more states, and without merging exactly those of the user's model with dead variables and unread
///   fields 0.
pub fn audit(model: &Model, wanted: Reductions, most: usize) -> Result<Option<Audit>, String> {
    let reduced = reduce(model, Observed::default(), wanted);
    let (user, small) = (Program::new(model, None), Program::new(&reduced.model, None));
    let Some(full) = Explored::new(&user, most) else { return Ok(None) };
    let Some(less) = Explored::new(&small, most) else {
        return Err(format!("more than the {} states of the user's model", full.states.len()));
    };
    if less.states.len() > full.states.len() {
        return Err(format!("{} states instead of {}", less.states.len(), full.states.len()));
    }
    for (name, one, other) in [("lost", &full, &less), ("new", &less, &full)] {
        if let Some(error) = one.errors.keys().find(|error| !other.errors.contains_key(*error)) {
            return Err(format!("{name}: {error}"));
        }
    }
    for (error, path) in &less.errors {
        same_error(model, &user, &reduced, error, path).map_err(|reason| format!("{error}: {reason}"))?;
    }
    let clear =
        |states: &HashSet<Vec<u8>>| states.iter().map(|state| canonical(model, &reduced, &user, state)).collect();
    let (states, halts): (HashSet<Vec<u8>>, HashSet<Vec<u8>>) = (clear(&full.states), clear(&full.halts));
    if halts != less.halts {
        return Err(format!("{} states in which nothing can move instead of {}", less.halts.len(), halts.len()));
    }
    if !wanted.merging && states != less.states {
        return Err(format!("{} states instead of {}", less.states.len(), states.len()));
    }
    for path in &less.paths {
        let expanded = expand(model, &user, &reduced, path, None, false)?;
        if !full.halts.contains(&follow_rules(&user, &expanded.path)?) {
            return Err("something can still move where the reduced model has come to an end".to_string());
        }
    }
    let (errors, halts) = (less.errors.len(), less.halts.len());
    Ok(Some(Audit { full: full.states.len(), reduced: less.states.len(), errors, halts }))
}

/// Does the path of the reduced model lead to this error in the user's model, by steps that are allowed there?
fn same_error(
    model: &Model,
    user: &Program,
    reduced: &Reduced,
    error: &str,
    found: &(Vec<Step>, bool),
) -> Result<(), String> {
    let (path, in_step) = found;
    let expanded = expand(model, user, reduced, path, None, *in_step)?;
    if !in_step {
        // A clause that cannot be evaluated belongs to no step.
        return follow_rules(user, &expanded.path).map(|_| ());
    }
    match expanded.error {
        Some(trap) if error == text(user, trap) => {}
        other => return Err(format!("the path leads to {:?}", other.map(|trap| user.describe(trap)))),
    }
    let before = &expanded.path[..expanded.path.len() - 1];
    follow_rules(user, before).map(|_| ())
}

/// Follows a path by the rules of a simulation (atomic blocks, `timeout`, escapes); gives the state at its end.
fn follow_rules(program: &Program, path: &[Step]) -> Result<Vec<u8>, String> {
    let mut machine = Machine::new(program).map_err(|trap| program.describe(trap))?;
    let mut atomic = None;
    let mut at = 0;
    while at < path.len() {
        let possible = choices(&mut machine, atomic);
        let Some(choice) = possible.iter().find(|choice| path[at..].starts_with(&choice.steps)) else {
            // What goes wrong behind the path may be a look at an offer, which is then the last step.
            let is_send = at + 1 == path.len() && take(&mut machine, path[at]).is_ok() && machine.in_handshake();
            return if is_send { Ok(Vec::new()) } else { Err(format!("step {} is not allowed", at + 1)) };
        };
        for &step in &choice.steps {
            let Actor::Process(pid) = step.actor else { return Err("a step of a claim".to_string()) };
            let proctype = machine.proctype(usize::from(pid));
            take(&mut machine, step)?;
            atomic = atomic_after(&machine, proctype, step);
            machine.forget_journal_if_idle();
        }
        at += choice.steps.len();
    }
    Ok(machine.saved().to_vec())
}

/// An error with its place, the same in both programs.
fn text(program: &Program, trap: Trap) -> String {
    let span = program.sites.get(trap.site() as usize).map(|site| site.span).unwrap_or_default();
    format!("{} at {}..{}", program.describe(trap), span.start, span.end)
}

/// A state (with hidden variables) of the user's model with its dead variables and unread fields 0.
fn canonical(model: &Model, reduced: &Reduced, program: &Program, state: &[u8]) -> Vec<u8> {
    let mut clear = state.to_vec();
    reduced.unread().iter().for_each(|place| clear_place(&mut clear, program, 0, place));
    for &(channel, field) in reduced.unread_fields() {
        let channel = &model.channels[channel];
        let field = &channel.fields[field];
        let first = program.globals + model.global_size + channel.offset + channel.length_size() + field.offset;
        for slot in 0..channel.capacity {
            let at = (first + slot * channel.slot_size) as usize;
            clear[at..at + field.scalar.size() as usize].fill(0);
        }
    }
    let mut present = vec![false; program.proctypes.len()];
    let mut at = program.first_process as usize;
    while at < state.len() {
        let proctype = usize::from(state[at]);
        present[proctype] = true;
        let location = u32::from(u16::from_le_bytes([state[at + 1], state[at + 2]]));
        reduced.dead(proctype, location).for_each(|place| clear_place(&mut clear, program, at, place));
        at += program.proctypes[proctype].size as usize;
    }
    for proctype in (0..present.len()).filter(|&proctype| !present[proctype]) {
        // Globals that only a process used that is dead by now.
        reduced.dead_with(proctype).for_each(|place| clear_place(&mut clear, program, 0, place));
    }
    clear
}

fn clear_place(state: &mut [u8], program: &Program, process: usize, place: &Place) {
    let at = place.offset as usize
        + match place.region {
            Region::Hidden => 0,
            Region::Global => program.globals as usize,
            Region::Local => process,
        };
    match place.scalar {
        Scalar::Bits { shift, width } => state[at] &= !(((1 << width) - 1) << shift),
        scalar => state[at..at + scalar.size() as usize].fill(0),
    }
}

/// All that a plain search meets.
struct Explored {
    most: usize,
    /// Stored states, with their hidden variables.
    states: HashSet<Vec<u8>>,
    /// Those in which nothing can move.
    halts: HashSet<Vec<u8>>,
    /// A path to some of them.
    paths: Vec<Vec<Step>>,
    /// Errors with the path to the first of each; whether the last step of the path is the one that fails.
    errors: BTreeMap<String, (Vec<Step>, bool)>,
}

/// Paths to states in which nothing can move that an audit follows.
const FOLLOWED: usize = 20;

impl Explored {
    /// Everything that can be reached; `None` if the initial state cannot be made, or there are more than `most` states.
    fn new(program: &Program, most: usize) -> Option<Explored> {
        let mut machine = Machine::new(program).ok()?;
        let rules = Rules { halts: true, ..free_rules() };
        let mut explored = Explored {
            most,
            states: HashSet::new(),
            halts: HashSet::new(),
            paths: Vec::new(),
            errors: BTreeMap::new(),
        };
        let ended = Walk::new(program.transitions.len(), rules).run(&mut machine, &mut explored, &mut Full);
        (ended == Ended::Complete).then_some(explored)
    }
}

impl Visitor for Explored {
    fn arrive(&mut self, machine: &mut Machine<'_>, _: &Walk, _: TransitionType) -> Decision {
        if self.states.contains(machine.saved()) {
            return Decision::Back;
        }
        if self.states.len() >= self.most {
            return Decision::Stop;
        }
        self.states.insert(machine.saved().to_vec());
        Decision::Enter(Handle::default())
    }

    fn event(&mut self, machine: &mut Machine<'_>, walk: &Walk, event: Event, step: Option<Step>) -> Control {
        match event {
            Event::Trap(trap) => {
                self.errors.entry(text(machine.program(), trap)).or_insert_with(|| {
                    let path = walk.path(machine).into_iter().chain(step).collect();
                    (path, step.is_some())
                });
            }
            Event::Halt => {
                if self.halts.insert(machine.saved().to_vec()) && self.paths.len() < FOLLOWED {
                    self.paths.push(walk.path(machine));
                }
            }
            Event::InvalidEnd | Event::ClaimEnd | Event::Cut => {}
        }
        Control::Continue
    }
}
