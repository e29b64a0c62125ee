//! Who looks at what: which variables and locations of a process others can see, and who reads and writes each global.

use super::Observed;
use super::cells::elements;
use crate::model::visit::{self, can_fault};
use crate::model::{Action, Automaton, Expr, ExprKind, Initial, Model, Place, Region, ScalarType};
use std::collections::HashSet;

/// Which process types do something.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Who {
    /// None.
    #[default]
    Nobody,
    /// This one alone.
    Only(usize),
    /// Several, or the claim, or the trace.
    Others,
}

impl Who {
    fn join(&mut self, who: Who) {
        *self = match (*self, who) {
            (Who::Nobody, who) | (who, Who::Nobody) => who,
            (Who::Only(a), Who::Only(b)) if a == b => Who::Only(a),
            _ => Who::Others,
        };
    }
}

/// See the module.
pub(super) struct Looks {
    /// By global: who reads it. A read for the sake of a value that nobody reads does not count.
    pub readers: Vec<Who>,
    /// By global: who writes it, initialisers left out.
    pub writers: Vec<Who>,
    /// By process type and local: some statement writes it.
    pub local_written: Vec<Vec<bool>>,
    /// By process type and local: a remote reference reads it.
    pub watched: Vec<Vec<bool>>,
    /// By process type: at any moment there is one process of this type at most, and it is there from the start.
    pub single: Vec<bool>,
    /// SPIN's numbers of the locations that a remote reference names, whatever the process type is.
    pub named: HashSet<u32>,
}

impl Looks {
    /// Looks through a model. `unread`: writes of values that nobody reads will be left out.
    pub(super) fn new(model: &Model, observed: Observed, unread: bool) -> Looks {
        let locals = || model.proctypes.iter().map(|p| vec![false; p.locals.len()]).collect::<Vec<_>>();
        let started = |p: usize| model.processes.iter().filter(|process| process.proctype as usize == p).count() == 1;
        let mut looks = Looks {
            readers: vec![Who::Nobody; model.globals.len()],
            writers: vec![Who::Nobody; model.globals.len()],
            local_written: locals(),
            watched: locals(),
            single: (0..model.proctypes.len()).map(started).collect(),
            named: HashSet::new(),
        };
        looks.note_writers(model);
        // Which globals are read for nothing but themselves is a greatest fixed point: first nobody is believed to read.
        loop {
            let before = looks.readers.clone();
            looks.readers.fill(Who::Nobody);
            looks.note_readers(model, observed, &before, unread);
            for (now, before) in looks.readers.iter_mut().zip(&before) {
                now.join(*before);
            }
            if looks.readers == before {
                return looks;
            }
        }
    }

    /// No process, claim or trace ever reads this global, and some process writes it.
    pub(super) fn is_unread(&self, global: usize) -> bool {
        self.readers[global] == Who::Nobody && self.writers[global] != Who::Nobody
    }

    /// The process type whose only process alone reads and writes this global.
    pub(super) fn owner(&self, global: usize) -> Option<usize> {
        let mut who = self.readers[global];
        who.join(self.writers[global]);
        match who {
            Who::Only(p) if self.single[p] && self.writers[global] != Who::Nobody => Some(p),
            _ => None,
        }
    }

    /// Is this variable seen by processes of type `p` only, and by each in its own copy?
    pub(super) fn is_private(&self, p: usize, place: &Place) -> bool {
        let variable = place.variable as usize;
        match place.region {
            Region::Local => self.watched[p].get(variable) == Some(&false),
            Region::Global => variable < self.readers.len() && self.owner(variable) == Some(p),
            Region::Hidden => false,
        }
    }

    /// Makes the globals that nobody reads 0 at the start; gives their places.
    pub(super) fn clear_unread(&self, model: &mut Model) -> Vec<Place> {
        let unread =
            (0..model.globals.len()).filter(|&n| self.is_unread(n) && model.globals[n].region == Region::Global);
        let places: Vec<Place> = unread.flat_map(|n| elements(&model.globals[n], n as u32)).collect();
        let written: Vec<Place> = model
            .initial
            .iter()
            .map(|(Initial::Assign(place, _) | Initial::Channel(place, _))| place.clone())
            .collect();
        for place in &places {
            if written.iter().any(|first| first.region == place.region && first.variable == place.variable) {
                model.initial.push(Initial::Assign(place.clone(), zero(place)));
            }
        }
        places
    }

