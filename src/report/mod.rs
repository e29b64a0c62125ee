//! What the user gets to see: outcomes as [`text`] and [`json`], counterexamples as [`trail`] files and message sequence
//! [`chart`]s, [`progress`] while a search runs. Nothing here searches; only the [`recorder`] executes, and only what it is
//! told to.

pub(crate) mod chart;
pub(crate) mod cycle;
pub(crate) mod formats;
pub(crate) mod html;
pub(crate) mod json;
pub(crate) mod number;
pub(crate) mod plot;
pub(crate) mod progress;
pub(crate) mod recorder;
mod setting;
pub(crate) mod text;
pub(crate) mod trail;
pub(crate) mod unreached;
pub(crate) mod written;

#[cfg(test)]
pub(crate) use setting::Checks;
pub(crate) use setting::Setting;

use crate::model::Model;
use crate::search::outcome::{Limit, Outcome, Retraction, Shortness, Verdict};
use crate::source::{SourceMap, Span};

/// One search of a check: that of a property, or the only one.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    /// The property that was checked, by name.
    pub property: Option<String>,
    /// What came out.
    pub outcome: Outcome,
    /// What is said of the property, where that is not the verdict of the search: an error of the model that is met on the
    /// way is none of the property.
    pub of_property: Option<Verdict>,
    /// For each of the outcome's violations the trail file, if one was written.
    pub trails: Vec<Option<String>>,
    /// For each of the outcome's violations that is a cycle, what is told of it.
    pub cycles: Vec<Option<cycle::CycleStory>>,
    /// For each of the outcome's violations its steps in words, where a format shows them.
    pub paths: Vec<formats::Path>,
    /// Where an incomplete search can be gone on from.
    pub checkpoint: Option<Checkpoint>,
}

/// A checkpoint of a search that has not ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Checkpoint {
    /// The file.
    pub file: String,
    /// It was written before the search stopped, and what was done since is not in it.
    pub earlier: bool,
}

/// All that is to be reported about a check.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Report<'a> {
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
    pub(crate) fn deciding(&self) -> Option<&'a Run> {
        let weight = |run: &Run| match run.outcome.verdict {
            Verdict::Violated => 0,
            Verdict::Incomplete(_) => 1,
            Verdict::NoErrorFound => 2,
            Verdict::Verified(_) => 3,
        };
        self.runs.iter().min_by_key(|run| weight(run))
    }

    /// The exit code.
    pub(crate) fn exit_code(&self) -> u8 {
        self.deciding().map_or(0, |run| run.outcome.verdict.exit_code())
    }

    /// File and line of a span; `None` if it lies in no file (text made by pv itself).
    pub(crate) fn place(&self, span: Span) -> Option<(&'a str, u32)> {
        place(self.map, span)
    }

    /// The search of this run looked at all it could reach, so what was not reached in it is worth telling.
    pub(crate) fn ran_through(&self, run: &Run) -> bool {
        match run.outcome.verdict {
            Verdict::Verified(_) | Verdict::NoErrorFound => true,
            Verdict::Violated => self.setting.all_errors && run.outcome.stopped.is_none(),
            Verdict::Incomplete(_) => false,
        }
    }
}

/// File and line of a span; `None` if it lies in no file.
pub(crate) fn place(map: &SourceMap, span: Span) -> Option<(&str, u32)> {
    let site = map.use_site(span);
    let file = map.files().get(site.file.0 as usize)?;
    Some((&file.name, file.line_column(site.start).0))
}

/// What ended a search early and what would have been needed, in a sentence without a full stop.
pub(crate) fn reason(limit: &Limit) -> String {
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
        Limit::Revisits { rate, bound, helps } => format!(
            "the cache forgets too much: {:.1}% of the states stored had been stored before, allowed {:.1}% \
             (--max-collision-rate {}); {helps} may give an answer",
            f64::from(*rate) / 10.0,
            f64::from(*bound) / 10.0,
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
        Limit::Gone(what) => what.clone(),
        Limit::Internal(what) => format!("internal error: {what}"),
    }
}

/// How short a counterexample is, in a sentence without a full stop.
pub(crate) fn shortness(shortness: &Shortness) -> String {
    match shortness {
        Shortness::Shortest => "this is a shortest counterexample: no error is reached in fewer moves".into(),
        Shortness::ShortLasso => {
            "a shortest way to this cycle, and a shortest way round from there; another cycle may be nearer".into()
        }
        Shortness::ShortWay => "a shortest way to this cycle; the cycle itself is as it was found".into(),
        Shortness::Unfinished(limit) => {
            format!(
                "this counterexample may not be a shortest one: the search for a shorter one has ended early: {}",
                reason(limit)
            )
        }
        Shortness::AsFound => "this counterexample is as it was found: no shorter one is known".into(),
    }
}

#[cfg(test)]
pub(crate) mod sample;
