//! Channel claims: what `xr q` and `xs q` promise, how far we believe the promise, and how a search notices that it is
//! broken.
//!
//! A process that claims `xr q` says that no other process receives from `q`; with `xs q` no other process sends to `q`
//! (Holzmann and Peled, FORTE 1994). [`super::flow`] finds out most of that by itself. A claim helps where a channel is
//! handed around in messages, or where a process contains a statement that it never reaches. A claim has two uses, both in
//! [`super::persistent`]:
//! - a receive of the claimant need not fear the receives of others, nor a send of the claimant their sends;
//! - a process that waits for a message, or for room, waits for the claimant alone.
//!
//! Both uses put the claimant into the persistent set, so the claimant stays where it is, alive, while the processes outside
//! the set move. Both then rely on this: *while a process lives, no other process stands before a move that breaks its
//! claim*. The search checks that in every state ([`Claims::broken`]), whether the move is executable or not. It can be
//! checked only for accesses whose channel is determined by the moving process alone
//! ([`super::footprint::ChannelAccess::own`]); for other accesses a claim changes nothing. If some reachable state breaks a
//! claim, the reduced search comes to such a state too: docs/soundness.md has the argument.
//!
//! The argument needs that no claimant dies, since a process that breaks the claim might arrive after the death. So we do not
//! believe the claims of processes that can come to their end. The argument also needs the proviso against ignoring, so a
//! search for deadlocks only believes no claims. A broken claim is not an error of the protocol, and the verdict must not
//! depend on it: the search is run again without believing any claim.

use super::block::can_end;
use super::dependence::{Dependence, StateView};
use super::flow::Flow;
use super::footprint::{ChannelAccess, Operation, Value};
use super::persistent::ProcessSet;
use super::relate::evaluate;
use crate::model::{Expr, Model};

/// One channel claimed by a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChannelClaim {
    /// `xs`; else `xr`.
    pub send: bool,
    /// The channel.
    pub id: i32,
}

impl ChannelClaim {
    /// The claim that an operation falls under.
    fn on(operation: Operation, id: i32) -> Option<ChannelClaim> {
        match operation {
            Operation::Send { .. } => Some(ChannelClaim { send: true, id }),
            Operation::Receive => Some(ChannelClaim { send: false, id }),
            _ => None,
        }
    }
}

/// The claims of a process of type `p`, as far as it lives for ever and they name a channel that is known for life.
pub fn of(model: &Model, flow: &Flow, p: usize, evaluate: impl Fn(&Expr) -> Option<i32>) -> Vec<ChannelClaim> {
    if model.proctypes[p].exclusive.is_empty() || can_end(&model.proctypes[p].automaton) {
        return Vec::new();
    }
    let known = model.proctypes[p].exclusive.iter().filter(|(_, channel, _)| flow.is_stable(p, channel));
    known.filter_map(|(send, channel, _)| Some(ChannelClaim { send: *send, id: evaluate(channel)? })).collect()
}

/// `mine` and `theirs` are operations of the same kind by two processes. Do these claims of the process of `mine` rule `theirs`
/// out?
pub fn excuses(claims: &[ChannelClaim], mine: &ChannelAccess, theirs: &ChannelAccess) -> bool {
    let Value::Known(id) = mine.id else { return false };
    theirs.own && ChannelClaim::on(mine.operation, id).is_some_and(|claim| claims.contains(&claim))
}

/// The claims of the processes of a state.
#[derive(Clone, Debug, Default)]
pub struct Claims {
    held: Vec<(ChannelClaim, usize)>,
}

impl Claims {
    /// Takes note of the processes of a state, which `dependence` knows already.
    pub fn refresh(&mut self, view: &impl StateView, dependence: &Dependence<'_>) {
        self.held.clear();
        for pid in 0..view.process_count() {
            let claims = &dependence.instance(dependence.instance_of(pid)).claims;
            self.held.extend(claims.iter().map(|&claim| (claim, pid)));
        }
    }

    /// The process that holds this claim.
    fn holder(&self, claim: ChannelClaim) -> Option<usize> {
        self.held.iter().find(|(held, _)| *held == claim).map(|&(_, pid)| pid)
    }

    /// The other processes that alone can end a wait of process `pid`; `None` if it may be anybody.
    pub fn awaited(&self, view: &impl StateView, pid: usize, accesses: &[ChannelAccess]) -> Option<ProcessSet> {
        if self.held.is_empty() {
            return None;
        }
        let mut holders = ProcessSet::default();
        let mut waits = false;
        for access in accesses {
            let Operation::Await { sends, receives, .. } = access.operation else { continue };
            if !access.own {
                return None;
            }
            let id = number(view, pid, &access.id)?;
            for (wanted, send) in [(sends, true), (receives, false)] {
                if wanted {
                    let holder = self.holder(ChannelClaim { send, id })?;
                    if holder != pid {
                        holders.insert(holder);
                    }
                    waits = true;
                }
            }
        }
        waits.then_some(holders)
    }

    /// A claim of another process that this access of process `pid` may break, and who holds it. An id that cannot be
    /// told here may be any channel's.
    fn against(&self, view: &impl StateView, pid: usize, access: &ChannelAccess) -> Option<(ChannelClaim, usize)> {
        let send = ChannelClaim::on(access.operation, 0)?.send;
        let id = number(view, pid, &access.id);
        let breaks = |claim: ChannelClaim, holder: usize| {
            claim.send == send && holder != pid && id.is_none_or(|id| id == claim.id)
        };
        self.held.iter().copied().find(|&(claim, holder)| breaks(claim, holder))
    }

    /// Says how the state breaks a claim: a process stands before a move that breaks the claim of another process, or two
    /// processes claim the same.
    pub fn broken(&self, view: &impl StateView, dependence: &Dependence<'_>) -> Option<String> {
        if self.held.is_empty() {
            return None;
        }
        let name = |pid: usize| format!("{} (pid {pid})", dependence.model.proctypes[view.proctype(pid)].name);
        let word = |claim: ChannelClaim| if claim.send { "xs" } else { "xr" };
        for (n, &(claim, pid)) in self.held.iter().enumerate() {
            if let Some(&(_, other)) = self.held[n + 1..].iter().find(|(held, other)| *held == claim && *other != pid) {
                return Some(format!("{} and {} claim one channel with {}", name(pid), name(other), word(claim)));
            }
        }
        for pid in 0..view.process_count() {
            let instance = dependence.instance(dependence.instance_of(pid));
            let automaton = &dependence.model.proctypes[instance.proctype].automaton;
            let location = &automaton.locations[view.location(pid) as usize];
            for t in location.first as usize..(location.first + location.count) as usize {
                for access in instance.footprints[t].channels.iter().filter(|access| access.own) {
                    if let Some((claim, holder)) = self.against(view, pid, access) {
                        let text = &automaton.transitions[t].text;
                        let (word, breaker, holder) = (word(claim), name(pid), name(holder));
                        return Some(format!(
                            "{breaker} comes to `{text}`, but {holder} claims the channel with {word}"
                        ));
                    }
                }
            }
        }
        None
    }
}

fn number(view: &impl StateView, pid: usize, value: &Value) -> Option<i32> {
    match value {
        Value::Known(id) => Some(*id),
        Value::Expr(_, expr) => evaluate(view, pid, expr),
        Value::Any => None,
    }
}
