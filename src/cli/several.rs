//! `pv check` with several models: one after the other, each as if it were alone, with one exit code and one summary. What is named after a
//! model stays apart: models of one name in different folders get trails with the folder in their names.

use super::check::{check_model, is_same_file};
use super::console::Console;
use super::options::CheckArgs;
use super::output::Output;
use crate::report::trail::default_path;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Exit code of a model that nobody looked at.
const INCOMPLETE: u8 = 3;

/// Checks all models of a command line; gives the exit code.
pub(super) fn run(console: &Console, args: &CheckArgs) -> u8 {
    let models: Vec<&str> = std::iter::once(&args.model.model).chain(&args.more).map(String::as_str).collect();
    if let Some((one, other)) = same_file(&models) {
        return console.wrong(format!("a model twice makes no sense: {one} and {other} are one file"));
    }
    let trail_of = |model: &&&str| models.iter().find(|other| is_same_file(Path::new(model), &default_path(other, 1)));
    if let Some((model, other)) = models.iter().find_map(|model| Some((model, trail_of(&model)?))) {
        return console.wrong(format!("{model} is where the trail of {other} would be written: check them apart"));
    }
    let interrupt = super::signals::on_signals();
    let mut output = Output::new(console, args);
    for (model, trail) in models.iter().zip(trails(&models)) {
        let code = if interrupt.load(Ordering::Relaxed) {
            console.wrong(format!("{model}: interrupted before it was checked"));
            INCOMPLETE
        } else {
            let mut own = CheckArgs { more: Vec::new(), ..args.clone() };
            (own.model.model, own.trail) = (model.to_string(), trail.filter(|_| !args.no_trail));
            check_model(console, &own, &mut output, Some(&interrupt))
        };
        output.close(model, code);
    }
    output.finish()
}

/// Two names of one file.
fn same_file<'m>(models: &[&'m str]) -> Option<(&'m str, &'m str)> {
    let real: Vec<Option<PathBuf>> = models.iter().map(|model| Path::new(model).canonicalize().ok()).collect();
    let pair = |later: usize| (0..later).find(|&before| real[later].is_some() && real[before] == real[later]);
    (1..models.len()).find_map(|later| pair(later).map(|before| (models[before], models[later])))
}

/// The trail file of each model that cannot have the usual one, because another model could have it.
fn trails(models: &[&str]) -> Vec<Option<PathBuf>> {
    let usual: Vec<String> = models.iter().map(|model| stem(&default_path(model, 1))).collect();
    let collides = |number: usize| (0..usual.len()).any(|other| other != number && meet(&usual[number], &usual[other]));
    let mut taken: Vec<String> = (0..usual.len()).filter(|&n| !collides(n)).map(|n| usual[n].clone()).collect();
    let trail = |number: usize| {
        if !collides(number) {
            return None;
        }
        let whole = models[number].trim_start_matches("./").replace(['/', '\\', ':'], "-");
        let further = (2..).map(|count: usize| format!("{whole}-{count}"));
        let mut names = std::iter::once(whole.clone()).chain(further);
        let free = names.find(|name| !taken.iter().any(|other| meet(other, &name.to_lowercase())))?;
        taken.push(free.to_lowercase());
        Some(PathBuf::from(format!("{free}.trail.json")))
    };
    (0..models.len()).map(trail).collect()
}

/// The name of a trail file without its ending. Some file systems do not tell capital letters from small ones.
fn stem(trail: &Path) -> String {
    let name = trail.display().to_string().to_lowercase();
    name.strip_suffix(".trail.json").unwrap_or(&name).to_string()
}

/// Could the trails of two models have one name? The second trail of `m` is that of `m.2`.
fn meet(one: &str, other: &str) -> bool {
    let further = |name: &str, of: &str| {
        let rest = name.strip_prefix(of).and_then(|rest| rest.strip_prefix('.'));
        rest.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    one == other || further(one, other) || further(other, one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trails_of_several_models_have_different_names() {
        let names = |models: &[&str]| -> Vec<String> {
            trails(models)
                .iter()
                .map(|trail| trail.as_ref().map_or("usual".into(), |t| t.display().to_string()))
                .collect()
        };
        assert_eq!(names(&["a.pml", "x/b.pml"]), ["usual", "usual"]);
        assert_eq!(names(&["a/m.pml", "b/M.pml", "c.pml"]), ["a-m.pml.trail.json", "b-M.pml.trail.json", "usual"]);
        assert_eq!(names(&["m", "m.2"]), ["m.trail.json", "m.2-2.trail.json"]);
        assert_eq!(names(&["a/b-m", "a-b/m", "x/m"]), ["usual", "a-b-m.trail.json", "x-m.trail.json"]);
        assert_eq!(names(&["a/b/m", "a-b/m", "a-b-m"]), ["a-b-m-2.trail.json", "a-b-m-3.trail.json", "usual"]);
    }
}
