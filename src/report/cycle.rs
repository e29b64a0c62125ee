//! A cycle in a sentence: which steps repeat, and which process is left behind.

use crate::source::visible::visible;
use serde::Serialize;

/// What is told of a cycle.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct CycleStory {
    /// The processes that move, each with its statements, in the order in which they come. A statement is named once.
    pub repeats: Vec<Mover>,
    /// Processes that can move in every state of the cycle and never do.
    pub starved: Vec<String>,
    /// Processes that can move in some states of the cycle, not in all, and never do.
    pub sometimes_starved: Vec<String>,
    /// No process is starved.
    pub weakly_fair: bool,
    /// All of it in a sentence.
    pub text: String,
}

/// A process that moves in a cycle.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Mover {
    /// `P(0)`.
    pub process: String,
    /// Its statements.
    pub statements: Vec<String>,
}

/// Statements of a process are named one by one up to this number.
const MOST_STATEMENTS: usize = 3;
/// Processes are named one by one up to this number.
const MOST_PROCESSES: usize = 4;

impl CycleStory {
    /// `steps`: process and statement of each step of the cycle, without those of the claim.
    pub(crate) fn new(
        steps: impl IntoIterator<Item = (String, String)>,
        starved: Vec<String>,
        sometimes_starved: Vec<String>,
    ) -> CycleStory {
        let mut repeats: Vec<Mover> = Vec::new();
        let mut count = 0;
        for (process, statement) in steps {
            count += 1;
            let known = repeats.iter().position(|mover| mover.process == process);
            let at = known.unwrap_or_else(|| {
                repeats.push(Mover { process, statements: Vec::new() });
                repeats.len() - 1
            });
            if !repeats[at].statements.contains(&statement) {
                repeats[at].statements.push(statement);
            }
        }
        let text = sentence(&repeats, count, &starved, &sometimes_starved);
        CycleStory { weakly_fair: starved.is_empty(), repeats, starved, sometimes_starved, text }
    }
}

fn sentence(repeats: &[Mover], steps: usize, starved: &[String], sometimes: &[String]) -> String {
    let mut text = match repeats {
        [] => return "nothing can move any more: the run stays where it is for ever".into(),
        _ if is_short(repeats) => {
            let movers = repeats.iter().map(|mover| {
                let statements: Vec<String> =
                    mover.statements.iter().map(|statement| format!("`{}`", visible(statement))).collect();
                format!("{} repeats {}", mover.process, listed(&statements))
            });
            movers.collect::<Vec<_>>().join(", ")
        }
        _ => {
            let names: Vec<String> = repeats.iter().map(|mover| mover.process.clone()).collect();
            let verb = if names.len() == 1 { "repeats" } else { "repeat" };
            format!("{} {verb} the same {steps} steps", listed(&names))
        }
    };
    text.push_str(" for ever");
    let verb = |names: &[String]| if names.len() == 1 { "does" } else { "do" };
    if !starved.is_empty() {
        text += &format!(
            "; {} could move in every state of the cycle and never {}, so the run is not weakly fair (--fair leaves such runs out)",
            listed(starved),
            verb(starved)
        );
    } else if !sometimes.is_empty() {
        text +=
            &format!("; {} could move in some states of the cycle and never {}", listed(sometimes), verb(sometimes));
    }
    text
}

/// Few enough to be named one by one?
fn is_short(repeats: &[Mover]) -> bool {
    repeats.len() <= 2 && repeats.iter().all(|mover| mover.statements.len() <= MOST_STATEMENTS)
}

/// `a`, `a and b`, `a, b and c`; the end of a long list is counted.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        _ if names.len() > MOST_PROCESSES => {
            let shown = names[..MOST_PROCESSES - 1].join(", ");
            format!("{shown} and {} more", names.len() - (MOST_PROCESSES - 1))
        }
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_string).collect()
    }

    fn told(steps: &[(&str, &str)], starved: &str, sometimes: &str) -> String {
        let steps = steps.iter().map(|(who, what)| (who.to_string(), what.to_string()));
        CycleStory::new(steps, names(starved), names(sometimes)).text
    }

    #[test]
    fn a_sentence_for_each_cycle() {
        let short = [("P(0)", "x = 1"), ("P(0)", "x = 0"), ("P(0)", "x = 1")];
        assert_eq!(told(&short, "", ""), "P(0) repeats `x = 1` and `x = 0` for ever");
        assert_eq!(
            told(&short, "Q(1)", "R(2)"),
            "P(0) repeats `x = 1` and `x = 0` for ever; Q(1) could move in every state of the cycle and never does, so the \
             run is not weakly fair (--fair leaves such runs out)"
        );
        assert_eq!(
            told(&short, "", "Q(1) R(2)"),
            "P(0) repeats `x = 1` and `x = 0` for ever; Q(1) and R(2) could move in some states of the cycle and never do"
        );
        let long = [("P(0)", "a"), ("Q(1)", "b"), ("R(2)", "c"), ("P(0)", "a")];
        assert_eq!(told(&long, "", ""), "P(0), Q(1) and R(2) repeat the same 4 steps for ever");
        assert_eq!(told(&[], "", ""), "nothing can move any more: the run stays where it is for ever");
        assert_eq!(listed(&names("a b c d e")), "a, b, c and 2 more");
    }
}
