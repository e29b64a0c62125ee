//! Static reductions: every model of the corpus and of the examples, as it is and reduced, state by state.

mod common;

use common::model_of;
use libtest_mimic::{Arguments, Failed, Trial};
use pv::analysis::statics::{Observed, Reductions, reduce};
use pv::search::statics::audit;
use std::path::Path;

/// Models above this many states are left to the comparison with SPIN.
const MOST: usize = 20_000;

/// Every reduction alone, and together.
const SETTINGS: [(&str, Reductions); 4] = [
    ("dead variables", Reductions { dead_variables: true, ..Reductions::NONE }),
    ("dead variables, unread writes", Reductions { dead_variables: true, unread_writes: true, ..Reductions::NONE }),
    ("merging", Reductions { merging: true, ..Reductions::NONE }),
    ("all", Reductions::ALL),
];

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = vec![];
    trials.extend(common::trials(check));
    libtest_mimic::run(&arguments, trials).exit();
}

fn check(path: &Path) -> Result<(), Failed> {
    let Ok(model) = common::load(path) else { return Ok(()) };
    for (name, wanted) in SETTINGS {
        if let Err(reason) = audit(&model, wanted, MOST) {
            return Err(format!("{name}: {reason}").into());
        }
    }
    Ok(())
}
