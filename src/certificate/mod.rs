//! A certificate: what a search says, with what is needed to check it without pv's executor and searches.
//!
//! A certificate names everything by the names of the model: variables by name, places in a process by the number that SPIN gives
//! them, processes by pid, channels by id. It knows nothing of the layout of pv's states. For each property that was checked it holds
//! either all states that were reached (the property holds) or the states along a counterexample (it does not).
//! `pv certify` gives it to the reference executor ([`crate::certify`]), which believes none of it.
//!
//! A state is a row of numbers; each number stands for a part that many states share: the values of the global variables, a process, the
//! messages of a channel. `file` says how rows and parts are written down.

pub mod file;

use indexmap::IndexSet;

/// What searches of one model have found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    /// The name of the model's file.
    pub model: String,
    /// The hash of its text that trails and checkpoints carry too.
    pub fingerprint: u64,
    /// What the values in the parts are values of.
    pub names: Names,
    /// One for each property, or for each of its errors.
    pub sections: Vec<Section>,
}

/// The variables of a model, in the order in which parts hold their values.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Names {
    /// Global variables: `x`, `a[1]`, `s.f[0]`.
    pub globals: Vec<String>,
    /// Process types, and the never claim under the name `never`.
    pub bodies: Vec<BodyNames>,
}

/// The name of a process type and its variables.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BodyNames {
    /// The name.
    pub name: String,
    /// Parameters and local variables. A name that several blocks declare stands here several times, in the order of the text.
    pub locals: Vec<String>,
}

/// What was checked, and what came out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// What was checked.
    pub checked: Checked,
    /// What came out.
    pub evidence: Evidence,
}

/// What was checked in one search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checked {
    /// The property.
    pub subject: Subject,
    /// Only weakly fair runs count. Never for [`Subject::Errors`].
    pub fair: bool,
    /// Assertions that fail are errors. Never for a formula, whose proof is not about them.
    pub assertions: bool,
    /// How end states are judged. Not at all for any property but [`Subject::Errors`].
    pub ends: Ends,
}

/// A property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Subject {
    /// Assertions, run-time errors and end states.
    Errors,
    /// Cycles through accept labels.
    AcceptLabels,
    /// Cycles without progress.
    Progress,
    /// The never claim of the model.
    Never,
    /// The formula of this name.
    Formula(String),
}

/// How end states are judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ends {
    /// Not at all.
    Ignored,
    /// Every process must be at its end or at an end label.
    Judged,
    /// And all channels must be empty.
    JudgedWithChannels,
}

/// Why somebody should believe a verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Evidence {
    /// It holds: these are all states that can be reached. With a never claim, of the product.
    Holds(Table),
    /// It does not: the error, and the states along a run that shows it, without a claim.
    Broken(Error, Table),
}

/// What is wrong at the end of a counterexample.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// Which kind of error.
    pub kind: ErrorKind,
    /// As pv tells it. Nobody checks this text.
    pub message: String,
}

/// Kinds of errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// An assertion fails.
    Assertion,
    /// A statement cannot be executed soundly.
    RunTime,
    /// Nobody can move, and somebody should.
    EndState,
    /// The run violates the property: a cycle, or the end of a claim.
    Property,
}

/// A process in a state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Process {
    /// Its type, by index in [`Names::bodies`].
    pub body: u32,
    /// SPIN's number of the place where it stands.
    pub place: u32,
    /// Its priority; 1 in a model without priorities.
    pub priority: u32,
    /// Its variables.
    pub locals: Vec<i32>,
}

/// The messages of a channel, the oldest first.
pub type Messages = Vec<Vec<i32>>;

/// Numbers in front of the processes of a row: globals, `_last`, the place of the trace, the claim, the number of processes.
pub const ROW_HEAD: usize = 5;

/// States, with the parts that they share.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Table {
    /// Values of the global variables.
    pub globals: IndexSet<Vec<i32>>,
    /// Processes, claims among them.
    pub processes: IndexSet<Process>,
    /// Contents of channels.
    pub channels: IndexSet<Messages>,
    /// What the states leave open.
    pub open: Open,
    /// All rows, one behind the other.
    cells: Vec<u32>,
    /// Where each row ends.
    ends: Vec<usize>,
    /// Bytes of the parts, about.
    parts: usize,
}

/// Values that the states of a table leave open: the table has 0 for them, and they stand for every value. A search that sets dead
/// variables to 0 meets such states. The checker sees to it that nobody reads them. Variables are named by their numbers in [`Names`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Open {
    /// Global variables that are open in every state.
    pub globals: Vec<u32>,
    /// Variables that are open while a process stands at some place.
    pub places: Vec<OpenAt>,
    /// Process types, and the global variables that are open in every state without a process of the type.
    pub gone: Vec<(u32, Vec<u32>)>,
    /// Fields of messages: the channel, of those that exist from the start, and the field.
    pub fields: Vec<(u32, u32)>,
}

