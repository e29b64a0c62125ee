//! Why a statement cannot go: the reason in words, from the state. Whether it can go is decided by the executor alone
//! ([`crate::search::walk::possible`]); here a statement that was found blocked is looked at once more, part by part, and what
//! is said is read from the state. So a wrong sentence can never make a step possible or impossible.

use crate::exec::show::View;
use crate::model::visit::walk;
use crate::model::{Action, Automaton, ChannelTest, Expr, ExprKind, ScalarType};
use crate::search::outcome::{Actor, Step};
use crate::search::walk::possible::Choice;

/// A state, what can go in it, and who is inside an atomic block.
struct Why<'a> {
    view: View<'a>,
    choices: &'a [Choice],
    atomic: Option<usize>,
}

/// Values of more variables than these help nobody.
const MOST_VALUES: usize = 6;

/// A statement where a process stands and that cannot go.
pub(crate) struct Blocked {
    /// The process.
    pub pid: usize,
    /// The number of the statement in its automaton.
    pub transition: u32,
    /// In words.
    pub reason: String,
}

/// All statements that cannot go, process by process. `choices`: what can go; `atomic`: who is inside an atomic block.
pub(crate) fn blocked(view: View<'_>, choices: &[Choice], atomic: Option<usize>) -> Vec<Blocked> {
    let why = Why { view, choices, atomic };
    let mut found = Vec::new();
    for pid in 0..why.view.machine.process_count() {
        let automaton = &why.view.proctype(pid).automaton;
        let Some(place) = automaton.locations.get(why.view.machine.location(pid) as usize) else { continue };
        for transition in place.first..place.first + place.count {
            let goes = |step: &Step| step.actor == Actor::Process(pid as u8) && step.transition == transition;
            if !choices.iter().any(|choice| choice.steps.iter().any(goes)) {
                found.push(Blocked { pid, transition, reason: why.blocked(pid, transition) });
            }
        }
    }
    found
}

