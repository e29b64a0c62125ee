//! Which command wrote a checkpoint, and for which model: what must be known before the search itself can be read.
//!
//! The options of the command are a type of the command line, which this room does not know; they are read and written
//! through `serde`.

use super::container::Reader;
use super::section;
use crate::limit::Limit;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Where a checkpoint comes from.
#[derive(Debug, Serialize, Deserialize)]
pub struct Origin<Options> {
    /// The version of pv that wrote it.
    pub pv: String,
    /// The fingerprint of the model, see [`Model::fingerprint`](crate::model::Model::fingerprint).
    pub fingerprint: u64,
    /// The options of the command.
    pub options: Options,
    /// The folder in which the command ran: paths among the options are relative to it.
    pub folder: PathBuf,
}

impl<Options: Serialize + DeserializeOwned> Origin<Options> {
    /// The origin of checkpoints that this process writes.
    pub fn here(fingerprint: u64, options: Options) -> Self {
        let pv = env!("CARGO_PKG_VERSION").to_string();
        Origin { pv, fingerprint, options, folder: std::env::current_dir().unwrap_or_default() }
    }

    /// The origin as the text that a [schedule](super::CheckpointSchedule) carries.
    pub fn to_text(&self) -> Result<String, String> {
        serde_json::to_string(self).map_err(|error| format!("the options cannot be written into a checkpoint: {error}"))
    }

    /// The origin of a checkpoint.
    pub fn read(reader: &mut Reader) -> Result<Self, Limit> {
        let text: String = reader.value(section::ORIGIN)?;
        serde_json::from_str(&text).map_err(|error| reader.refuse(&format!("its options cannot be read: {error}")))
    }

    /// Refuses the checkpoint unless it is of the model with this name and fingerprint.
    pub fn must_be_of(&self, (name, fingerprint): (&str, u64), reader: &Reader) -> Result<(), Limit> {
        if self.fingerprint == fingerprint {
            return Ok(());
        }
        Err(reader.refuse(&format!(
            "it is of another model: its fingerprint is {:016x}, that of {name} is {fingerprint:016x} (was the model changed?)",
            self.fingerprint
        )))
    }
}
