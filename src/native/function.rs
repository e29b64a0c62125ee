//! One function per location: which transition is tried when, and what the function answers. The functions that show all successors are
//! made here, too; what is special about them stands in `harvest`.

use super::code::{
    Context, DONE, Functions, IDLE, INTERPRET, MOVED, NOTHING, NOWHERE, OFFERS, OUTCOME_SHIFT, PID_SHIFT, SINGLE,
    TIMEOUT,
};
use super::harvest::Overwritten;
use super::shapes::Shapes;
use super::size;
use crate::exec::journal::{Entry, Undo};
use crate::exec::program::{Cell, Ex, Location, Op, Pattern, Program, Receive, Routine, Target, Transition};
use crate::exec::seam::FREE_ENTRIES;
use crate::model::Scalar;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I16, I32, I64};
use cranelift_codegen::ir::{AbiParam, Block, Function, InstBuilder, MemFlags, Signature, UserFuncName, Value};
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Switch, Variable};
use std::mem::offset_of;

/// A transition with more writes than this is left to the interpreter, so that one transition of a `d_step` always fits into the free
/// entries.
pub(super) const MOST_WRITES: usize = 256;
/// A receive that would have to save more bytes than this is handed back.
pub(super) const MOST_MOVED_BYTES: u32 = 1024;
/// Entries that one operation needs at most: what it writes, and the channel that it moves.
const ENTRIES_PER_OPERATION: usize = MOST_WRITES + MOST_MOVED_BYTES as usize / 4 + 16;
/// Free entries with which a location of a `d_step` may be begun: its operation may be the last one, behind which come the location,
/// what a static reduction has added, and `_last`.
const ENTRIES_PER_STEP: usize = ENTRIES_PER_OPERATION + MOST_WRITES + 2;
/// A `d_step` that goes through more locations than this is handed back: the interpreter knows when to give up.
const LONGEST_STEP: i64 = 10_000;
const _: () = assert!(ENTRIES_PER_STEP < FREE_ENTRIES);

pub(super) fn flags() -> MemFlags {
    MemFlags::trusted()
}

/// The state of making one function.
pub(super) struct Maker<'a, 'f> {
    pub b: FunctionBuilder<'f>,
    pub program: &'a Program,
    pub shapes: &'a Shapes,
    pub buffer: Value,
    /// Where the record of the process starts: in memory, and in the buffer.
    pub record: Value,
    pub base: Value,
    pub context: Value,
    flags: Value,
    /// Where the next entry of the journal goes, and where the first went.
    pub journal: Variable,
    pub first_entry: Value,
    /// The function shows all successors by plain transitions and takes them back.
    pub harvests: bool,
    /// Was an earlier transition executable? (Only where the function harvests.)
    pub moved: Variable,
    /// What the transition has overwritten, if its code can put that back without the journal.
    pub overwritten: Option<Vec<Overwritten>>,
    /// Where the transition goes that cannot be executed, and where the one goes that the interpreter has to do.
    pub blocked: Block,
    pub bail: Block,
    /// The code takes an offer.
    pub hears: bool,
    /// The code stands inside a `d_step`.
    pub in_step: bool,
    /// The transition being made offers a message.
    pub offers: Option<Block>,
    is_claim: bool,
}

/// Can this computer have machine code?
pub(super) fn is_possible() -> bool {
    target().is_some()
}

/// Compiles a program: functions that execute one transition, or, with `harvests`, functions that show all successors. What has no code is
/// nowhere.
pub(super) fn compile(program: &Program, shapes: &Shapes, harvests: bool) -> Functions {
    let mut places = vec![[NOWHERE; 2]; program.locations.len()];
    match make_all(program, shapes, harvests, &mut places).and_then(|code| Functions::new(&code, &places)) {
        Some(functions) => functions,
        None => Functions::nowhere(program.locations.len()),
    }
}