impl Why<'_> {
    /// Why the transition of this process is not among the choices.
    fn blocked(&self, pid: usize, transition: u32) -> String {
        if let Some(holder) = self.holder().filter(|&holder| holder != pid) {
            return format!("process {holder} is inside an atomic block");
        }
        if let Some(reason) = self.forbidden(pid) {
            return reason;
        }
        let automaton = &self.view.proctype(pid).automaton;
        let Some(transition) = automaton.transitions.get(transition as usize) else { return String::new() };
        if let Some(reason) = self.action(pid, &transition.action) {
            return reason;
        }
        let escape = |choice: &Choice| {
            let first = choice.steps.first().filter(|step| step.actor == Actor::Process(pid as u8));
            first.and_then(|step| automaton.transitions.get(step.transition as usize)).is_some_and(|t| t.escape > 0)
        };
        if self.choices.iter().any(escape) {
            return "the escape behind `unless` goes first".into();
        }
        "it waits for its turn".into()
    }

    /// The process that goes on alone.
    fn holder(&self) -> Option<usize> {
        self.atomic.filter(|&pid| self.choices.iter().any(|choice| choice.pid == pid))
    }

    /// The process may not move at all.
    fn forbidden(&self, pid: usize) -> Option<String> {
        let machine = self.view.machine;
        if machine.permitted(pid).unwrap_or(false) {
            return None;
        }
        let provided = self.view.proctype(pid).provided.as_ref();
        if let Some(clause) = provided.filter(|clause| self.value(pid, clause) != Some(1)) {
            let values = self.values(pid, clause);
            let because = if values.is_empty() { String::new() } else { format!(": {values}") };
            if self.value(pid, clause).unwrap_or(0) == 0 {
                return Some(format!("its provided clause is false{because}"));
            }
        }
        Some(self.outranked(pid).unwrap_or_else(|| "its provided clause is false".into()))
    }

    /// A process of higher priority goes first. One that is among the choices is named, if there is one.
    fn outranked(&self, pid: usize) -> Option<String> {
        let machine = self.view.machine;
        let higher = |other: &usize| machine.priority(*other) > machine.priority(pid);
        if let Some(other) = self.choices.iter().map(|choice| choice.pid).find(higher) {
            return Some(format!("{} has a higher priority and can move", self.view.process_name(other)));
        }
        // By the rules, one that offers a rendezvous goes first even if nobody takes the offer.
        let name = self.view.process_name(machine.outranked_by(pid)?);
        Some(format!("{name} has a higher priority, and its rendezvous counts as a move without a partner"))
    }

    fn action(&self, pid: usize, action: &Action) -> Option<String> {
        match action {
            Action::Guard(guard) => self.guard(pid, guard),
            Action::Else => Some("another branch can go".into()),
            Action::Send { channel, .. } => self.send(pid, channel),
            Action::Receive { channel, random, .. } => self.receive(pid, channel, *random),
            Action::DStep(body) => self.first_of(pid, body),
            Action::End => {
                let younger = pid + 1..self.view.machine.process_count();
                let names: Vec<String> = younger.map(|pid| self.view.process_name(pid)).collect();
                (!names.is_empty()).then(|| format!("a process that started later lives: {}", names.join(", ")))
            }
            _ => None,
        }
    }

    /// What keeps the first statements of a `d_step` from going.
    fn first_of(&self, pid: usize, body: &Automaton) -> Option<String> {
        let reasons: Vec<String> = body.at(body.entry).iter().filter_map(|t| self.action(pid, &t.action)).collect();
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }

    fn guard(&self, pid: usize, guard: &Expr) -> Option<String> {
        match self.value(pid, guard) {
            Some(0) => {}
            Some(_) => return None,
            None => return Some("it cannot be evaluated here".into()),
        }
        let mut asks_timeout = false;
        walk(guard, &mut |part| asks_timeout |= matches!(part.kind, ExprKind::Timeout));
        let values = self.values(pid, guard);
        Some(match (asks_timeout, values.is_empty()) {
            (true, true) => "timeout waits until nothing else can move".into(),
            (true, false) => format!("timeout waits until nothing else can move; {values}"),
            (false, false) => values,
            (false, true) => "it is never true".into(),
        })
    }

    fn send(&self, pid: usize, channel: &Expr) -> Option<String> {
        let (id, name) = match self.channel(pid, channel) {
            Ok(found) => found,
            Err(reason) => return Some(reason),
        };
        let (length, capacity) = self.view.machine.channel_fill(id)?;
        if capacity > 0 {
            return (length >= capacity).then(|| format!("the channel {name} is full ({length} of {capacity})"));
        }
        let waits = |action: &Action| matches!(action, Action::Receive { .. });
        Some(match self.partner(pid, id, &waits) {
            Some(partner) => format!("{partner} receives on {name}, but not this message or not now"),
            None => format!("nobody receives on {name}"),
        })
    }

    fn receive(&self, pid: usize, channel: &Expr, random: bool) -> Option<String> {
        let (id, name) = match self.channel(pid, channel) {
            Ok(found) => found,
            Err(reason) => return Some(reason),
        };
        let (length, capacity) = self.view.machine.channel_fill(id)?;
        if capacity == 0 {
            let offers = |action: &Action| matches!(action, Action::Send { .. });
            return Some(match self.partner(pid, id, &offers) {
                Some(partner) => format!("{partner} sends on {name}, but not such a message or not now"),
                None => format!("nobody sends on {name}"),
            });
        }
        if length == 0 {
            return Some(format!("the channel {name} is empty"));
        }
        if random {
            return Some(format!("no message in {name} fits ({length} of {capacity} there)"));
        }
        let first = self.view.messages(usize::try_from(id).ok()?.checked_sub(1)?).into_iter().next()?;
        Some(format!("the first message in {name} is {first}"))
    }

    /// Id and name of the channel that an expression means.
    fn channel(&self, pid: usize, channel: &Expr) -> Result<(i32, String), String> {
        let id = self.value(pid, channel).ok_or("the channel cannot be told here")?;
        let declared = u32::try_from(id).ok().and_then(|id| self.view.channel_declaration(id));
        declared.map(|channel| (id, channel.name.to_string())).ok_or_else(|| "the channel is not initialised".into())
    }

    /// Another process that stands at a statement of this kind on the channel.
    fn partner(&self, pid: usize, id: i32, kind: &dyn Fn(&Action) -> bool) -> Option<String> {
        let on_channel = |other: usize, action: &Action| match action {
            Action::Send { channel, .. } | Action::Receive { channel, .. } if kind(action) => {
                self.value(other, channel) == Some(id)
            }
            _ => false,
        };
        let stands = |&other: &usize| {
            let automaton = &self.view.proctype(other).automaton;
            automaton.at(self.view.machine.location(other)).iter().any(|transition| match &transition.action {
                Action::DStep(body) => body.at(body.entry).iter().any(|first| on_channel(other, &first.action)),
                action => on_channel(other, action),
            })
        };
        let mut others = (0..self.view.machine.process_count()).filter(|&other| other != pid);
        others.find(stands).map(|other| self.view.process_name(other))
    }

    fn value(&self, pid: usize, expr: &Expr) -> Option<i32> {
        self.view.machine.value_of(Some(pid), &self.view.machine.program().expression(expr)).ok()
    }

    /// `x is 3, y is 2`: what the expression reads.
    fn values(&self, pid: usize, expr: &Expr) -> String {
        let mut list: Vec<String> = Vec::new();
        walk(expr, &mut |part| {
            if let Some(text) = self.fact(pid, part).filter(|text| !list.contains(text)) {
                list.push(text);
            }
        });
        if list.len() > MOST_VALUES {
            list.truncate(MOST_VALUES);
            list.push("…".into());
        }
        list.join(", ")
    }

    fn fact(&self, pid: usize, part: &Expr) -> Option<String> {
        let named =
            |name: String, ty: ScalarType| Some(format!("{name} is {}", self.view.value(ty, self.value(pid, part)?)));
        match &part.kind {
            // The channel of a question is told with the answer.
            ExprKind::Load(place) if place.ty == ScalarType::Chan => None,
            ExprKind::Load(place) => named(self.view.place_name(pid, place)?, place.ty),
            ExprKind::Channel(test, channel) => {
                let (id, name) = self.channel(pid, channel).ok()?;
                let (length, capacity) = self.view.machine.channel_fill(id)?;
                Some(match (test, capacity) {
                    (ChannelTest::Len, _) | (_, 0) => format!("{name} holds {length}"),
                    _ => format!("{name} holds {length} of {capacity}"),
                })
            }
            ExprKind::Poll { channel, .. } => {
                let (id, name) = self.channel(pid, channel).ok()?;
                let messages = self.view.messages(usize::try_from(id).ok()?.checked_sub(1)?);
                Some(messages.first().map_or(format!("{name} is empty"), |first| format!("{name} starts with {first}")))
            }
            ExprKind::ProcessCount => Some(format!("_nr_pr is {}", self.value(pid, part)?)),
            ExprKind::Last => Some(format!("_last is {}", self.value(pid, part)?)),
            ExprKind::Enabled(_) => Some(format!("enabled is {}", self.value(pid, part)?)),
            ExprKind::RemoteLabel { proctype, location, .. } => {
                let proctype = self.view.model.proctypes.get(*proctype as usize)?;
                let label = proctype.automaton.locations.get(*location as usize)?.labels.first()?;
                Some(format!("{}@{label} is {}", proctype.name, self.value(pid, part)?))
            }
            ExprKind::RemoteVariable(remote) => {
                let proctype = self.view.model.proctypes.get(remote.proctype as usize)?;
                let name = self.view.name_among(&proctype.locals, Some(pid), &remote.place)?;
                named(format!("{}:{name}", proctype.name), remote.place.ty)
            }
            _ => None,
        }
    }
}
