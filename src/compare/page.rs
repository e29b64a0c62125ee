//! The page of a comparison and its text for the terminal: what was compared, what came out, what to use.

use super::computer;
use super::figures::{self, Data, run_table, seconds_text};
use super::matrix::{Figure, Measured, Study};
use super::results::{Record, Results};
use super::runner::label;
use crate::report::html::{Block, Page};
use crate::report::number::{bytes, counted, thousands};
use std::fmt::Write;

/// All that is told.
pub(crate) struct Comparison<'a> {
    /// Name of the model.
    pub model: &'a str,
    /// The full state space.
    pub measured: Measured,
    /// Figures, and their runs.
    pub studies: &'a [Study],
    /// Figures that are not there or not whole, with the reason.
    pub left_out: &'a [(Figure, String)],
    /// What came out.
    pub results: &'a Results,
    /// Of every random choice.
    pub seed: u64,
    /// Options that every run has.
    pub common: &'a [String],
    /// The command of the comparison itself.
    pub command: &'a str,
    /// Bound on transitions, in times the full search's.
    pub factor: f64,
    /// Something about the model that the reader must know.
    pub remarks: &'a [String],
}

impl Comparison<'_> {
    /// The runs that belong to it, in the order of the figures, each once.
    pub(crate) fn records(&self) -> Vec<&Record> {
        let mut records: Vec<&Record> = Vec::new();
        let full = vec!["--full".to_string()];
        for options in std::iter::once(&full).chain(self.studies.iter().flat_map(Study::settings)) {
            if let Some(record) = self.results.get(options)
                && !records.iter().any(|known| known.options == record.options)
            {
                records.push(record);
            }
        }
        records
    }

    fn drawn(&self) -> Vec<(Figure, figures::Drawn)> {
        let draw = |study: &Study| {
            let data = Data { study, results: self.results, measured: &self.measured, factor: self.factor };
            Some((study.figure, figures::draw(&data)?))
        };
        self.studies.iter().filter_map(draw).collect()
    }

    /// The page.
    pub(crate) fn page(&self) -> Page {
        let records = self.records();
        let drawn = self.drawn();
        let advice = Advice::of(&records);
        // First of all, what a reader came for: which search, with how much memory.
        let mut blocks = vec![Block::Heading("Recommendation".into())];
        let caches = drawn.iter().filter(|(figure, _)| *figure == Figure::Caches);
        blocks.extend(caches.map(|(_, drawn)| Block::Text(drawn.sentence.clone())));
        blocks.extend(advice.sentences.iter().cloned().map(Block::Text));
        blocks.extend(advice.command.clone().map(Block::Command));
        blocks.push(Block::Facts(self.facts()));
        blocks.push(Block::Heading("Summary".into()));
        blocks.extend(self.summary(&records).into_iter().map(Block::Text));
        blocks.extend(self.remarks.iter().cloned().map(Block::Text));
        for (figure, drawn) in drawn {
            blocks.push(Block::Heading(figure.heading().into()));
            blocks.extend(drawn.blocks);
            if !figure.source().is_empty() {
                blocks.push(Block::Note(format!("This figure is made {}.", figure.source())));
            }
        }
        if !self.left_out.is_empty() {
            blocks.push(Block::Heading("Not shown, or not whole".into()));
            for (figure, reason) in self.left_out {
                blocks.push(Block::Text(format!("{} (--figure {}): {reason}.", figure.heading(), figure.name())));
            }
        }
        blocks.push(Block::Heading("All runs".into()));
        blocks.push(Block::Text(
            "Each run is one pv check with these options; the command lines give the same counts again.".into(),
        ));
        let table = run_table("", &records, &self.measured);
        let commands = records.iter().map(|record| record.command.clone()).collect::<Vec<_>>().join("\n");
        blocks.push(Block::Details(counted(records.len() as u64, "run", "runs"), vec![Block::Table(table)]));
        blocks.push(Block::Details("Command lines".into(), vec![Block::Command(commands)]));
        blocks.push(Block::Note(format!("Made by: {}", self.command)));
        Page {
            title: format!("Comparing searches on {}", self.model),
            subtitle: format!("pv {}", env!("CARGO_PKG_VERSION")),
            blocks,
        }
    }

    fn facts(&self) -> Vec<(String, String)> {
        let fact = |name: &str, value: String| (name.to_string(), value);
        let mut facts = vec![
            fact("Model", self.model.into()),
            fact(
                "State space",
                format!(
                    "{} states, {} transitions, {} bytes in the longest state vector",
                    thousands(self.measured.states),
                    thousands(self.measured.transitions),
                    self.measured.vector_bytes
                ),
            ),
            fact("Seed", self.seed.to_string()),
            fact("Machine", computer::describe()),
            fact("Version", format!("pv {}", env!("CARGO_PKG_VERSION"))),
        ];
        if !self.common.is_empty() {
            facts.insert(2, fact("Every run has", self.common.join(" ")));
        }
        facts
    }

    fn summary(&self, records: &[&Record]) -> Vec<String> {
        let finished = records.iter().filter(|record| record.finished()).count() as u64;
        let mut text = format!(
            "{} of this model {} made; {} came to an end by themselves, the others gave up or ran out of room.",
            counted(records.len() as u64, "run", "runs"),
            if records.len() == 1 { "was" } else { "were" },
            thousands(finished)
        );
        if finished == records.len() as u64 {
            text = format!("{} of this model were made, and all came to an end.", counted(finished, "run", "runs"));
        }
        let least = records.iter().filter(|record| record.verified()).min_by_key(|record| record.memory_bytes);
        let full = records.iter().find(|record| record.options == ["--full"]);
        if let (Some(least), Some(full)) = (least, full)
            && least.memory_bytes < full.memory_bytes
        {
            let _ = write!(
                text,
                " The full depth-first search takes {} and {}; the least memory that still verified the model is {}, in {} \
                 ({}).",
                bytes(full.memory_bytes),
                seconds_text(full.seconds),
                bytes(least.memory_bytes),
                seconds_text(least.seconds),
                label(&least.options)
            );
        }
        vec![text]
    }

    /// The text for the terminal.
    pub(crate) fn text(&self) -> String {
        let records = self.records();
        let table = run_table("", &records, &self.measured);
        let mut text = String::new();
        let widths: Vec<usize> = (0..table.head.len())
            .map(|column| {
                let cells = table.rows.iter().map(|row| row[column].chars().count());
                cells.chain([table.head[column].chars().count()]).max().unwrap_or(0)
            })
            .collect();
        for row in std::iter::once(&table.head).chain(&table.rows) {
            for (column, cell) in row.iter().enumerate() {
                let (width, gap) = (widths[column], if column == 0 { "" } else { "  " });
                // Padded by characters: `×` and `µ` are wider in bytes than on the screen.
                let fill = " ".repeat(width.saturating_sub(cell.chars().count()));
                let cell = if column < table.text_columns { format!("{cell}{fill}") } else { format!("{fill}{cell}") };
                let _ = write!(text, "{gap}{cell}");
            }
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
        for (figure, drawn) in self.drawn() {
            let _ = write!(text, "\n{}\n  {}\n", figure.heading(), drawn.sentence);
        }
        for remark in self.remarks {
            let _ = write!(text, "\n{remark}\n");
        }
        for (figure, reason) in self.left_out {
            let _ =
                write!(text, "\nNot shown or not whole: {} (--figure {}): {reason}\n", figure.heading(), figure.name());
        }
        let advice = Advice::of(&records);
        let _ = write!(text, "\nRecommendation\n  {}\n", advice.sentences.join(" "));
        if let Some(command) = advice.command {
            let _ = write!(text, "\n  {command}\n");
        }
        text
    }
}

