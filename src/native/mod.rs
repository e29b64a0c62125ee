//! Machine code for a program: the transitions of each location as one function, made with Cranelift.
//!
//! Idea: the interpreter spends most of a step on finding out what the step is. A search executes the same few hundred statements many
//! million times, so we compile them once. A function tries the transitions of one location in order; for the first that is executable
//! it does everything that the interpreter would do (the variables, the channel, the location, the journal) and gives its number. For searches
//! that look at all successors of a state there are functions of a second kind, which show one successor after the other. Either kind is
//! compiled when it is called for the first time.
//!
//! Sound because the interpreter stays the judge of everything unusual. A transition that is rare or difficult (`run`, death, `??`, a
//! sorted send, a `trace`, priorities, remote references), and every transition that meets an error while it is executed (an index out
//! of range, a division by zero, a channel that is not there, a failed assertion), is handed back: what was changed is undone from the
//! journal, and the interpreter executes the transition from its beginning. `tests/native.rs` compares both, transition by transition.
//!
//! Costs some 50 microseconds per location of a usual size; so a machine asks for code only after as many steps as make compiling worth it
//! (`size`, `exec::seam`); what is too large is left to the interpreter.
//!
//! | file | what |
//! |---|---|
//! | `function` | one location: which transition is tried when, and what a function answers |
//! | `harvest` | functions that show all successors in one call |
//! | `values` | variables and expressions |
//! | `channels` | sends and receives |
//! | `shapes` | the channel types that look alike in memory |
//! | `size` | how much there is to compile, and when that pays |
//! | `code` | the pages that hold the code, and the call: the only `unsafe` of pv |

#[cfg(all(feature = "native", target_arch = "x86_64"))]
mod channels;
#[cfg(all(feature = "native", target_arch = "x86_64"))]
mod code;
#[cfg(all(feature = "native", target_arch = "x86_64"))]
mod function;
#[cfg(all(feature = "native", target_arch = "x86_64"))]
mod harvest;
#[cfg(all(feature = "native", target_arch = "x86_64"))]
mod shapes;
#[cfg(all(feature = "native", target_arch = "x86_64"))]
mod size;
#[cfg(all(feature = "native", target_arch = "x86_64"))]
mod values;

use crate::exec::Program;
use crate::exec::seam::Code;

/// Can this build make machine code for this computer?
pub const AVAILABLE: bool = cfg!(all(feature = "native", target_arch = "x86_64"));

/// Steps after which making the code of a program pays.
#[cfg(all(feature = "native", target_arch = "x86_64"))]
pub fn steps_until_it_pays(program: &Program) -> u64 {
    size::steps_until_it_pays(program)
}

/// Steps after which making the code of a program pays: this build makes none.
#[cfg(not(all(feature = "native", target_arch = "x86_64")))]
pub fn steps_until_it_pays(_: &Program) -> u64 {
    u64::MAX
}

/// Bytes that making the code of a program takes, at most; measured, and rounded up.
pub fn memory(program: &Program) -> u64 {
    if AVAILABLE { (4 << 20) + steps_until_it_pays(program) * 40 } else { 0 }
}

/// The machine code of a program; `None` if this build makes none, or if the computer does not let us.
#[cfg(all(feature = "native", target_arch = "x86_64"))]
pub fn compile(program: &Program, patience: u64) -> Option<Box<dyn Code>> {
    function::is_possible().then(|| -> Box<dyn Code> { Box::new(code::Pages::new(program, patience)) })
}

/// The machine code of a program: this build makes none.
#[cfg(not(all(feature = "native", target_arch = "x86_64")))]
pub fn compile(_: &Program, _: u64) -> Option<Box<dyn Code>> {
    None
}
