//! The pages that hold machine code, and the call into them. All `unsafe` of pv is in this file, but for hints about memory
//! (`src/store/parts/hints.rs`).
//!
//! What makes the calls safe:
//! - The bytes are what Cranelift made of our own functions, without relocations. Nothing of a model's text is in them but
//!   numbers that pv's own compiler has computed: offsets, widths and constants.
//! - The pages are written while nobody can execute them, and are made executable when nobody can write them any more.
//! - A function gets pointers into the buffers of one machine, which the call borrows. A function reads and writes at offsets that
//!   stand in the program's layout, at indices that it has compared with the array's length, and in channels that the machine's table
//!   lists; all of these lie within the buffer, which has spare bytes at its end for accesses of a whole word.
//! - A function adds at most [`FREE_ENTRIES`] entries to the journal and writes at most [`FREE_VALUES`] values of a message: more of them
//!   are a reason to hand the transition back, which the function checks itself where it depends on the state.

#![allow(unsafe_code)]

use super::shapes::TypeEntry;
use crate::exec::journal::Entry;
use crate::exec::seam::{Answer, Code, FREE_ENTRIES, FREE_VALUES, Parts, Wanted};
use crate::exec::{ChannelRef, Program};
use memmap2::{Mmap, MmapMut};

/// What a function is told beside its arguments, and where it leaves its results. `function` knows the offsets of the fields.
#[repr(C)]
pub(super) struct Context {
    /// Where the next entry of the journal goes.
    pub next: *mut Entry,
    /// Behind the free entries.
    pub end: *mut Entry,
    pub channels: *const ChannelRef,
    pub channel_count: u64,
    pub types: *const TypeEntry,
    /// Where the message of an offer goes.
    pub message: *mut i32,
    /// The message that is offered.
    pub offered: *const i32,
    /// The channel on which it is offered.
    pub offered_on: u32,
    /// The channel on which the function offers a message.
    pub offers_on: u32,
}

/// A function: buffer, start of the record, context, first transition to try (counted from the location's first), flags. It gives the
/// number of a transition, counted in the same way, and an outcome in the upper bits.
type Function = unsafe extern "C" fn(*mut u8, u64, *mut Context, u32, u32) -> u32;

/// An earlier transition was executable.
pub(super) const MOVED: u32 = 1;
/// `timeout` holds.
pub(super) const TIMEOUT: u32 = 2;
/// Only the first transition is tried.
pub(super) const SINGLE: u32 = 4;
/// The pid stands in the flags from this bit on.
pub(super) const PID_SHIFT: u32 = 8;

/// The outcome stands in the result from this bit on.
pub(super) const OUTCOME_SHIFT: u32 = 28;
/// Outcomes.
pub(super) const DONE: u32 = 0;
pub(super) const OFFERS: u32 = 1;
pub(super) const INTERPRET: u32 = 2;
pub(super) const NOTHING: u32 = 3;

/// A location and its code.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Its first transition, and one past the last.
    pub first: u32,
    /// See `first`.
    pub end: u32,
    /// Offset of its function in the pages, or [`NOWHERE`] or [`IDLE`]: while nothing is offered, and for receives that take an offer.
    pub functions: [u32; 2],
}

/// There is no function.
pub(super) const NOWHERE: u32 = u32::MAX;
/// There is no function because there is nothing to try.
pub(super) const IDLE: u32 = u32::MAX - 1;

/// The code of a program.
#[derive(Debug)]
pub(super) struct Pages {
    pages: Mmap,
    places: Vec<Place>,
    /// The place of each transition, by its number.
    owners: Vec<u32>,
    /// By the number of a transition: it is a whole move, and decides nothing about the transitions behind it but `else`.
    plain: Vec<bool>,
    /// The first place of each process type.
    proctypes: Vec<u32>,
    types: Vec<TypeEntry>,
}

impl Pages {
    /// Pages with this code.
    pub(super) fn new(program: &Program, code: &[u8], places: Vec<Place>, types: Vec<TypeEntry>) -> Option<Pages> {
        let mut pages = MmapMut::map_anon(code.len().max(1)).ok()?;
        pages[..code.len()].copy_from_slice(code);
        let mut owners = vec![0; program.transitions.len()];
        for (number, place) in places.iter().enumerate() {
            owners[place.first as usize..place.end as usize].fill(number as u32);
        }
        let proctypes = program.proctypes.iter().map(|proctype| proctype.first_location).collect();
        let plain = program.transitions.iter().map(|one| !one.atomic && one.escape == 0).collect();
        Some(Pages { pages: pages.make_exec().ok()?, places, owners, plain, proctypes, types })
    }
}

impl Code for Pages {
    fn attempt(&self, parts: Parts<'_>, wanted: &mut Wanted) -> Answer {
        self.go::<false>(parts, wanted, &mut |_, _| false)
    }

    fn harvest(&self, parts: Parts<'_>, wanted: &mut Wanted, each: &mut dyn FnMut(&[u8], &Wanted) -> bool) -> Answer {
        self.go::<true>(parts, wanted, each)
    }
}

