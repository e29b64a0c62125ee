//! `pv check`: verify a model.

use super::combine;
use super::console::Console;
use super::load::load_model;
use super::options::CheckArgs;

/// Runs the command; gives the exit code.
pub fn run(console: &Console, args: &CheckArgs) -> u8 {
    if let Err(message) = combine::check(args) {
        return console.wrong(message);
    }
    let loaded = match load_model(console, &args.model) {
        Ok(loaded) => loaded,
        Err(code) => return code,
    };
    if let Err(message) = combine::check_with_model(args, &loaded.model) {
        return console.wrong(message);
    }
    console.wrong("the search is not available in this build")
}
