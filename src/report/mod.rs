//! What the user gets to see: outcomes as [`text`] and [`json`], counterexamples as [`trail`] files and message sequence
//! [`chart`]s, [`progress`] while a search runs. Nothing here searches; only the [`recorder`] executes, and only what it is
//! told to.

pub mod chart;
pub mod html;
pub mod json;
pub mod number;
pub mod plot;
pub mod progress;
pub mod recorder;
pub mod text;
pub mod trail;
pub mod unreached;

use crate::model::Model;
use crate::search::outcome::{Limit, Outcome, Retraction, Verdict};
use crate::source::{SourceMap, Span};
use serde::Serialize;

/// How it was searched: the `search` object of the JSON report, told in words by the text report.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Setting {
    /// `dfs` or `bfs`.
    pub algorithm: &'static str,
    /// `exact`, `compact` or `bloom`.
    pub store: &'static str,
    /// Sleep sets.
    pub sleep: bool,
    /// Persistent sets.
    pub por: bool,
    /// The reduction keeps deadlocks only.
    #[serde(skip_serializing_if = "is_false")]
    pub deadlocks_only: bool,
    /// Most states held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<u64>,
    /// Replacement of a depth-first cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replace: Option<String>,
    /// Signature bits or hash functions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bits: Option<u32>,
    /// Slots of a compact store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slots: Option<u64>,
    /// Length of the chain of first successors.
    #[serde(skip_serializing_if = "is_zero")]
    pub pod: u32,
    /// Runs with independent hash functions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeat: Option<u32>,
    /// Two-level breadth-first cache.
    #[serde(skip_serializing_if = "is_false")]
    pub hub: bool,
    /// Visited states on disk.
    #[serde(skip_serializing_if = "is_false")]
    pub disk: bool,
    /// Cache first, then disk.
    #[serde(skip_serializing_if = "is_false")]
    pub serial: bool,
    /// Bound on the path length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_depth: Option<u64>,
    /// Budget in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// Budget in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
    /// Every error is counted.
    #[serde(skip_serializing_if = "is_false")]
    pub all_errors: bool,
    /// Weak fairness.
    #[serde(skip_serializing_if = "is_false")]
    pub fair: bool,
    /// Of every random choice.
    pub seed: u64,
    /// What was looked for.
    #[serde(skip)]
    pub checks: Checks,
}

/// What was looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Checks {
    /// Assertions.
    pub assertions: bool,
    /// Invalid end states.
    pub end_states: bool,
    /// They were asked for, but a search for cycles does not judge them.
    pub end_states_left: bool,
    /// Acceptance cycles.
    pub acceptance: bool,
    /// An end state must have empty channels.
    pub strict_channels: bool,
    /// Claims, if the model has any.
    pub claims: bool,
    /// Non-progress cycles.
    pub non_progress: bool,
}

/// One search of a check: that of a property, or the only one.
#[derive(Clone, Debug)]
pub struct Run {
    /// The property that was checked, by name.
    pub property: Option<String>,
    /// What came out.
    pub outcome: Outcome,
    /// What is said of the property, where that is not the verdict of the search: an error of the model that is met on the
    /// way is none of the property.
    pub of_property: Option<Verdict>,
    /// For each of the outcome's violations the trail file, if one was written.
    pub trails: Vec<Option<String>>,
    /// Where an incomplete search can be gone on from.
    pub checkpoint: Option<Checkpoint>,
}

/// A checkpoint of a search that has not ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checkpoint {
    /// The file.
    pub file: String,
    /// It was written before the search stopped, and what was done since is not in it.
    pub earlier: bool,
}

/// All that is to be reported about a check.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// Where the text came from.
    pub map: &'a SourceMap,
    /// The model.
    pub model: &'a Model,
    /// How it was searched.
    pub setting: &'a Setting,
    /// One search for each property, at least one.
    pub runs: &'a [Run],
    /// Seconds from text to model.
    pub compile_seconds: f64,
    /// Preprocessor arguments as they have to be repeated for a replay: `-DN=3`.
    pub arguments: &'a [String],
}

