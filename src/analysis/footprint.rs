//! Footprints: what a move reads, writes and tests.
//!
//! A move is what a search takes from a storable state: one transition, or the whole atomic block that the transition enters.
//! Its footprint is the union of everything that any path through the block can touch, including every guard that is looked
//! at on the way (Godefroid and Pirottin, "Refining dependencies improves partial-order verification methods", CAV 1993,
//! treat single operations; a block is the union of its operations).
//!
//! Sound as long as every effect of [`crate::exec`] on shared parts of the state appears here. Private parts of the state
//! leave no access: locals that no other process reads, and control locations that no remote reference names. Two moves of
//! different processes whose accesses do not conflict commute, and neither enables nor disables the other.
//!
//! This file holds the types; [`super::collect`] builds the footprints.

use super::flow::BitSet;
use super::visit;
use crate::model::{BinaryOp, ChannelTest, Expr};

/// For how long a value that was computed now is right.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Validity {
    /// For the whole life of the process: built from constants, `_pid` and variables that nobody writes.
    Stable,
    /// In the state in which the move is taken: what it is built from is read, and not written inside the move.
    Current,
    /// It may change inside the move.
    Unknown,
}

/// A number that is known, or will be known in an instance or in a state.
#[derive(Clone, Debug)]
pub enum Value {
    /// Known.
    Known(i32),
    /// To be evaluated by the process that makes the move.
    Expr(Validity, Box<Expr>),
    /// Anything.
    Any,
}

impl Value {
    /// Can the two be equal? `None`: it depends on the state.
    pub fn may_equal(&self, other: &Value) -> Option<bool> {
        match (self, other) {
            (Value::Known(a), Value::Known(b)) => Some(a == b),
            (Value::Any, _) | (_, Value::Any) => Some(true),
            _ => None,
        }
    }
}

/// Whose variable it is.
#[derive(Clone, Debug)]
pub enum Owner {
    /// Global or hidden: nobody's.
    Nobody,
    /// A local of the process that makes the move, which others look at.
    Own,
    /// A local of another process: its pid.
    Process(Value),
}

/// A variable by its declaration: two different ones never overlap.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VariableId {
    /// The process type it is local to.
    pub proctype: Option<u32>,
    /// Number in the list of globals or locals.
    pub number: u32,
}

/// An access to a shared variable.
#[derive(Clone, Debug)]
pub struct MemoryAccess {
    /// Which.
    pub variable: VariableId,
    /// Whose.
    pub owner: Owner,
    /// One value per array level, outermost first.
    pub indices: Vec<Value>,
    /// Written (else read).
    pub write: bool,
}

/// A test of the length of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LengthTest {
    /// `len(q) op constant`.
    Compare(BinaryOp, i32),
    /// `full`.
    Full,
    /// `nfull`.
    NotFull,
    /// The length itself is used, or a test after it may have changed.
    Any,
}

impl LengthTest {
    /// The test that a predefined function makes.
    pub fn of(test: ChannelTest) -> LengthTest {
        match test {
            ChannelTest::Len => LengthTest::Any,
            ChannelTest::Empty => LengthTest::Compare(BinaryOp::Equal, 0),
            ChannelTest::NotEmpty => LengthTest::Compare(BinaryOp::Greater, 0),
            ChannelTest::Full => LengthTest::Full,
            ChannelTest::NotFull => LengthTest::NotFull,
        }
    }

    /// Its answer; `None` if it is not a yes-or-no question.
    pub fn answer(self, length: i32, capacity: i32) -> Option<bool> {
        Some(match self {
            LengthTest::Any => return None,
            LengthTest::Full => length == capacity,
            LengthTest::NotFull => length < capacity,
            LengthTest::Compare(op, k) => match op {
                BinaryOp::Equal => length == k,
                BinaryOp::NotEqual => length != k,
                BinaryOp::Less => length < k,
                BinaryOp::LessEqual => length <= k,
                BinaryOp::Greater => length > k,
                BinaryOp::GreaterEqual => length >= k,
                _ => return None,
            },
        })
    }

    /// Once true, a send leaves it true.
    pub fn rises(self) -> bool {
        match self {
            LengthTest::Compare(BinaryOp::Greater | BinaryOp::GreaterEqual, _) | LengthTest::Full => true,
            LengthTest::Compare(BinaryOp::NotEqual, k) => k <= 0,
            _ => false,
        }
    }

    /// Once true, a receive leaves it true.
    pub fn falls(self) -> bool {
        match self {
            LengthTest::Compare(BinaryOp::Less | BinaryOp::LessEqual, _) | LengthTest::NotFull => true,
            LengthTest::Compare(BinaryOp::Equal, k) => k == 0,
            _ => false,
        }
    }
}

