//! `--shortest`: a shorter counterexample for an error that the search of a plan has found.
//!
//! For assertions and end states a breadth-first search over an exact store follows, within the same budgets; its first error
//! is one that is reached in the fewest moves. A cycle is made shorter by [`shorten`]. What cannot be shown to be short is kept as
//! it was found, and the outcome says so.

use super::{BreadthFirst, Plan, Reductions, Search};
use crate::model::Model;
use crate::search::cycles::shorten::shorten;
use crate::search::monitor::Monitor;
use crate::search::outcome::{Outcome, Shortness, Verdict, Violation};
use std::time::Instant;

impl Plan {
    /// Puts a shorter counterexample in the place of the one that was found, if there is one.
    pub(super) fn shorten(&self, model: &Model, monitor: &mut Monitor<'_>, outcome: &mut Outcome) {
        let [found] = &mut outcome.violations[..] else { return };
        outcome.shortness = Some(match found.cycle_start {
            _ if !matches!(self.search, Search::Cycles(_)) => {
                let again = self.breadth_first_again().execute(model, monitor);
                outcome.memory = outcome.memory.max(again.memory);
                outcome.seconds += again.seconds;
                shortness_of(found, again)
            }
            Some(_) => {
                let start = Instant::now();
                let shortness = self.shorten_cycle(model, monitor, found);
                outcome.seconds += start.elapsed().as_secs_f64();
                shortness
            }
            // In a search for cycles the claim has come to its end, or the model has an error.
            None => Shortness::AsFound,
        });
    }

    /// The search for a shortest counterexample. Merged steps would count as one move.
    fn breadth_first_again(&self) -> Plan {
        Plan {
            shortest: false,
            assertions: self.judged_assertions(),
            statics: Reductions { merging: false, ..self.statics },
            search: Search::Breadth(BreadthFirst { max_depth: self.search.max_depth(), ..BreadthFirst::default() }),
            ..self.clone()
        }
    }

    fn shorten_cycle(&self, model: &Model, monitor: &Monitor<'_>, found: &mut Violation) -> Shortness {
        // Progress has a claim of its own, which is part of the program.
        let (_, program) = self.property().compile(model);
        let fair = self.search.is_fair();
        match shorten(&program, self.settings().rules, fair, found, monitor.patience()) {
            Some(shorter) => {
                *found = shorter;
                if fair { Shortness::ShortWay } else { Shortness::ShortLasso }
            }
            None => monitor.must_end().map_or(Shortness::AsFound, Shortness::Unfinished),
        }
    }
}

/// Takes over what a breadth-first search has found.
fn shortness_of(found: &mut Violation, again: Outcome) -> Shortness {
    // A search under a claim may meet an error of the model first.
    let same = again.violations.into_iter().find(|shorter| shorter.about == found.about);
    match (again.verdict, same) {
        (Verdict::Violated, Some(shortest)) => {
            *found = shortest;
            Shortness::Shortest
        }
        (Verdict::Incomplete(limit), _) => Shortness::Unfinished(limit),
        // What follows a state may hang on hidden variables, and breadth first they have other values.
        _ => Shortness::AsFound,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::outcome::{Counts, Limit};
    use crate::search::plan::DepthFirst;
    use std::sync::atomic::AtomicBool;

    const LATE: &str =
        "byte n; active proctype P() { do :: n < 60 -> n++ :: n == 2 -> assert(false) :: n == 60 -> assert(false) od }";

    #[test]
    fn what_was_found_is_kept_where_the_search_for_a_shorter_one_ends_early() {
        let (_, model) = crate::load::read_text("m.pml", LATE).expect("a model");
        let stop = AtomicBool::new(false);
        let plan = Plan { search: Search::Depth(DepthFirst::default()), ..Plan::default() };
        let mut found = plan.execute(&model, &mut Monitor::silent(&stop)).violations.remove(0);
        let long = found.path.len();
        let early = Outcome::of(Verdict::Incomplete(Limit::Interrupted), Counts::default(), Vec::new());
        assert_eq!(shortness_of(&mut found, early), Shortness::Unfinished(Limit::Interrupted));
        assert_eq!(found.path.len(), long);
        let short = Plan { shortest: true, ..plan }.execute(&model, &mut Monitor::silent(&stop));
        assert_eq!(short.shortness, Some(Shortness::Shortest));
        assert!(short.violations[0].path.len() < long);
    }
}
