//! A matrix of one's own: each option with the values it is to take, all combinations of them.
//!
//! ```toml
//! [[runs]]
//! search = "bfs"
//! cache = ["50%", "25%", 1000]
//! hub = [false, true]
//! ```
//!
//! The keys are the options of `pv check` without their dashes. `true` gives the option, `false` leaves it out. Per cent
//! are of the full state space, for `memory` of what the full breadth-first search took.

use super::matrix::{Chain, Measured, Point};
use toml::{Table, Value};

/// One block: options and the values that each takes.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Block {
    /// In the order given; an empty text leaves the option out.
    pub options: Vec<(String, Vec<String>)>,
}

/// A comparison may not have more runs than this: a typing error must not start a year's work.
const MOST_RUNS: usize = 10_000;

/// Reads a file.
pub(crate) fn parse(text: &str) -> Result<Vec<Block>, String> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| error.to_string().trim_end().to_string())?;
    let mut blocks = Vec::new();
    for (key, value) in table {
        let Value::Array(entries) = value else {
            return Err(format!("`{key}`: expected blocks that begin with [[runs]]"));
        };
        if key != "runs" {
            return Err(format!("`{key}`: the blocks are called [[runs]]"));
        }
        for entry in entries {
            let Value::Table(entry) = entry else {
                return Err("`runs`: expected blocks that begin with [[runs]]".into());
            };
            blocks.push(block(entry)?);
        }
    }
    if blocks.is_empty() {
        return Err("there is no [[runs]] block in it".into());
    }
    Ok(blocks)
}

fn block(table: Table) -> Result<Block, String> {
    let mut block = Block::default();
    for (option, value) in table {
        let values = match value {
            Value::Array(values) => values.iter().map(|value| text(&option, value)).collect::<Result<Vec<_>, _>>()?,
            value => vec![text(&option, &value)?],
        };
        block.add(option, values)?;
    }
    Ok(block)
}

fn text(option: &str, value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        Value::Boolean(given) => Ok(given.to_string()),
        _ => Err(format!("`{option}`: expected a text, a number, true, false or a list of these")),
    }
}

impl Block {
    /// From the command line: `cache=50%,10%`, `sleep=yes,no`.
    pub(crate) fn add_text(&mut self, text: &str) -> Result<(), String> {
        let (option, values) = text
            .split_once('=')
            .ok_or_else(|| format!("`{text}`: expected OPTION=VALUE,VALUE,… such as cache=50%,10%"))?;
        self.add(option.trim().into(), values.split(',').map(|value| value.trim().to_string()).collect())
    }

    fn add(&mut self, option: String, values: Vec<String>) -> Result<(), String> {
        let option = option.trim_start_matches('-').to_string();
        if option.is_empty() || !option.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-') {
            return Err(format!("`{option}` is not the name of an option"));
        }
        if values.is_empty() || values.iter().any(|value| value.is_empty() || value.contains(char::is_whitespace)) {
            return Err(format!("`{option}` needs one value or more, without blanks"));
        }
        self.options.push((option, values));
        Ok(())
    }

    /// All combinations; the option that varies most by size makes the curves.
    pub(crate) fn chains(&self, measured: &Measured) -> Result<Vec<Chain>, String> {
        let runs = self.options.iter().try_fold(1usize, |runs, (_, values)| runs.checked_mul(values.len()));
        if runs.is_none_or(|runs| runs > MOST_RUNS) {
            return Err(format!("the matrix has more than {MOST_RUNS} runs"));
        }
        let across = ["cache", "slots", "memory", "expect-states", "bits"]
            .into_iter()
            .find_map(|name| self.options.iter().position(|(option, values)| option == name && values.len() > 1));
        let mut combinations: Vec<(Vec<String>, Option<f64>)> = vec![(Vec::new(), None)];
        let mut order: Vec<usize> = (0..self.options.len()).filter(|&index| Some(index) != across).collect();
        order.extend(across);
        for index in order {
            let (option, values) = &self.options[index];
            let mut next = Vec::new();
            for (words, _) in &combinations {
                for value in values {
                    let mut words = words.clone();
                    let size = push(&mut words, option, value, measured)?;
                    next.push((words, size.filter(|_| Some(index) == across)));
                }
            }
            combinations = next;
        }
        let per_chain = across.map_or(1, |index| self.options[index].1.len());
        let chains = combinations.chunks(per_chain).map(|chunk| {
            let fixed = if across.is_some() { chunk[0].0.len().saturating_sub(2) } else { chunk[0].0.len() };
            let name = if fixed == 0 { "default".to_string() } else { chunk[0].0[..fixed].join(" ") };
            let points: Vec<Point> =
                chunk.iter().map(|(words, size)| Point { x: size.unwrap_or(0.0), options: words.clone() }).collect();
            Chain { name, patience: points.len(), points }
        });
        Ok(chains.collect())
    }
}