/// What to use.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Advice {
    /// In words.
    pub sentences: Vec<String>,
    /// To copy.
    pub command: Option<String>,
}

impl Advice {
    /// The cheapest setting that verified the model. What a search costs is memory for as long as it runs: bytes times
    /// seconds. The fastest and the smallest one are told too, for those who are short of one of the two.
    pub(crate) fn of(records: &[&Record]) -> Advice {
        let verified: Vec<&&Record> = records.iter().filter(|record| record.verified()).collect();
        let cost = |record: &Record| record.memory_bytes.max(1) as f64 * record.seconds.max(1e-6);
        let Some(cheapest) = verified.iter().min_by(|a, b| cost(a).total_cmp(&cost(b))) else {
            return Advice::without_proof(records);
        };
        let of = |record: &Record| format!("{} for {}", bytes(record.memory_bytes), seconds_text(record.seconds));
        let mut sentences = vec![format!(
            "Of {} that verified the model, the cheapest in memory times time takes {}: {}.",
            counted(verified.len() as u64, "setting", "settings"),
            of(cheapest),
            label(&cheapest.options)
        )];
        if let Some(fastest) = verified.iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds))
            && fastest.options != cheapest.options
        {
            sentences.push(format!("The fastest takes {}: {}.", of(fastest), label(&fastest.options)));
        }
        if let Some(smallest) = verified.iter().min_by_key(|record| record.memory_bytes)
            && smallest.options != cheapest.options
        {
            sentences.push(format!("The one with least memory takes {}: {}.", of(smallest), label(&smallest.options)));
        }
        Advice { sentences, command: Some(cheapest.command.clone()) }
    }

    fn without_proof(records: &[&Record]) -> Advice {
        let violated = records.iter().filter(|record| record.verdict == "violated");
        match violated.min_by(|a, b| a.seconds.total_cmp(&b.seconds)) {
            Some(record) => Advice {
                sentences: vec![format!(
                    "The model is not right: every search that came to an end found errors. The fastest took {}: {}.",
                    seconds_text(record.seconds),
                    label(&record.options)
                )],
                command: Some(record.command.clone()),
            },
            None => Advice {
                sentences: vec![
                    "No setting verified the model within its budget; more time for each run \
                                 (--time-per-run) or more memory may."
                        .into(),
                ],
                command: None,
            },
        }
    }
}