impl Open {
    /// Nothing is left open.
    pub fn is_empty(&self) -> bool {
        *self == Open::default()
    }
}

/// What is open while a process stands at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpenAt {
    /// The type of the process, by index in [`Names::bodies`].
    pub body: u32,
    /// SPIN's number of the place.
    pub place: u32,
    /// Variables of the process.
    pub locals: Vec<u32>,
    /// Global variables.
    pub globals: Vec<u32>,
}

/// Bytes of a part in a set, about: itself, its hash and its place in an index, each with room to grow.
const PART: usize = 2 * (size_of::<Process>() + 16);

/// Bytes that an allocation takes, about.
fn allocated(bytes: usize) -> usize {
    (bytes + 8).next_multiple_of(16).max(32)
}

/// A state as it is put together.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Row {
    /// Values of the global variables.
    pub globals: Vec<i32>,
    /// `_last`; 0 in a model that does not ask for it.
    pub last: u32,
    /// SPIN's number of the place of the trace; 0 in a model without.
    pub trace: u32,
    /// The claim, in a product.
    pub claim: Option<Process>,
    /// Processes by pid.
    pub processes: Vec<Process>,
    /// Channels by id.
    pub channels: Vec<Messages>,
}

impl Table {
    /// Adds a state.
    pub fn add(&mut self, row: Row) {
        let wanted = ROW_HEAD + row.processes.len() + row.channels.len();
        if self.cells.capacity() - self.cells.len() < wanted {
            // By quarters: doubling would leap over a budget.
            self.cells.reserve_exact(wanted + self.cells.len() / 4 + 1024);
        }
        let globals = self.globals_number(row.globals).0;
        let claim = row.claim.map_or(0, |claim| self.process_number(claim).0 + 1);
        self.cells.extend([globals, row.last, row.trace, claim, row.processes.len() as u32]);
        for process in row.processes {
            let number = self.process_number(process).0;
            self.cells.push(number);
        }
        for channel in row.channels {
            let number = self.channel_number(channel).0;
            self.cells.push(number);
        }
        self.ends.push(self.cells.len());
    }

    /// The number of these values of global variables, and whether they are new.
    fn globals_number(&mut self, globals: Vec<i32>) -> (u32, bool) {
        let bytes = PART + allocated(4 * globals.len());
        let (number, new) = self.globals.insert_full(globals);
        self.parts += if new { bytes } else { 0 };
        (number as u32, new)
    }

    /// The number of a process, and whether it is new.
    fn process_number(&mut self, process: Process) -> (u32, bool) {
        let bytes = PART + allocated(4 * process.locals.len());
        let (number, new) = self.processes.insert_full(process);
        self.parts += if new { bytes } else { 0 };
        (number as u32, new)
    }

    /// The number of the messages of a channel, and whether they are new.
    fn channel_number(&mut self, channel: Messages) -> (u32, bool) {
        let messages: usize = channel.iter().map(|message| allocated(4 * message.len())).sum();
        let bytes = PART + allocated(size_of_val(channel.as_slice())) + messages;
        let (number, new) = self.channels.insert_full(channel);
        self.parts += if new { bytes } else { 0 };
        (number as u32, new)
    }

    /// Adds a row of numbers. Whoever reads the row looks at whether its numbers name parts.
    fn add_cells(&mut self, cells: &[u32]) {
        self.cells.extend_from_slice(cells);
        self.ends.push(self.cells.len());
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// There is no state.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The numbers of a row; none if there are fewer rows.
    pub fn row(&self, number: usize) -> Option<&[u32]> {
        let from = match number.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => 0,
        };
        self.cells.get(from..*self.ends.get(number)?)
    }

    /// The table with those of its rows that are wanted.
    pub fn only(mut self, mut wanted: impl FnMut(&[u32]) -> bool) -> Table {
        let ends = std::mem::take(&mut self.ends);
        let (mut from, mut to) = (0, 0);
        for end in ends {
            if wanted(&self.cells[from..end]) {
                self.cells.copy_within(from..end, to);
                to += end - from;
                self.ends.push(to);
            }
            from = end;
        }
        self.cells.truncate(to);
        self
    }

    /// The table with each of its states once, in the order in which they came first.
    pub fn distinct(self) -> Table {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        let row = |number: u32| self.row(number as usize).unwrap_or_default();
        order.sort_by(|&one, &other| row(one).cmp(row(other)).then(one.cmp(&other)));
        let mut first = vec![true; self.len()];
        for pair in order.windows(2) {
            first[pair[1] as usize] = row(pair[0]) != row(pair[1]);
        }
        let mut firsts = first.into_iter();
        self.only(|_| firsts.next().unwrap_or(false))
    }

    /// Bytes, about.
    pub fn memory(&self) -> usize {
        self.cells.capacity() * 4 + self.ends.capacity() * 8 + self.parts
    }
}