/// What is done to a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// A message is appended (or, sorted, put in its place).
    Send {
        /// `!!`
        sorted: bool,
    },
    /// A message is taken.
    Receive,
    /// The length is tested.
    Length {
        /// The test.
        test: LengthTest,
        /// The move needs it to be true: that it stays true is enough. Otherwise its value matters.
        required: bool,
    },
    /// The head, or with `random` any message, is compared with a pattern, and perhaps copied.
    Head {
        /// `??`
        random: bool,
        /// The move needs a match: that the match stays the first one is enough.
        required: bool,
    },
    /// The channel dies with its owner.
    Destroy,
    /// Not an operation of a move: a blocked transition waits for these.
    Await {
        /// Sends can make it executable.
        sends: bool,
        /// Receives can.
        receives: bool,
        /// One process claims these for itself (`xr`, `xs`): operations of others that the claim is held against at
        /// run time are left out.
        claimed: bool,
    },
}

/// An operation on a channel.
#[derive(Clone, Debug)]
pub struct ChannelAccess {
    /// The abstract channels it may be.
    pub classes: BitSet,
    /// Its id.
    pub id: Value,
    /// What is done.
    pub operation: Operation,
    /// The move may do more than one operation that changes the channel's length.
    pub many: bool,
    /// The moving process alone decides which channel it is: its own variables do, and variables that nobody writes. Such an
    /// access can be foreseen from the location of its process; see [`super::claims`].
    pub own: bool,
}

/// A look at another process's location.
#[derive(Clone, Debug)]
pub struct LocationRead {
    /// The process type; `None` where a pid is given, which may be that of any process.
    pub proctype: Option<u32>,
    /// Its pid.
    pub pid: Value,
    /// The number of the location, which is what is compared, whatever the type of that process is.
    pub number: u32,
}

/// A send or a receive that the `trace` automaton may be concerned with.
#[derive(Clone, Debug)]
pub struct Traced {
    /// A send; else a receive.
    pub send: bool,
    /// The channel.
    pub id: Value,
}

/// Facts beyond variables and channels, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Flags(pub u16);

impl Flags {
    /// A process is made.
    pub const RUN: Flags = Flags(1);
    /// The process dies.
    pub const DEATH: Flags = Flags(2);
    /// Reads `_nr_pr`, or whether a process exists.
    pub const COUNT: Flags = Flags(4);
    /// The answer may depend on anything: `enabled`, `pc_value`, `np_`, `_last`, an `else` beside a rendezvous, …
    pub const EVERYTHING: Flags = Flags(8);
    /// `timeout` is required: nothing else is executable when this move is. (To look at it may still be an error: see
    /// [`Footprint::looks`].)
    pub const TIMEOUT: Flags = Flags(16);
    /// The move is the death of the process and nothing else: it is enabled only while the process is the youngest.
    pub const DIES: Flags = Flags(32);
    /// The first transition is a send on a channel that may be a rendezvous.
    pub const RENDEZVOUS_SEND: Flags = Flags(64);
    /// The first transition is a receive on a channel that may be a rendezvous.
    pub const RENDEZVOUS_RECEIVE: Flags = Flags(128);

    /// Has it any of these bits?
    pub fn has(self, flags: Flags) -> bool {
        self.0 & flags.0 != 0
    }

    /// Adds bits.
    pub fn add(&mut self, flags: Flags) {
        self.0 |= flags.0;
    }
}

/// The footprint of a move, or of a guard.
#[derive(Clone, Debug, Default)]
pub struct Footprint {
    /// Shared variables.
    pub memory: Vec<MemoryAccess>,
    /// Channel operations on buffered channels. A rendezvous channel keeps nothing between moves.
    pub channels: Vec<ChannelAccess>,
    /// Locations of other processes that are looked at.
    pub locations: Vec<LocationRead>,
    /// Numbers of locations that the moving process leaves or enters, as far as somebody looks at them.
    pub visits: Vec<u32>,
    /// The rest.
    pub flags: Flags,
    /// Process types whose processes may take part in a rendezvous inside the block.
    pub partners: Vec<u32>,
    /// The abstract channels on which the block offers messages by rendezvous behind its first step.
    pub offers: BitSet,
    /// The abstract channels on which the process may take such an offer of somebody else, at the location where the move
    /// starts or at one where it can leave the process. For a reason: at the location of the blocked transition.
    pub hears: BitSet,
    /// Process types of which instances are made.
    pub spawns: Vec<u32>,
    /// Operations that may move the `trace` automaton.
    pub traced: Vec<Traced>,
    /// For a rendezvous as first transition: the abstract channels it may be on (with [`Footprint::rendezvous_id`]).
    pub rendezvous: BitSet,
    /// For a rendezvous as first transition: the id of its channel.
    pub rendezvous_id: Option<Value>,
    /// The abstract rendezvous channels that are used in any way, as far as they may outlive their owners: to use a dead
    /// one is an error.
    pub synchronous: BitSet,
    /// What is read when the move is looked at and cannot be executed, where that look can be an error. Two moves that are never
    /// enabled together can still meet in this way: a move is looked at in every state in which its process stands before
    /// it. Only filled where [`Flags::TIMEOUT`] or [`Flags::DIES`] would hide these reads.
    pub looks: Option<Box<Footprint>>,
}

