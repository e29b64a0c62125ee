//! `printf` and `printm`. A search does not listen and pays only for the arguments (an index out of range there is an
//! error as anywhere); a replay or simulation listens and gets the values.

use super::program::Ex;
use super::{Machine, Me};
use crate::model::{FormatPiece, Model};
use std::fmt::Write;
use std::sync::Arc;

/// A compiled `printf`.
#[derive(Clone, Debug)]
pub struct Print {
    /// The text and its conversions.
    pub pieces: Arc<[FormatPiece]>,
    /// One value for each conversion.
    pub values: Vec<Ex>,
}

/// Something that was printed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Printed {
    /// Who printed it.
    pub pid: usize,
    /// The text and its conversions.
    pub pieces: Arc<[FormatPiece]>,
    /// The values.
    pub values: Vec<i32>,
}

impl Printed {
    /// The text, as SPIN prints it.
    pub fn text(&self, model: &Model) -> String {
        let mut text = String::new();
        let mut values = self.values.iter().copied();
        for piece in self.pieces.iter() {
            if let FormatPiece::Text(plain) = piece {
                text.push_str(plain);
                continue;
            }
            // Fewer values than conversions is refused by sema.
            let value = values.next().unwrap_or(0);
            let _ = match piece {
                FormatPiece::Text(_) => Ok(()),
                FormatPiece::Decimal => write!(text, "{value}"),
                FormatPiece::Unsigned => write!(text, "{}", value as u32),
                FormatPiece::Octal => write!(text, "{value:o}"),
                FormatPiece::Hex => write!(text, "{value:x}"),
                FormatPiece::Char => write!(text, "{}", char::from(value as u8)),
                FormatPiece::Mtype(set) => {
                    let names = model.mtypes.get(usize::from(*set)).map(|set| &set.names);
                    let index = usize::try_from(value).ok().and_then(|value| value.checked_sub(1));
                    match names.zip(index).and_then(|(names, index)| names.get(index)) {
                        Some(name) => write!(text, "{name}"),
                        None => write!(text, "{value}"),
                    }
                }
            };
        }
        text
    }
}

impl Machine<'_> {
    /// From now on, [`Machine::take_printed`] has what is printed (or no longer).
    pub fn listen(&mut self, listen: bool) {
        self.printed = listen.then(Vec::new);
    }

    /// What was printed since the last call.
    pub fn take_printed(&mut self) -> Vec<Printed> {
        self.printed.as_mut().map(std::mem::take).unwrap_or_default()
    }

    pub(super) fn print(&mut self, me: Me, print: &Print) {
        let Some(mut printed) = self.printed.take() else {
            for value in &print.values {
                self.eval(me, value);
            }
            return;
        };
        let values = print.values.iter().map(|value| self.eval(me, value)).collect();
        printed.push(Printed { pid: me.pid as usize, pieces: print.pieces.clone(), values });
        self.printed = Some(printed);
    }
}