impl Pages {
    /// Both kinds of call; `HARVESTS`: plain transitions are shown to `each` and taken back.
    #[inline(always)]
    fn go<const HARVESTS: bool>(
        &self,
        parts: Parts<'_>,
        wanted: &mut Wanted,
        each: &mut dyn FnMut(&[u8], &Wanted) -> bool,
    ) -> Answer {
        let hears = usize::from(parts.offered.is_some());
        let Parts { buffer, used, entries, processes, channels, messages, offered } = parts;
        let length = entries.len();
        let said = messages.len();
        assert!(entries.capacity() - length >= FREE_ENTRIES && messages.capacity() - said >= FREE_VALUES);
        let (offered_on, offered_at) = offered.unwrap_or_default();
        assert!(offered_at as usize <= said);
        // SAFETY: `length` and `said` are within the vectors' capacities, as asserted.
        let (next, message, offered) = unsafe {
            let entries = entries.as_mut_ptr();
            let messages = messages.as_mut_ptr();
            (entries.add(length), messages.add(said), messages.add(offered_at as usize).cast_const())
        };
        let mut context = Context {
            next,
            // SAFETY: as asserted, so many entries are free.
            end: unsafe { next.add(FREE_ENTRIES) },
            channels: channels.as_ptr(),
            channel_count: channels.len() as u64,
            types: self.types.as_ptr(),
            message,
            offered,
            offered_on,
            offers_on: 0,
        };
        let mut place = match self.owners.get(wanted.next as usize) {
            Some(&owner) if wanted.next != wanted.end => &self.places[owner as usize],
            _ => match self.next_process(buffer, processes, wanted) {
                Some(place) => place,
                None => return Answer::Nothing,
            },
        };
        loop {
            let function = place.functions[hears];
            if function < IDLE {
                // SAFETY: `function` is the offset of a function of this type in the pages.
                let function =
                    unsafe { std::mem::transmute::<*const u8, Function>(self.pages.as_ptr().add(function as usize)) };
                let fixed = (u32::from(wanted.timeout) * TIMEOUT) | (u32::from(wanted.pid) << PID_SHIFT);
                while wanted.next != wanted.end {
                    let index = wanted.next - place.first;
                    let flags =
                        fixed | (u32::from(wanted.moved) * MOVED) | (u32::from(wanted.next + 1 == wanted.end) * SINGLE);
                    // SAFETY: see the head of the file for what a function does.
                    let result = unsafe {
                        function(buffer.as_mut_ptr(), u64::from(wanted.base), &raw mut context, index, flags)
                    };
                    let outcome = result >> OUTCOME_SHIFT;
                    if outcome == NOTHING {
                        break;
                    }
                    assert!(context.next <= context.end, "machine code has written more than there was room for");
                    let number = place.first + (result & ((1 << OUTCOME_SHIFT) - 1));
                    wanted.next = number + 1;
                    // SAFETY: the function has written the entries between the old and the new `next`, which lies within the free ones.
                    unsafe { entries.set_len(length + context.next.offset_from(next) as usize) };
                    if HARVESTS && outcome == DONE && self.plain[number as usize] {
                        let goes_on = each(&buffer[..used], wanted);
                        while entries.len() > length {
                            let restored = entries.pop().is_some_and(|entry| entry.restore(buffer));
                            assert!(restored, "machine code writes words only");
                        }
                        context.next = next;
                        wanted.moved = true;
                        if !goes_on {
                            return Answer::Enough;
                        }
                        continue;
                    }
                    return match outcome {
                        DONE => Answer::Done(number),
                        OFFERS => {
                            let channel = channels[context.offers_on as usize - 1];
                            let values = self.types[channel.ty as usize].fields as usize;
                            // SAFETY: the function has written all fields of the message, which are no more than there are free values.
                            unsafe { messages.set_len(said + values) };
                            Answer::Offers(number, context.offers_on)
                        }
                        _ => Answer::Interpret(number),
                    };
                }
            } else if function == NOWHERE && wanted.next != wanted.end {
                return Answer::Absent;
            }
            wanted.next = wanted.end;
            match self.next_process(buffer, processes, wanted) {
                Some(next) => place = next,
                None => return Answer::Nothing,
            }
        }
    }

    /// Goes to the first transition of the next process; `None` if there is no more.
    #[inline]
    fn next_process(&self, buffer: &[u8], processes: &[u32], wanted: &mut Wanted) -> Option<&Place> {
        let mut pid = wanted.left.checked_sub(1)?;
        if pid == wanted.skip {
            wanted.left = pid;
            pid = pid.checked_sub(1)?;
        }
        let base = processes[usize::from(pid)];
        let &[proctype, low, high] = buffer.get(base as usize..)?.first_chunk()?;
        let location = u32::from(u16::from_le_bytes([low, high]));
        let place = &self.places[(self.proctypes[usize::from(proctype)] + location) as usize];
        (wanted.next, wanted.end, wanted.base) = (place.first, place.end, base);
        (wanted.left, wanted.pid, wanted.moved) = (pid, pid, false);
        Some(place)
    }
}
