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
//! - A function that harvests calls [`show`] while it runs. That function looks at the buffer and at the journal through the pointers that the
//!   machine code has, and nobody else looks at them meanwhile; it lets no panic out into machine code.
//! - A function adds at most [`FREE_ENTRIES`] entries to the journal and writes at most [`FREE_VALUES`] values of a message: more of them
//!   are a reason to hand the transition back, which the function checks itself where it depends on the state.

#![allow(unsafe_code)]

use super::function;
use super::shapes::{Shapes, TypeEntry};
use crate::exec::journal::Entry;
use crate::exec::program::Location;
use crate::exec::seam::{Answer, Code, FREE_ENTRIES, FREE_VALUES, Parts, Wanted, Way};
use crate::exec::{ChannelRef, Program};
use memmap2::{Mmap, MmapMut};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

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
    /// Shows the state that a transition has made, whose number is counted from the location's first. 0: nobody wants more.
    pub show: unsafe extern "C" fn(*mut Context, u32) -> u32,
    host: *mut Host<'static>,
}

/// Whoever has called a function.
struct Host<'h> {
    /// Who is shown the states.
    each: &'h mut dyn FnMut(&[u8], Way) -> bool,
    /// The transition to the state that was shown last; its process, and whether an earlier transition was executable. A word each: a processor
    /// that reads at once what it has just written in parts waits.
    number: u32,
    pid: u32,
    moved: u32,
    /// The first transition of the location.
    first: u32,
    buffer: *mut u8,
    length: usize,
    /// So many bytes of the buffer are in use.
    used: usize,
    /// Where the journal began.
    start: *mut Entry,
    panic: Option<Box<dyn Any + Send>>,
}

/// See [`Context::show`]. Takes back what stands in the journal.
unsafe extern "C" fn show(context: *mut Context, index: u32) -> u32 {
    // SAFETY: the function was given this context by `go`, which waits for it and uses neither context, host, buffer nor journal until then.
    // The entries from `start` to `next` were written, and there are not more of them than there was room for.
    let (host, state, entries) = unsafe {
        let context = &mut *context;
        let host = &mut *context.host;
        assert_room(context);
        let written = context.next.offset_from(host.start) as usize;
        context.next = host.start;
        let state = std::slice::from_raw_parts_mut(host.buffer, host.length);
        let entries = std::slice::from_raw_parts(host.start, written);
        (host, state, entries)
    };
    host.number = host.first + index;
    let way = Way { number: host.number, pid: host.pid as u8, moved: host.moved != 0 };
    let (each, used) = (&mut *host.each, host.used);
    let goes_on = catch_unwind(AssertUnwindSafe(|| each(&state[..used], way)));
    host.moved = 1;
    let mut restored = true;
    entries.iter().rev().for_each(|entry| restored &= entry.restore(state));
    match goes_on {
        Ok(goes_on) if restored => u32::from(goes_on),
        Ok(_) => {
            host.panic = Some(Box::new("machine code writes words only"));
            0
        }
        Err(panic) => {
            host.panic = Some(panic);
            0
        }
    }
}

/// Has machine code kept to the free entries? Nothing can be saved if not.
#[inline]
fn assert_room(context: &Context) {
    if context.next > context.end {
        std::process::abort();
    }
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
pub(super) const ENOUGH: u32 = 4;

/// There is no function.
pub(super) const NOWHERE: u32 = u32::MAX;
/// There is no function because there is nothing to try.
pub(super) const IDLE: u32 = u32::MAX - 1;

/// A location and its code.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// Its first transition, and one past the last.
    first: u32,
    /// See `first`.
    end: u32,
    /// Offset of its function in the pages, or [`NOWHERE`] or [`IDLE`]: while nothing is offered, and for receives that take an offer.
    functions: [u32; 2],
}

/// The functions of all locations, of one kind.
#[derive(Debug)]
pub(super) struct Functions {
    pages: Option<Mmap>,
    offsets: Vec<[u32; 2]>,
}

impl Functions {
    /// Functions with this code; at these offsets, or [`NOWHERE`] or [`IDLE`].
    pub(super) fn new(code: &[u8], offsets: &[[u32; 2]]) -> Option<Functions> {
        let mut pages = MmapMut::map_anon(code.len().max(1)).ok()?;
        pages[..code.len()].copy_from_slice(code);
        Some(Functions { pages: Some(pages.make_exec().ok()?), offsets: offsets.to_vec() })
    }

    /// No functions, for so many locations.
    pub(super) fn nowhere(locations: usize) -> Functions {
        Functions { pages: None, offsets: vec![[NOWHERE; 2]; locations] }
    }
}

/// The functions of one kind, and where they are.
#[derive(Debug)]
struct Kind {
    pages: Option<Mmap>,
    places: Vec<Place>,
}