/// The code of all locations, and where the functions of each are.
fn make_all(program: &Program, shapes: &Shapes, harvests: bool, places: &mut [[u32; 2]]) -> Option<Vec<u8>> {
    let isa = target()?;
    let mut bytes = Vec::new();
    let mut builder = FunctionBuilderContext::new();
    let mut room = size::LARGEST_PROGRAM;
    let claim = program.claim.map(|(_, number)| number as usize);
    let trace = program.trace.map(|(_, number)| number as usize);
    for (number, proctype) in program.proctypes.iter().enumerate() {
        let end =
            program.proctypes.get(number + 1).map_or(program.locations.len(), |next| next.first_location as usize);
        if Some(number) == trace {
            continue;
        }
        let own = proctype.first_location as usize..end;
        for (place, location) in places[own.clone()].iter_mut().zip(&program.locations[own]) {
            let own = &program.transitions[location.first as usize..location.end as usize];
            let size: u64 = own.iter().map(size::of_transition).sum();
            if own.iter().any(|transition| transition.escape != 0) || size > size::LARGEST_FUNCTION || size > room {
                continue;
            }
            room -= size;
            for hears in [false, true] {
                place[usize::from(hears)] = if hears && !own.iter().any(|transition| transition.op.takes_offers()) {
                    IDLE
                } else {
                    let options = Options { hears, is_claim: claim == Some(number), harvests };
                    let made = make(&isa, (program, shapes), location, options, &mut builder)?;
                    let offset = bytes.len() as u32;
                    bytes.extend_from_slice(&made);
                    bytes.resize(bytes.len().next_multiple_of(16), 0xcc);
                    offset
                };
            }
        }
    }
    Some(bytes)
}

