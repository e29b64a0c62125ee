//! Functions that show all successors of a process in one call.
//!
//! Idea: a search that looks at all successors of a state would call a function for each, look at the state, and undo the step from the
//! journal. Here the function itself goes on: behind each executable transition it calls back ([`Maker::show`]), puts back what the
//! transition has overwritten, and tries the next one. Most transitions write to a few places that the code knows; the old values then wait in
//! registers, and nothing goes through the journal. Where the places are known only at run time (the messages of a channel that move up, a
//! `d_step`), the transition writes to the journal as always, and whoever was called undoes it.
//!
//! A transition that is not plain (not the whole move, an offer, one that is handed back) ends the call, as in any other function.

use super::channels::stride;
use super::code::{Context, ENOUGH, MOVED};
use super::function::{Maker, flags};
use super::values::{Spot, may_fail};
use crate::exec::journal::Undo;
use crate::exec::program::{Op, Pattern, Target, Transition};
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{AbiParam, InstBuilder, Signature, Value};
use std::mem::offset_of;

/// What stood at a place before a transition wrote there.
pub(super) struct Overwritten {
    pub spot: Spot,
    /// The old value, as wide as what was written; or there were only zeros, so many bytes of them.
    pub old: Result<Value, u32>,
}

impl Maker<'_, '_> {
    /// Shows the state that the transition has made and takes the transition back. The next transition follows, unless nobody wants more.
    pub(super) fn show(&mut self, index: u32) {
        let next = self.b.use_var(self.journal);
        self.b.ins().store(flags(), next, self.context, offset_of!(Context, next) as i32);
        let mut signature = Signature::new(self.b.func.signature.call_conv);
        signature.params.extend([I64, I32].map(AbiParam::new));
        signature.returns.push(AbiParam::new(I32));
        let signature = self.b.import_signature(signature);
        let show = self.around(I64, offset_of!(Context, show));
        let number = self.b.ins().iconst(I32, i64::from(index));
        let call = self.b.ins().call_indirect(signature, show, &[self.context, number]);
        let goes_on = self.b.inst_results(call)[0];
        // The host has taken back what stands in the journal.
        for Overwritten { spot, old } in self.overwritten.take().unwrap_or_default().into_iter().rev() {
            match old {
                Ok(old) => {
                    self.b.ins().store(flags(), old, spot.address, spot.offset);
                }
                Err(bytes) => self.put_zeros(&spot, bytes),
            }
        }
        self.b.def_var(self.journal, self.first_entry);
        let yes = self.b.ins().iconst(I32, i64::from(MOVED));
        self.b.def_var(self.moved, yes);
        let enough = self.b.create_block();
        self.b.ins().brif(goes_on, self.blocked, &[], enough, &[]);
        self.b.switch_to_block(enough);
        self.b.set_cold_block(enough);
        self.answer(ENOUGH, index);
    }

    /// Writes so many zeros.
    pub(super) fn put_zeros(&mut self, spot: &Spot, bytes: u32) {
        let (width, step) = stride(bytes);
        let zero = self.b.ins().iconst(width, 0);
        for offset in (0..bytes).step_by(step as usize) {
            self.b.ins().store(flags(), zero, spot.address, spot.offset + offset as i32);
        }
    }

    /// Can the code of a plain transition put back what it overwrites without the journal? All that it writes must lie on one way, and
    /// nothing that may be handed back must come behind the first write.
    pub(super) fn is_straight(&self, transition: &Transition) -> bool {
        let target_is_plain = |target: &Target| matches!(target, Target::Cell(_));
        let after = transition.after.as_ref().is_none_or(|after| {
            after.assignments.iter().all(|(target, value)| target_is_plain(target) && !may_fail(value))
        });
        after
            && match &transition.op {
                Op::Skip | Op::Else | Op::Guard(_) | Op::Print(_) | Op::Assert(..) | Op::Assign(..) => true,
                Op::Block(assignments) => {
                    assignments.iter().skip(1).all(|(target, value)| target_is_plain(target) && !may_fail(value))
                }
                Op::Send(send) => self.shapes.with_fields(send.values.len()).is_some_and(|shapes| shapes.len() == 1),
                Op::Receive(receive) if self.hears => {
                    let stores = receive.patterns.iter().filter_map(|pattern| match pattern {
                        Pattern::Store(target) => Some(target),
                        _ => None,
                    });
                    stores.skip(1).all(target_is_plain)
                }
                Op::Receive(_) | Op::DStep(..) | Op::End | Op::RunGuard(_) | Op::RunAssign(_) | Op::SetPriority(_) => {
                    false
                }
            }
    }

    /// A transition that puts back what it overwrites has overwritten this.
    pub(super) fn note_overwritten(&mut self, spot: Spot, old: Value) {
        if let Some(overwritten) = &mut self.overwritten {
            overwritten.push(Overwritten { spot, old: Ok(old) });
        }
    }

    /// So many bytes at this place, which were zero, are written to.
    pub(super) fn save_zeros(&mut self, spot: &Spot, at: Value, bytes: u32) {
        if let Some(overwritten) = &mut self.overwritten {
            overwritten.push(Overwritten { spot: *spot, old: Err(bytes) });
            return;
        }
        let place = self.b.ins().iadd_imm(spot.at.unwrap_or(at), i64::from(spot.offset));
        let bytes = self.b.ins().iconst(I32, i64::from(bytes));
        self.add_entry(Undo::Zero, place, bytes);
    }
}