impl Kind {
    /// Compiles them.
    fn new(program: &Program, shapes: &Shapes, harvests: bool) -> Kind {
        let Functions { pages, offsets } = function::compile(program, shapes, harvests);
        let place = |(location, functions): (&Location, [u32; 2])| {
            // Without pages there is nothing that could be called.
            let functions = if pages.is_some() { functions } else { [NOWHERE; 2] };
            Place { first: location.first, end: location.end, functions }
        };
        let places = program.locations.iter().zip(offsets).map(place).collect();
        Kind { pages, places }
    }
}

/// The code of a program. Either kind of functions is compiled when it is needed first.
#[derive(Debug)]
pub(super) struct Pages {
    attempts: OnceLock<Kind>,
    harvests: OnceLock<Kind>,
    /// A search that harvests needs the functions of the other kind so rarely that they are compiled only after so many calls, and any other
    /// search after a quarter of them.
    patience: u64,
    /// Calls so far. That two threads may count as one does no harm.
    calls: AtomicU64,
    /// The location of each transition, by its number.
    owners: Vec<u32>,
    /// The first location of each process type.
    proctypes: Vec<u32>,
    shapes: Shapes,
}

impl Pages {
    /// The code of this program. `patience`: how many steps make compiling worth it.
    pub(super) fn new(program: &Program, patience: u64) -> Pages {
        let mut owners = vec![0; program.transitions.len()];
        for (number, location) in program.locations.iter().enumerate() {
            owners[location.first as usize..location.end as usize].fill(number as u32);
        }
        let proctypes = program.proctypes.iter().map(|proctype| proctype.first_location).collect();
        let shapes = Shapes::new(program);
        let (attempts, harvests) = (OnceLock::new(), OnceLock::new());
        Pages { attempts, harvests, patience, calls: AtomicU64::new(0), owners, proctypes, shapes }
    }
}

impl Code for Pages {
    fn attempt(&self, program: &Program, parts: Parts<'_>, wanted: &mut Wanted) -> Answer {
        let kind = match self.attempts.get() {
            Some(kind) => kind,
            None if self.waits() => return Answer::Absent,
            None => self.attempts.get_or_init(|| Kind::new(program, &self.shapes, false)),
        };
        self.go(kind, parts, wanted, &mut |_, _| false)
    }

    fn harvest(
        &self,
        program: &Program,
        parts: Parts<'_>,
        wanted: &mut Wanted,
        each: &mut dyn FnMut(&[u8], Way) -> bool,
    ) -> Answer {
        let kind = self.harvests.get_or_init(|| Kind::new(program, &self.shapes, true));
        self.go(kind, parts, wanted, each)
    }
}

impl Pages {
    /// Is it too early for functions of the first kind?
    #[cold]
    fn waits(&self) -> bool {
        let calls = self.calls.load(Ordering::Relaxed);
        self.calls.store(calls + 1, Ordering::Relaxed);
        calls < self.patience / 4 || calls < self.patience && self.harvests.get().is_some()
    }

    /// Calls one function after the other until something comes of it that is not shown to `each`.
    #[inline(always)]
    fn go(
        &self,
        kind: &Kind,
        parts: Parts<'_>,
        wanted: &mut Wanted,
        each: &mut dyn FnMut(&[u8], Way) -> bool,
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
        let (bytes, size) = (buffer.as_mut_ptr(), buffer.len());
        let (number, pid, moved) = (wanted.next, wanted.pid.into(), wanted.moved.into());
        let mut host =
            Host { each, number, pid, moved, first: 0, buffer: bytes, length: size, used, start: next, panic: None };
        // From here on everybody goes to the host by this pointer.
        let host = &raw mut host;
        let mut context = Context {
            next,
            // SAFETY: as asserted, so many entries are free.
            end: unsafe { next.add(FREE_ENTRIES) },
            channels: channels.as_ptr(),
            channel_count: channels.len() as u64,
            types: self.shapes.types.as_ptr(),
            message,
            offered,
            offered_on,
            offers_on: 0,
            show,
            host: host.cast(),
        };
        let context = &raw mut context;
        // Without pages all functions are nowhere.
        let code = kind.pages.as_ref().map_or(std::ptr::null(), |pages| pages.as_ptr());
        let timeout = u32::from(wanted.timeout) * TIMEOUT;
        // A process that the caller has begun comes first.
        let owner = self.owners.get(wanted.next as usize).filter(|_| wanted.next != wanted.end);
        let mut begun = owner.map(|&owner| {
            let place = kind.places[owner as usize];
            let single = u32::from(wanted.next + 1 == wanted.end) * SINGLE;
            let index = wanted.next - place.first;
            (Place { end: wanted.end, ..place }, index, single | (u32::from(wanted.moved) * MOVED))
        });
        let answer = loop {
            let (place, index, flags) = match begun.take() {
                Some(begun) => begun,
                None => match self.next_process(kind, (bytes, size), processes, wanted) {
                    Some(place) => (place, 0, 0),
                    None => break Answer::Nothing,
                },
            };
            let offset = place.functions[hears];
            if offset >= IDLE {
                if offset == NOWHERE {
                    (wanted.next, wanted.end) = (place.first + index, place.end);
                    break Answer::Absent;
                }
                continue;
            }
            // SAFETY: `offset` is that of a function of this type in the pages. What a function does: see the head of the file. No machine code
            // runs before and behind the call, so nobody else looks at host and context then.
            let (result, context, host) = unsafe {
                (*host).first = place.first;
                ((*host).pid, (*host).moved) = (wanted.pid.into(), flags & MOVED);
                let flags = timeout | flags | (u32::from(wanted.pid) << PID_SHIFT);
                let function = std::mem::transmute::<*const u8, Function>(code.add(offset as usize));
                (function(bytes, u64::from(wanted.base), context, index, flags), &*context, &*host)
            };
            let outcome = result >> OUTCOME_SHIFT;
            if outcome == NOTHING {
                continue;
            }
            assert_room(context);
            (wanted.end, wanted.moved) = (place.end, host.moved != 0);
            if outcome == ENOUGH {
                wanted.next = host.number + 1;
                break Answer::Enough;
            }
            let number = place.first + (result & ((1 << OUTCOME_SHIFT) - 1));
            wanted.next = number + 1;
            // SAFETY: the function has written the entries between the old and the new `next`, which lies within the free ones.
            unsafe { entries.set_len(length + context.next.offset_from(next) as usize) };
            break match outcome {
                DONE => Answer::Done(number),
                OFFERS => {
                    let channel = channels[context.offers_on as usize - 1];
                    let values = self.shapes.types[channel.ty as usize].fields as usize;
                    // SAFETY: the function has written all fields of the message, which are no more than there are free values.
                    unsafe { messages.set_len(said + values) };
                    Answer::Offers(number, context.offers_on)
                }
                _ => Answer::Interpret(number),
            };
        };
        // SAFETY: as above.
        if let Some(panic) = unsafe { (*host).panic.take() } {
            resume_unwind(panic);
        }
        answer
    }

