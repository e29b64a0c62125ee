//! The page of a comparison and its text for the terminal: what was compared, what came out, what to use.

use super::advice::Advice;
use super::computer;
use super::figures::{self, Data, Quoted, run_table};
use super::matrix::{Figure, Measured, Study};
use super::results::{Record, Results};
use super::runner::label;
use crate::report::html::{Block, Page};
use crate::report::number::{bytes, counted, thousands};
use std::fmt::Write;

/// All that is told.
pub(crate) struct Comparison<'a, 'r> {
    /// Name of the model.
    pub model: &'a str,
    /// The full state space.
    pub measured: Measured,
    /// Figures, and their runs.
    pub studies: &'a [Study],
    /// Figures that are not there or not whole, with the reason.
    pub left_out: &'a [(Figure, String)],
    /// What came out.
    pub results: &'r Results,
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
    /// For a model with errors: the runs that stop at the first one. They lack an option that all others have.
    pub errors: Option<(&'a Study, &'a Results)>,
    /// Whose time is told.
    pub quoted: Quoted,
}

impl Comparison<'_, '_> {
    /// The runs that belong to it, in the order of the figures, each once. Those to the first error are not among them.
    pub(crate) fn records(&self) -> Vec<&Record> {
        let mut records: Vec<&Record> = Vec::new();
        // These two are made in any case: sizes are shares of what they take.
        let measured = [vec!["--full".to_string()], ["--search", "bfs", "--full"].map(str::to_string).to_vec()];
        for options in measured.iter().chain(self.studies.iter().flat_map(Study::settings)) {
            if let Some(record) = self.results.get(options)
                && !records.iter().any(|known| known.options == record.options)
            {
                records.push(record);
            }
        }
        records
    }

    /// The runs that stopped at the first error.
    pub(crate) fn error_records(&self) -> Vec<&Record> {
        let Some((study, results)) = self.errors else { return Vec::new() };
        study.settings().filter_map(|options| results.get(options)).collect()
    }

    /// How many runs the page shows.
    pub(crate) fn runs(&self) -> u64 {
        (self.records().len() + self.error_records().len()) as u64
    }

    /// The settings whose times are told, of the runs that see the whole state space.
    pub(crate) fn quotes(&self) -> Vec<Vec<String>> {
        self.drawn();
        self.advice();
        self.quoted.take()
    }

    fn data(&self) -> Vec<Data<'_>> {
        let errors = self.errors.into_iter();
        let all = errors.chain(self.studies.iter().map(|study| (study, self.results)));
        let data = |(study, results)| Data {
            study,
            results,
            measured: &self.measured,
            factor: self.factor,
            quoted: &self.quoted,
        };
        all.map(data).collect()
    }

    fn advice(&self) -> Advice {
        let none = Study { figure: Figure::Custom, chains: Vec::new() };
        let any = Data {
            study: &none,
            results: self.results,
            measured: &self.measured,
            factor: self.factor,
            quoted: &self.quoted,
        };
        Advice::of(&any, &self.data(), &self.records())
    }

    fn drawn(&self) -> Vec<(Figure, figures::Drawn)> {
        self.data().iter().filter_map(|data| Some((data.study.figure, figures::draw(data)?))).collect()
    }

    /// The page.
    pub(crate) fn page(&self) -> Page {
        let records = self.records();
        let drawn = self.drawn();
        let advice = self.advice();
        // First of all, what a reader came for: which search, with how much memory.
        let mut blocks = vec![Block::Heading("Recommendation".into())];
        if !advice.lead.is_empty() {
            blocks.push(Block::Lead(advice.lead.clone()));
        }
        for (text, command) in &advice.parts {
            if !text.is_empty() {
                blocks.push(Block::Text(text.clone()));
            }
            blocks.extend(command.clone().map(Block::Command));
        }
        blocks.extend(advice.why.iter().cloned().map(Block::Text));
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
        let mut tables = vec![Block::Table(table)];
        let errors = self.error_records();
        if !errors.is_empty() {
            tables.push(Block::Table(run_table("Those that stop at the first error", &errors, &self.measured)));
        }
        let all = records.iter().chain(&errors);
        let commands = all.map(|record| record.command.clone()).collect::<Vec<_>>().join("\n");
        blocks.push(Block::Details(counted(self.runs(), "run", "runs"), tables));
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
        let errors = self.error_records();
        let finished = records.iter().chain(&errors).filter(|record| record.finished()).count() as u64;
        let mut text = format!(
            "The page shows {}; {} came to an end by themselves, the others gave up or ran out of room.",
            counted(self.runs(), "run", "runs"),
            thousands(finished)
        );
        if finished == self.runs() {
            text = format!("The page shows {}, and all came to an end.", counted(finished, "run", "runs"));
        }
        let least = records.iter().filter(|record| record.settled()).min_by_key(|record| record.memory_bytes);
        let full = records.iter().find(|record| record.options == ["--full"]);
        if let (Some(least), Some(full)) = (least, full)
            && least.memory_bytes < full.memory_bytes
        {
            let _ = write!(
                text,
                " The full depth-first search takes {} and {}; the least memory that still gave the answer is {}, in {} \
                 ({}).",
                bytes(full.memory_bytes),
                figures::time_text(full),
                bytes(least.memory_bytes),
                figures::time_text(least),
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
        let advice = self.advice();
        let _ = write!(text, "\nRecommendation\n  {}\n", advice.lead);
        for (sentence, command) in &advice.parts {
            text.push('\n');
            if !sentence.is_empty() {
                let _ = writeln!(text, "  {sentence}");
            }
            if let Some(command) = command {
                let _ = writeln!(text, "    {command}");
            }
        }
        text
    }
}