/// Adds one option; gives its value as a number.
fn push(words: &mut Vec<String>, option: &str, value: &str, measured: &Measured) -> Result<Option<f64>, String> {
    match value {
        "false" | "no" => return Ok(None),
        "true" | "yes" => {
            words.push(format!("--{option}"));
            return Ok(None);
        }
        _ => {}
    }
    let value = match value.strip_suffix('%') {
        None => value.to_string(),
        Some(percent) => {
            let percent: f64 = percent.parse().map_err(|_| format!("`{option}`: {value} is no number of per cent"))?;
            if !(percent > 0.0 && percent <= 1e6) {
                return Err(format!("`{option}`: {value} must be more than 0%"));
            }
            match option {
                "cache" | "slots" | "expect-states" => measured.percent(percent).to_string(),
                "memory" => {
                    let all = measured.bfs_memory.unwrap_or(measured.memory);
                    ((all as f64 * percent / 100.0) as u64).max(1).to_string()
                }
                _ => return Err(format!("`{option}` is not a size: {value} means nothing")),
            }
        }
    };
    words.extend([format!("--{option}"), value.clone()]);
    Ok(value.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEASURED: Measured = Measured {
        states: 2000,
        transitions: 5000,
        seconds: 1.0,
        memory: 4000,
        vector_bytes: 8,
        bfs_memory: Some(8000),
        depth: 0,
        shape: None,
    };

    fn lines(block: &Block) -> Vec<String> {
        let chains = block.chains(&MEASURED).expect("chains");
        chains.iter().flat_map(|chain| &chain.points).map(|point| point.options.join(" ")).collect()
    }

    #[test]
    fn a_block_is_all_its_combinations() {
        let blocks = parse("[[runs]]\nsearch = 'bfs'\ncache = ['50%', 100]\nhub = [false, true]\n").expect("reads");
        assert_eq!(
            lines(&blocks[0]),
            [
                "--search bfs --cache 1000",
                "--search bfs --cache 100",
                "--search bfs --hub --cache 1000",
                "--search bfs --hub --cache 100"
            ]
        );
        let chains = blocks[0].chains(&MEASURED).expect("chains");
        assert_eq!(
            chains.iter().map(|chain| chain.name.as_str()).collect::<Vec<_>>(),
            ["--search bfs", "--search bfs --hub"]
        );
        assert_eq!(chains[0].points.iter().map(|point| point.x).collect::<Vec<_>>(), [1000.0, 100.0]);
    }

    #[test]
    fn the_command_line_says_the_same() {
        let mut block = Block::default();
        block.add_text("sleep=yes,no").expect("reads");
        block.add_text("memory=25%").expect("reads");
        assert_eq!(lines(&block), ["--sleep --memory 2000", "--memory 2000"]);
    }

    #[test]
    fn nonsense_is_refused_in_words() {
        for text in
            ["", "x = 1", "[[run]]\na = 1", "[[runs]]\ncache = []", "[[runs]]\ncache = {a = 1}", "[[runs]", "[runs]"]
        {
            assert!(parse(text).is_err(), "{text}");
        }
        for text in ["cache", "=5", "cache=", "ca che=5", "cache=1,,2"] {
            assert!(Block::default().add_text(text).is_err(), "{text}");
        }
        let mut block = Block::default();
        block.add_text("seed=5%").expect("reads");
        assert!(block.chains(&MEASURED).is_err());
        let mut block = Block::default();
        for _ in 0..20 {
            block.add_text("a=1,2,3").expect("reads");
        }
        assert!(block.chains(&MEASURED).is_err_and(|message| message.contains("runs")));
    }
}