    /// Goes to the next process that has any transitions; `None` if there is none. `bytes` and `size`: the buffer.
    #[inline(always)]
    fn next_process(
        &self,
        kind: &Kind,
        (bytes, size): (*mut u8, usize),
        processes: &[u32],
        wanted: &mut Wanted,
    ) -> Option<Place> {
        loop {
            let Some(pid) = wanted.left.checked_sub(1) else {
                wanted.next = wanted.end;
                return None;
            };
            wanted.left = pid;
            if pid == wanted.skip {
                continue;
            }
            let base = processes[usize::from(pid)];
            if base as usize + size_of::<u32>() > size {
                return None;
            }
            // SAFETY: as just seen, these bytes lie in the buffer, at which nobody else looks now.
            let header = u32::from_le(unsafe { bytes.add(base as usize).cast::<u32>().read_unaligned() });
            let location = self.proctypes[usize::from(header as u8)] + u32::from((header >> 8) as u16);
            let place = kind.places[location as usize];
            if place.first != place.end {
                (wanted.pid, wanted.base, wanted.moved) = (pid, base, false);
                return Some(place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::seam::{Compiled, NOBODY, Native};
    use crate::exec::{Cursor, Fired, Machine};

    /// Code of a system that gives no executable pages.
    fn without_pages(program: &Program, _: u64) -> Option<Box<dyn Code>> {
        let pages = Pages::new(program, 0);
        for kind in [&pages.attempts, &pages.harvests] {
            let place =
                |location: &Location| Place { first: location.first, end: location.end, functions: [NOWHERE; 2] };
            let places = program.locations.iter().map(place).collect();
            kind.set(Kind { pages: None, places }).ok()?;
        }
        Some(Box::new(pages))
    }

    /// Every process gets its turn, and comes to it as if none had been tried before.
    #[test]
    fn what_has_no_code_is_interpreted() {
        let text = "byte x; active [3] proctype P() { do :: x < 2 && _pid == 1 -> x++ :: else -> x = 0 od }";
        let (_, model) = crate::load::read_text("model.pml", text).unwrap();
        let plain = Program::new(&model, None);
        let program = Program { native: Compiled::by(without_pages, Native::AtOnce, 0), ..plain.clone() };
        let moves = |program: &Program| {
            let mut machine = Machine::new(program).unwrap();
            let (mut cursor, mut left) = (Cursor::default(), 3);
            let mut found = Vec::new();
            while let Some(fired) = machine.sweep(&mut cursor, &mut left, NOBODY) {
                assert_eq!(fired, Fired::Done);
                found.push((cursor.pid(), cursor.tried(), machine.saved().to_vec()));
                cursor.took(&program.transitions[cursor.tried() as usize]);
                machine.undo(crate::exec::Mark(0));
            }
            found
        };
        assert_eq!(moves(&plain).len(), 3);
        assert_eq!(moves(&plain), moves(&program));
    }
}