fn target() -> Option<OwnedTargetIsa> {
    let mut settings = settings::builder();
    settings.set("opt_level", "speed").ok()?;
    settings.set("is_pic", "false").ok()?;
    settings.set("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }).ok()?;
    cranelift_native::builder().ok()?.finish(settings::Flags::new(settings)).ok()
}

#[derive(Clone, Copy)]
struct Options {
    hears: bool,
    is_claim: bool,
    harvests: bool,
}

/// The machine code of one location.
fn make(
    isa: &OwnedTargetIsa,
    (program, shapes): (&Program, &Shapes),
    location: &Location,
    options: Options,
    builder: &mut FunctionBuilderContext,
) -> Option<Vec<u8>> {
    let mut signature = Signature::new(isa.default_call_conv());
    signature.params.extend([I64, I64, I64, I32, I32].map(AbiParam::new));
    signature.returns.push(AbiParam::new(I32));
    let mut context = cranelift_codegen::Context::new();
    context.func = Function::with_name_signature(UserFuncName::user(0, location.first), signature);
    let mut b = FunctionBuilder::new(&mut context.func, builder);
    let entry = b.create_block();
    b.append_block_params_for_function_params(entry);
    b.switch_to_block(entry);
    let arguments: [Value; 5] = b.block_params(entry).try_into().ok()?;
    let [buffer, base, around, start, flags] = arguments;
    let record = b.ins().iadd(buffer, base);
    let base = b.ins().ireduce(I32, base);
    let journal = b.declare_var(I64);
    let next = b.ins().load(I64, self::flags(), around, offset_of!(Context, next) as i32);
    b.def_var(journal, next);
    let moved = b.declare_var(I32);
    if options.harvests {
        let before = b.ins().band_imm(flags, i64::from(MOVED));
        b.def_var(moved, before);
    }
    let (blocked, bail) = (b.create_block(), b.create_block());
    let maker = Maker {
        b,
        program,
        shapes,
        buffer,
        record,
        base,
        context: around,
        flags,
        journal,
        first_entry: next,
        harvests: options.harvests,
        moved,
        overwritten: None,
        blocked,
        bail,
        hears: options.hears,
        in_step: false,
        offers: None,
        is_claim: options.is_claim,
    };
    maker.location(location, start);
    let code = context.compile(&**isa, &mut Default::default()).ok()?;
    // Nothing that we emit refers to anything outside; were it otherwise, the bytes alone would not do.
    if !code.buffer.relocs().is_empty() {
        return None;
    }
    Some(code.code_buffer().to_vec())
}

impl Maker<'_, '_> {
    fn location(mut self, location: &Location, start: Value) {
        let own = &self.program.transitions[location.first as usize..location.end as usize];
        let starts: Vec<Block> = own.iter().map(|_| self.b.create_block()).collect();
        let nothing = self.blocked;
        let single = self.flag(SINGLE);
        match starts.as_slice() {
            [] => {
                self.b.ins().jump(nothing, &[]);
            }
            [only] => {
                self.b.ins().jump(*only, &[]);
            }
            [first, ..] => {
                let other = self.b.create_block();
                self.b.ins().brif(start, other, &[], *first, &[]);
                self.b.switch_to_block(other);
                let mut switch = Switch::new();
                for (index, &block) in starts.iter().enumerate().skip(1) {
                    switch.set_entry(index as u128, block);
                }
                switch.emit(&mut self.b, start, nothing);
            }
        }
        for (index, transition) in own.iter().enumerate() {
            self.b.switch_to_block(starts[index]);
            self.blocked = self.b.create_block();
            self.bail = self.b.create_block();
            self.offers = None;
            self.transition(transition, index as u32);
            let (blocked, bail) = (self.blocked, self.bail);
            self.b.switch_to_block(blocked);
            match starts.get(index + 1) {
                // Checked here and not by the caller: a call costs more than the test.
                Some(&next) => self.b.ins().brif(single, nothing, &[], next, &[]),
                None => self.b.ins().jump(nothing, &[]),
            };
            self.b.switch_to_block(bail);
            self.b.set_cold_block(bail);
            self.answer(INTERPRET, index as u32);
        }
        self.b.switch_to_block(nothing);
        let result = self.b.ins().iconst(I32, i64::from(NOTHING << OUTCOME_SHIFT));
        self.b.ins().return_(&[result]);
        self.b.seal_all_blocks();
        self.b.finalize();
    }

    /// A flag of the call.
    fn flag(&mut self, flag: u32) -> Value {
        self.b.ins().band_imm(self.flags, i64::from(flag))
    }

    /// Returns with this outcome; the entries of the journal count.
    pub(super) fn answer(&mut self, outcome: u32, index: u32) {
        let next = self.b.use_var(self.journal);
        self.b.ins().store(flags(), next, self.context, offset_of!(Context, next) as i32);
        let result = self.b.ins().iconst(I32, i64::from(outcome << OUTCOME_SHIFT | index));
        self.b.ins().return_(&[result]);
    }

    fn transition(&mut self, transition: &Transition, index: u32) {
        if self.hears && !transition.op.takes_offers() {
            self.jump(self.blocked);
            return;
        }
        if !self.knows(&transition.op) || !self.knows_after(transition) {
            self.jump(self.bail);
            return;
        }
        if matches!(transition.op, Op::End) {
            self.end();
            return;
        }
        let shows = self.harvests && !transition.atomic && transition.escape == 0;
        if shows && self.is_straight(transition) {
            self.overwritten = Some(Vec::new());
        }
        self.op(&transition.op);
        self.arrive(transition);
        if shows {
            self.show(index);
        } else {
            self.answer(DONE, index);
        }
        self.overwritten = None;
        if let Some(offers) = self.offers {
            self.b.switch_to_block(offers);
            self.arrive(transition);
            self.answer(OFFERS, index);
        }
    }

    /// The process goes to the next location, and what a static reduction has added to the step is done.
    fn arrive(&mut self, transition: &Transition) {
        let location = Cell { local: true, offset: 1, scalar: Scalar::U16 { width: 16 } };
        let place = self.cell(&location);
        self.save(&place, location.scalar);
        let target = self.b.ins().iconst(I16, i64::from(transition.target));
        self.b.ins().store(flags(), target, place.address, place.offset);
        if let Some(after) = &transition.after {
            for (target, value) in &after.assignments {
                self.assign(target, value);
            }
            for cell in &after.resets {
                let place = self.cell(cell);
                if self.overwritten.is_some() {
                    let zero = self.b.ins().iconst(I32, 0);
                    self.write(&place, cell.scalar, zero);
                    continue;
                }
                let old = self.read(&place, cell.scalar);
                let (reset, behind) = (self.b.create_block(), self.b.create_block());
                self.b.ins().brif(old, reset, &[], behind, &[]);
                self.b.switch_to_block(reset);
                let zero = self.b.ins().iconst(I32, 0);
                self.write(&place, cell.scalar, zero);
                self.jump(behind);
                self.b.switch_to_block(behind);
            }
        }
        if let Some(at) = self.program.last.filter(|_| !self.is_claim) {
            let pid = self.pid();
            let place = self.cell(&Cell { local: false, offset: at, scalar: Scalar::U8 });
            self.write(&place, Scalar::U8, pid);
        }
    }

    /// A death is left to the interpreter; that a process cannot die yet is found out here.
    fn end(&mut self) {
        if self.is_claim {
            self.jump(self.blocked);
            return;
        }
        let count = self.process_count();
        let pid = self.pid();
        let next = self.b.ins().iadd_imm(pid, 1);
        let last = self.b.ins().icmp(IntCC::Equal, next, count);
        self.b.ins().brif(last, self.bail, &[], self.blocked, &[]);
    }

    pub(super) fn pid(&mut self) -> Value {
        let pid = self.b.ins().ushr_imm(self.flags, i64::from(PID_SHIFT));
        self.b.ins().band_imm(pid, 0xff)
    }

    pub(super) fn timeout(&mut self) -> Value {
        let timeout = self.flag(TIMEOUT);
        self.truth(timeout)
    }

    pub(super) fn process_count(&mut self) -> Value {
        self.b.ins().uload8(I32, flags(), self.buffer, self.program.hidden as i32)
    }

    pub(super) fn jump(&mut self, block: Block) {
        self.b.ins().jump(block, &[]);
    }

    /// Goes on behind here if the condition holds, and to `otherwise` if not.
    pub(super) fn require(&mut self, condition: Value, otherwise: Block) {
        let go_on = self.b.create_block();
        self.b.ins().brif(condition, go_on, &[], otherwise, &[]);
        self.b.switch_to_block(go_on);
    }

    /// An entry for the word at this place.
    pub(super) fn save_word(&mut self, at: Value, old: Value) {
        self.add_entry(Undo::Word, at, old);
    }

    /// An entry of the journal.
    pub(super) fn add_entry(&mut self, undo: Undo, at: Value, old: Value) {
        let next = self.b.use_var(self.journal);
        let kind = self.b.ins().iconst(I32, undo as i64);
        self.b.ins().store(flags(), at, next, offset_of!(Entry, at) as i32);
        self.b.ins().store(flags(), old, next, offset_of!(Entry, old) as i32);
        self.b.ins().store(flags(), kind, next, offset_of!(Entry, undo) as i32);
        let next = self.b.ins().iadd_imm(next, size_of::<Entry>() as i64);
        self.b.def_var(self.journal, next);
    }

    /// Does what the operation does; goes to `blocked` if it is not executable.
    fn op(&mut self, op: &Op) {
        match op {
            Op::Skip => {}
            Op::Print(print) => {
                // Nobody listens: the values count only for their errors.
                for value in &print.values {
                    self.value(value);
                }
            }
            // Inside a `d_step` the transitions before it were tried and were blocked.
            Op::Else if self.in_step => {}
            Op::Else => {
                let moved = if self.harvests { self.b.use_var(self.moved) } else { self.flag(MOVED) };
                let go_on = self.b.create_block();
                self.b.ins().brif(moved, self.blocked, &[], go_on, &[]);
                self.b.switch_to_block(go_on);
            }
            Op::Guard(guard) => {
                let go_on = self.b.create_block();
                self.branch(guard, go_on, self.blocked);
                self.b.switch_to_block(go_on);
            }
            Op::Assign(target, value) => self.assign(target, value),
            Op::Block(assignments) => {
                for (target, value) in assignments {
                    self.assign(target, value);
                }
            }
            Op::Assert(condition, _) => {
                let go_on = self.b.create_block();
                self.branch(condition, go_on, self.bail);
                self.b.switch_to_block(go_on);
            }
            Op::Send(send) => self.send(send),
            Op::Receive(receive) if self.hears => self.hear(receive),
            Op::Receive(receive) => self.receive(receive),
            Op::DStep(routine, _) => self.step(routine),
            // `knows` has left them to the interpreter.
            Op::End | Op::RunGuard(_) | Op::RunAssign(_) | Op::SetPriority(_) => {
                self.jump(self.bail);
                let unreachable = self.b.create_block();
                self.b.switch_to_block(unreachable);
            }
        }
    }

    /// A whole `d_step`: at each location the first executable transition.
    fn step(&mut self, routine: &Routine) {
        let blocks: Vec<Block> = routine.locations.iter().map(|_| self.b.create_block()).collect();
        let exit = self.b.create_block();
        let count = self.b.declare_var(I64);
        let zero = self.b.ins().iconst(I64, 0);
        self.b.def_var(count, zero);
        let outer = std::mem::replace(&mut self.in_step, true);
        let blocked = self.blocked;
        self.choices(routine, routine.entry, (&blocks, exit), blocked);
        // A step that blocks behind its first statement is an error, which is the interpreter's to tell.
        let bail = self.bail;
        for (number, &block) in blocks.iter().enumerate() {
            if number as u32 == routine.exit {
                // Never entered: who comes here has come to the exit.
                self.b.switch_to_block(block);
                self.jump(exit);
                continue;
            }
            self.b.switch_to_block(block);
            let steps = self.b.use_var(count);
            let steps = self.b.ins().iadd_imm(steps, 1);
            self.b.def_var(count, steps);
            let short = self.b.ins().icmp_imm(IntCC::UnsignedLessThan, steps, LONGEST_STEP);
            self.require(short, bail);
            let next = self.b.use_var(self.journal);
            let end = self.b.ins().load(I64, flags(), self.context, offset_of!(Context, end) as i32);
            let needed = self.b.ins().iadd_imm(next, (ENTRIES_PER_STEP * size_of::<Entry>()) as i64);
            let fits = self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, needed, end);
            self.require(fits, bail);
            self.choices(routine, number as u32, (&blocks, exit), bail);
        }
        self.blocked = blocked;
        self.in_step = outer;
        self.b.switch_to_block(exit);
    }

    /// The transitions of one location of a `d_step`; `stuck` is where the code goes if none is executable.
    fn choices(&mut self, routine: &Routine, location: u32, (blocks, exit): (&[Block], Block), stuck: Block) {
        let (first, number) = routine.locations[location as usize];
        for (op, target) in &routine.transitions[first as usize..(first + number) as usize] {
            let next = self.b.create_block();
            self.blocked = next;
            self.op(op);
            self.jump(if *target == routine.exit { exit } else { blocks[*target as usize] });
            self.b.switch_to_block(next);
        }
        self.jump(stuck);
    }

    /// Is there code for this operation?
    fn knows(&self, op: &Op) -> bool {
        match op {
            Op::Skip | Op::Else => true,
            Op::End => !self.in_step,
            Op::Print(print) => print.values.iter().all(|value| self.knows_value(value)),
            Op::Guard(guard) => self.knows_value(guard),
            Op::Assert(condition, _) => self.knows_value(condition),
            Op::Assign(target, value) => self.knows_target(target) && self.knows_value(value),
            Op::Block(assignments) => {
                assignments.len() <= MOST_WRITES
                    && assignments.iter().all(|(target, value)| self.knows_target(target) && self.knows_value(value))
            }
            Op::Send(send) => {
                !send.sorted
                    && self.knows_value(&send.channel)
                    && send.values.iter().all(|value| self.knows_value(value))
                    && self.shapes.with_fields(send.values.len()).is_some()
            }
            Op::Receive(receive) => self.knows_receive(receive),
            Op::DStep(routine, _) => {
                // A step that takes an offer is rare.
                !self.hears
                    && routine
                        .transitions
                        .iter()
                        .all(|(op, _)| !matches!(op, Op::End | Op::DStep(..)) && self.knows(op))
            }
            Op::RunGuard(_) | Op::RunAssign(_) | Op::SetPriority(_) => false,
        }
    }

    fn knows_after(&self, transition: &Transition) -> bool {
        transition.after.as_ref().is_none_or(|after| {
            after.assignments.len() + after.resets.len() <= MOST_WRITES
                && after.assignments.iter().all(|(target, value)| self.knows_target(target) && self.knows_value(value))
        })
    }

    pub(super) fn knows_receive(&self, receive: &Receive) -> bool {
        !receive.random
            && self.knows_value(&receive.channel)
            && receive.patterns.len() <= MOST_WRITES
            && self.shapes.with_fields(receive.patterns.len()).is_some()
            && receive.patterns.iter().all(|pattern| match pattern {
                Pattern::Store(target) => self.knows_target(target),
                Pattern::Match(value) => self.knows_value(value),
                Pattern::Ignore => true,
            })
    }

    fn knows_target(&self, target: &Target) -> bool {
        match target {
            Target::Cell(_) => true,
            Target::Indexed(indexed) => indexed.indices.iter().all(|(value, ..)| self.knows_value(value)),
        }
    }

    /// Is there code for this expression?
    pub(super) fn knows_value(&self, value: &Ex) -> bool {
        match value {
            Ex::Constant(_)
            | Ex::GlobalByte(_)
            | Ex::LocalByte(_)
            | Ex::Load(_)
            | Ex::GlobalByteIs(..)
            | Ex::LocalByteIs(..)
            | Ex::Pid
            | Ex::ProcessCount
            | Ex::Last
            | Ex::Timeout => true,
            Ex::Indexed(indexed) => indexed.indices.iter().all(|(value, ..)| self.knows_value(value)),
            Ex::Unary(_, operand) => self.knows_value(operand),
            Ex::Binary(_, pair) | Ex::Divide(_, pair, _) | Ex::And(pair) | Ex::Or(pair) => {
                self.knows_value(&pair.0) && self.knows_value(&pair.1)
            }
            Ex::Conditional(parts) => {
                self.knows_value(&parts.0) && self.knows_value(&parts.1) && self.knows_value(&parts.2)
            }
            Ex::Channel(_, channel, _) => self.knows_value(channel),
            Ex::Poll(receive) => self.knows_receive(receive),
            Ex::NonProgress
            | Ex::RunResult
            | Ex::Enabled(..)
            | Ex::PcValue(_)
            | Ex::GetPriority(_)
            | Ex::RemoteLabel { .. }
            | Ex::RemoteVariable { .. } => false,
        }
    }
}