impl Footprint {
    /// Nothing shared is touched.
    pub fn is_empty(&self) -> bool {
        self.memory.is_empty()
            && self.channels.is_empty()
            && self.locations.is_empty()
            && self.visits.is_empty()
            && self.flags == Flags::default()
            && self.partners.is_empty()
            && self.traced.is_empty()
            && self.synchronous.is_empty()
            && self.looks.is_none()
    }

    /// Replaces by numbers what `evaluate` knows of expressions that hold at least as long as `validity`.
    pub fn resolve(&mut self, validity: Validity, evaluate: &mut impl FnMut(&Expr) -> Option<i32>) {
        let mut value = |value: &mut Value| {
            if let Value::Expr(holds, expr) = value
                && *holds <= validity
            {
                // an index out of range is an error when it is used; until then it may be anything
                *value = evaluate(expr).map_or(Value::Any, Value::Known);
            }
        };
        for access in &mut self.memory {
            access.indices.iter_mut().for_each(&mut value);
            if let Owner::Process(pid) = &mut access.owner {
                value(pid);
            }
        }
        self.channels.iter_mut().for_each(|access| value(&mut access.id));
        self.locations.iter_mut().for_each(|read| value(&mut read.pid));
        self.traced.iter_mut().for_each(|traced| value(&mut traced.id));
        if let Some(id) = &mut self.rendezvous_id {
            value(id);
        }
        if let Some(looks) = &mut self.looks {
            looks.resolve(validity, evaluate);
        }
    }

    /// Calls `f` on every value in it.
    pub fn each_value(&self, f: &mut impl FnMut(&Value)) {
        for access in &self.memory {
            access.indices.iter().for_each(&mut *f);
            if let Owner::Process(pid) = &access.owner {
                f(pid);
            }
        }
        self.channels.iter().for_each(|access| f(&access.id));
        self.locations.iter().for_each(|read| f(&read.pid));
        self.traced.iter().for_each(|traced| f(&traced.id));
        self.rendezvous_id.iter().for_each(&mut *f);
        if let Some(looks) = &self.looks {
            looks.each_value(f);
        }
    }

    /// The same footprint for an observer who does not know the process: expressions become "anything".
    pub fn forget(&mut self) {
        self.resolve(Validity::Unknown, &mut |_| None);
    }

    /// Adds all of another footprint.
    pub fn union(&mut self, other: &Footprint) {
        self.memory.extend(other.memory.iter().cloned());
        self.channels.extend(other.channels.iter().cloned());
        self.locations.extend(other.locations.iter().cloned());
        self.traced.extend(other.traced.iter().cloned());
        for (mine, theirs) in [
            (&mut self.visits, &other.visits),
            (&mut self.partners, &other.partners),
            (&mut self.spawns, &other.spawns),
        ] {
            for item in theirs {
                if !mine.contains(item) {
                    mine.push(*item);
                }
            }
        }
        self.flags.add(other.flags);
        self.synchronous.union(&other.synchronous);
        self.offers.union(&other.offers);
        self.hears.union(&other.hears);
        if let Some(looks) = &other.looks {
            self.looks.get_or_insert_default().union(looks);
        }
    }

    /// Drops repeated accesses, and reads of what is written anyway; keeps the tables small.
    pub fn tidy(&mut self) {
        let mut kept: Vec<MemoryAccess> = Vec::with_capacity(self.memory.len());
        self.memory.sort_by_key(|access| !access.write);
        for access in self.memory.drain(..) {
            let plain = |a: &MemoryAccess| a.indices.iter().all(|i| matches!(i, Value::Known(_)));
            let covered = kept.iter().any(|k| {
                k.variable == access.variable
                    && (k.write || !access.write)
                    && matches!((&k.owner, &access.owner), (Owner::Nobody, Owner::Nobody) | (Owner::Own, Owner::Own))
                    && plain(k)
                    && plain(&access)
                    && k.indices.iter().zip(&access.indices).all(|(a, b)| a.may_equal(b) == Some(true))
            });
            if !covered {
                kept.push(access);
            }
        }
        self.memory = kept;
    }
}

/// How long the value of an expression holds; `written` tells which variables the move itself writes.
pub fn validity(stable: bool, expr: &Expr, written: &dyn Fn(&crate::model::Place) -> bool) -> Validity {
    use crate::model::ExprKind as K;
    if stable {
        return Validity::Stable;
    }
    let mut current = true;
    visit::walk(expr, &mut |e| {
        current &= match &e.kind {
            K::Constant(_) | K::Pid | K::Unary(..) | K::Binary(..) | K::Conditional(..) => true,
            K::Load(place) => !written(place),
            _ => false,
        }
    });
    if current { Validity::Current } else { Validity::Unknown }
}