impl<'a> Report<'a> {
    /// The run whose verdict is the verdict of the whole: the first violated one, else the first incomplete one, else
    /// the first that may have omitted something, else the first.
    pub fn deciding(&self) -> Option<&'a Run> {
        let weight = |run: &Run| match run.outcome.verdict {
            Verdict::Violated => 0,
            Verdict::Incomplete(_) => 1,
            Verdict::NoErrorFound => 2,
            Verdict::Verified(_) => 3,
        };
        self.runs.iter().min_by_key(|run| weight(run))
    }

    /// The exit code.
    pub fn exit_code(&self) -> u8 {
        self.deciding().map_or(0, |run| run.outcome.verdict.exit_code())
    }

    /// File and line of a span; `None` if it lies in no file (text made by pv itself).
    pub fn place(&self, span: Span) -> Option<(&'a str, u32)> {
        place(self.map, span)
    }

    /// The search of this run looked at all it could reach, so what was not reached in it is worth telling.
    pub fn ran_through(&self, run: &Run) -> bool {
        match run.outcome.verdict {
            Verdict::Verified(_) | Verdict::NoErrorFound => true,
            Verdict::Violated => self.setting.all_errors && run.outcome.stopped.is_none(),
            Verdict::Incomplete(_) => false,
        }
    }
}

/// File and line of a span; `None` if it lies in no file.
pub fn place(map: &SourceMap, span: Span) -> Option<(&str, u32)> {
    let site = map.use_site(span);
    let file = map.files().get(site.file.0 as usize)?;
    Some((&file.name, file.line_column(site.start).0))
}

/// What ended a search early and what would have been needed, in a sentence without a full stop.
pub fn reason(limit: &Limit) -> String {
    use number::{bytes, thousands};
    match limit {
        Limit::Memory { used, budget } => format!(
            "the memory budget is used up: the tables need {} beside the program itself, out of {}; a larger --memory, or a search that needs less (--cache N, \
             --store compact, --store bloom), may give an answer",
            bytes(*used),
            bytes(*budget)
        ),
        Limit::NoRoom { bytes: wanted } => {
            format!("the system has no room for a table of {}; a smaller one may give an answer", bytes(*wanted))
        }
        Limit::Depth(bound) => format!(
            "paths were cut off at depth {} (--max-depth); what lies behind them was not looked at",
            thousands(*bound)
        ),
        Limit::CacheBelowStack { cache, needed } => format!(
            "the path alone needs more states than the cache holds: {} so far, --cache {}",
            thousands(*needed),
            thousands(*cache)
        ),
        Limit::TableFull { slots } => {
            format!(
                "the table is full: all of its {} slots are taken; a larger --slots or --memory is needed",
                thousands(*slots)
            )
        }
        Limit::CollisionRate { rate, bound } => format!(
            "the cache forgets too much: collision rate {:.3}, allowed {:.3} (--max-collision-rate); a larger --cache, \
             or --hub, --disk or --serial, may give an answer",
            f64::from(*rate) / 1000.0,
            f64::from(*bound) / 1000.0
        ),
        Limit::Interrupted => "interrupted".into(),
        Limit::Time(budget) => format!(
            "the time budget of {} is used up (--time); more time, or a search that needs less, may give an answer",
            number::seconds(*budget)
        ),
        Limit::File(what) => format!("a file could not be read or written: {what}"),
        Limit::ModelError(what) => format!(
            "an error of the model ends the search before the property is decided: {what}; mend it and check again"
        ),
        Limit::Retract(Retraction::Births) => "a reduction assumes a bound on births, and there is none".into(),
        Limit::Retract(Retraction::ChannelClaim(how)) => format!("a reduction relies on xr and xs, but: {how}"),
        Limit::Internal(what) => format!("internal error: {what}"),
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

fn is_zero(value: &u32) -> bool {
    *value == 0
}

#[cfg(test)]
pub(crate) mod sample;