    fn note_writers(&mut self, model: &Model) {
        for (p, proctype) in model.proctypes.iter().enumerate() {
            visit::actions(&proctype.automaton, &mut |action| {
                visit::writes(action, &mut |place, _| self.write(p, place));
                visit::expressions(action, &mut |expr| {
                    visit::walk(expr, &mut |e| {
                        if let ExprKind::Run { proctype, .. } = e.kind
                            && let Some(single) = self.single.get_mut(proctype as usize)
                        {
                            *single = false;
                        }
                    });
                });
            });
        }
    }

    fn write(&mut self, p: usize, place: &Place) {
        let variable = place.variable as usize;
        match place.region {
            Region::Local => {
                if let Some(written) = self.local_written[p].get_mut(variable) {
                    *written = true;
                }
            }
            Region::Global | Region::Hidden => {
                if let Some(who) = self.writers.get_mut(variable) {
                    who.join(Who::Only(p));
                }
            }
        }
    }

    fn note_readers(&mut self, model: &Model, observed: Observed, before: &[Who], unread: bool) {
        for (p, proctype) in model.proctypes.iter().enumerate() {
            let who = Who::Only(p);
            self.automaton(model, who, &proctype.automaton, &|action| unread && is_vain(action, before));
            proctype.provided.iter().for_each(|clause| self.expr(model, who, clause));
            proctype.exclusive.iter().for_each(|(_, channel, _)| self.expr(model, who, channel));
            for initial in &proctype.initial {
                if let Initial::Assign(_, value) = initial {
                    self.expr(model, who, value);
                }
            }
        }
        let claim = observed.claim.and_then(|number| model.claims.get(number)).map(|claim| &claim.body);
        let trace = model.trace.as_ref().map(|trace| &trace.body);
        for body in claim.into_iter().chain(trace) {
            self.automaton(model, Who::Others, &body.automaton, &|_| false);
            for initial in &body.initial {
                if let Initial::Assign(_, value) = initial {
                    self.expr(model, Who::Others, value);
                }
            }
        }
    }

    /// Notes what an automaton reads, `d_step`s included. What `vain` says yes to reads nothing that counts.
    fn automaton(&mut self, model: &Model, who: Who, automaton: &Automaton, vain: &dyn Fn(&Action) -> bool) {
        for transition in &automaton.transitions {
            if !vain(&transition.action) {
                visit::expressions(&transition.action, &mut |expr| self.expr(model, who, expr));
            }
        }
    }

    fn expr(&mut self, model: &Model, who: Who, expr: &Expr) {
        visit::walk(expr, &mut |e| match &e.kind {
            ExprKind::Load(place) if place.region != Region::Local => {
                if let Some(readers) = self.readers.get_mut(place.variable as usize) {
                    readers.join(who);
                }
            }
            ExprKind::RemoteVariable(remote) => {
                let watched = self.watched.get_mut(remote.proctype as usize);
                if let Some(flag) = watched.and_then(|flags| flags.get_mut(remote.place.variable as usize)) {
                    *flag = true;
                }
            }
            ExprKind::RemoteLabel { proctype, location, .. } => {
                let proctype = model.proctypes.get(*proctype as usize);
                let named = proctype.and_then(|proctype| proctype.automaton.locations.get(*location as usize));
                self.named.extend(named.map(|location| location.number));
            }
            _ => {}
        });
    }
}

/// An assignment to a global that nobody reads, whose value can be left uncomputed.
fn is_vain(action: &Action, readers: &[Who]) -> bool {
    match action {
        Action::Assign(place, value) => {
            place.region == Region::Global
                && place.indices.is_empty()
                && readers.get(place.variable as usize) == Some(&Who::Nobody)
                && !can_fault(value)
        }
        _ => false,
    }
}

/// Is this variable a channel's name that no statement changes? It tells the analysis of channels more than a reset would
/// save.
pub(super) fn is_channel_name(ty: ScalarType, written: bool) -> bool {
    ty == ScalarType::Chan && !written
}

/// The number 0, where a place is used.
pub(super) fn zero(place: &Place) -> Expr {
    Expr { kind: ExprKind::Constant(0), span: place.span }
}
