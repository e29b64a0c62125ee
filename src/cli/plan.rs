//! From options to plans: the only place that knows which option becomes which part of a search. `pv check`, `pv resume` and
//! `pv compare` all come through [`plans`]; what is not refused by [`combine`] has a plan.

use super::combine;
use super::options::{CheckArgs, DiskWindow, MOST_WORKERS, PropertyArgs, Replace, SearchArgs, StoreKind};
use crate::model::Model;
use crate::search::explore::serial::DEFAULT_SWITCH;
use crate::search::plan::{
    Assertions, BreadthCache, BreadthFirst, BreadthStore, CycleProperty, CycleStore, Cycles, DepthFirst, DepthStore,
    DiskRecord, EndStates, Hub, LossyTable, MAX_COLLISION_RATE, MAX_REVISIT_RATE, Native, Plan, Precise, Preserves,
    Property, QueuedTable, Reductions, Replacement, Search, Sets, SharedStore, Signatures, Size, Technique, Techniques,
};
use crate::store::breadth::disk::Window;
use crate::store::depth::replace::SCAN_LIMIT;
use std::num::{NonZeroU8, NonZeroU16};

/// The plans of a check, one for each property; `Err` says which options do not go together.
pub(crate) fn plans(args: &CheckArgs, model: &Model) -> Result<Vec<Plan>, String> {
    combine::check(args)?;
    combine::check_with_model(args, model)?;
    properties(&args.checks, model).into_iter().map(|property| plan(args, model, property)).collect()
}

/// What is looked for, each in a search of its own.
pub(super) fn properties(checks: &PropertyArgs, model: &Model) -> Vec<Property> {
    if checks.non_progress {
        return vec![Property::Cycles(CycleProperty::Progress)];
    }
    if checks.no_claims {
        return vec![Property::Safety];
    }
    match &checks.property {
        Some(name) => {
            let number = model.claims.iter().position(|claim| *claim.name == **name);
            number.map(|number| Property::Cycles(CycleProperty::Claim(number))).into_iter().collect()
        }
        None => Property::of_model(model),
    }
}

fn plan(args: &CheckArgs, model: &Model, property: Property) -> Result<Plan, String> {
    let (checks, options) = (&args.checks, &args.search);
    // What follows a state hangs on hidden variables, which states do not hold: another choice of states is another answer.
    let reduces = reduces(args) && model.hidden_size == 0;
    // Sets that keep what a property can see keep it up to stuttering. In a certificate every move of a state is there.
    let keeps_runs = property.is_insensitive(model) && args.certificate.is_none();
    Ok(Plan {
        assertions: if checks.no_assertions { Assertions::Ignore } else { Assertions::Report },
        end_states: match (checks.no_end_states, checks.strict_channels) {
            (true, _) => EndStates::Ignore,
            (false, false) => EndStates::Judge,
            (false, true) => EndStates::JudgeChannels,
        },
        all_errors: checks.all_errors,
        known: args.another.then(Vec::new),
        shortest: args.shortest,
        certifies: args.certificate.is_some(),
        memory: options.memory,
        time: options.time,
        seed: options.seed(),
        statics: if reduces { statics(args, model, property) } else { Reductions::NONE },
        claim: property.claim().filter(|_| property.is_safety(model)),
        // How many machines there are is known when their file was read.
        processes: options
            .processes
            .or(options.hosts.as_ref().map(|_| 0))
            .map(|machines| machines * u32::from(workers(options).get())),
        native: if options.no_native { Native::Off } else { Native::WhenWarm },
        search: match property {
            Property::Cycles(of) if !property.is_safety(model) => {
                let asked = sets(options, property);
                let usual = (reduces && keeps_runs).then_some(Sets { preserves: Preserves::Runs, check: false });
                let sets = asked.or(usual).filter(|_| !checks.fair);
                let store = match options.store {
                    Some(StoreKind::Tree) => CycleStore::Tree,
                    Some(_) => CycleStore::Exact,
                    None => CycleStore::Usual,
                };
                Search::Cycles(Cycles { of, fair: checks.fair, store, sets, max_depth: options.max_depth })
            }
            _ if options.bfs() => Search::Breadth(breadth_first(options, property)),
            _ => depth_first(options, property, reduces && keeps_runs)?,
        },
    })
}

/// Does a search leave out by itself what cannot change the verdict? Not if somebody has named what is to be left out, if it is one
/// of the papers' searches, which are about the whole state space, or if every error counts.
pub(super) fn reduces(args: &CheckArgs) -> bool {
    let options = &args.search;
    let named = options.full || options.sleep || options.por || options.check_independence;
    let whole = options.cache.is_some() || options.pod() > 0 || options.disk || options.checkpoint.is_some();
    !(named || whole || args.checks.all_errors || args.another)
}

/// What is left out of the model before the search. Breadth first, steps are not merged: the counterexample stays a shortest one.
fn statics(args: &CheckArgs, model: &Model, property: Property) -> Reductions {
    let dead_variables = !args.search.no_dead_variables;
    // A certificate has a word for variables that nobody reads, and none for states that are passed by.
    let merging = !args.search.bfs() && !args.search.no_merging && args.certificate.is_none();
    let merging = merging && merges(property, model, args.checks.fair);
    Reductions { dead_variables, unread_writes: dead_variables, merging }
}

/// May steps be merged in a search for this property?
pub(super) fn merges(property: Property, model: &Model, fair: bool) -> bool {
    match property {
        Property::Safety => true,
        _ => !fair && property.is_insensitive(model),
    }
}

/// `reduces`: persistent sets are used although nobody has asked for them.
fn depth_first(options: &SearchArgs, property: Property, reduces: bool) -> Result<Search, String> {
    let (table, runs) = (table(options), options.repeat);
    let technique = |options| match technique(options, property)? {
        None if reduces => {
            let preserves = if property == Property::Safety { Preserves::Errors } else { Preserves::Runs };
            Ok(Some(Technique::PersistentSets(Sets { preserves, check: false })))
        }
        asked => Ok::<_, String>(asked),
    };
    if let (Some(chain), Some(table)) = (NonZeroU8::new(options.pod()), table) {
        return Ok(Search::Precise(Precise { table, runs, chain }));
    }
    let store = match (options.cache, table) {
        (Some(states), _) => {
            let max_revisit_rate = options.max_collision_rate.unwrap_or(MAX_REVISIT_RATE);
            let replacement = replacement(options.replace());
            DepthStore::Cache { states, replacement, max_revisit_rate, technique: technique(options)? }
        }
        (None, Some(table)) => DepthStore::Lossy { table, runs, technique: technique(options)? },
        (None, None) => {
            let techniques = match (options.sleep, sets(options, property)) {
                (true, Some(sets)) => Techniques::Both(sets),
                _ => technique(options)?.map_or(Techniques::None, Techniques::One),
            };
            match (options.store, techniques) {
                (Some(StoreKind::Tree), _) => DepthStore::Tree(techniques),
                (None, Techniques::None) => DepthStore::Usual(None),
                (None, Techniques::One(technique)) => DepthStore::Usual(Some(technique)),
                // With both techniques each state has a sleep set, which is found by where the state lies: so the store cannot move.
                _ => DepthStore::Exact(techniques),
            }
        }
    };
    let (max_depth, check_independence) = (options.max_depth, options.check_independence);
    Ok(Search::Depth(DepthFirst { store, max_depth, check_independence }))
}

/// The only technique that is asked for. Where two are asked for and only one can be had, [`combine`] has said so.
fn technique(options: &SearchArgs, property: Property) -> Result<Option<Technique>, String> {
    match (options.sleep, sets(options, property)) {
        (false, None) => Ok(None),
        (true, None) => Ok(Some(Technique::SleepSets)),
        (false, Some(sets)) => Ok(Some(Technique::PersistentSets(sets))),
        (true, Some(_)) => Err("--sleep and --por go together only where every state is kept".into()),
    }
}

/// The sets that are asked for.
fn sets(options: &SearchArgs, property: Property) -> Option<Sets> {
    let preserves = match property {
        Property::Cycles(_) => Preserves::Runs,
        Property::Safety if options.deadlocks_only => Preserves::Deadlocks,
        Property::Safety => Preserves::Errors,
    };
    options.por.then_some(Sets { preserves, check: options.check_por })
}

/// The table that may err, if one is asked for.
fn table(options: &SearchArgs) -> Option<LossyTable> {
    let size = match (options.slots, options.expect_states) {
        (Some(slots), _) => Size::Slots(slots),
        (None, Some(states)) => Size::States(states),
        (None, None) => Size::OfMemory,
    };
    match options.store() {
        StoreKind::Exact | StoreKind::Tree => None,
        StoreKind::Compact => Some(LossyTable::Compact { bits: options.bits, size }),
        StoreKind::Bloom => Some(LossyTable::Bloom { functions: options.bits, size }),
    }
}

/// The signatures that are kept in a cache or on disk, if they are asked for.
fn signatures(options: &SearchArgs) -> Option<Signatures> {
    let compact = options.store() == StoreKind::Compact;
    compact.then_some(Signatures { bits: options.bits, runs: options.repeat })
}

fn replacement(replace: Replace) -> Replacement {
    match replace {
        Replace::Random => Replacement::Random,
        Replace::Type => Replacement::Type { scan: SCAN_LIMIT },
        Replace::MostVisited => Replacement::MostVisited,
        Replace::LeastVisited => Replacement::LeastVisited,
        Replace::LargestClass => Replacement::LargestClass,
        Replace::SmallestSubtree => Replacement::SmallestSubtree,
        Replace::Cost => Replacement::Cost,
    }
}

fn breadth_first(options: &SearchArgs, property: Property) -> BreadthFirst {
    let store = match queued_table(options) {
        _ if options.is_shared() => {
            let store = match (table(options), options.store()) {
                (Some(LossyTable::Compact { bits, size }), _) => {
                    SharedStore::Compact { bits, size, runs: options.repeat }
                }
                (_, StoreKind::Tree) => SharedStore::Tree,
                _ => SharedStore::Exact,
            };
            BreadthStore::Shared {
                workers: workers(options),
                store,
                sets: sets(options, property),
                work_dir: options.work_dir.clone(),
            }
        }
        Some(table) => BreadthStore::Queued { table, work_dir: options.work_dir.clone() },
        None => BreadthStore::Exact {
            moves: options.store.is_none(),
            sets: sets(options, property),
            check_independence: options.check_independence,
        },
    };
    BreadthFirst { store, max_depth: options.max_depth }
}

/// How many workers search; 0 is one for each processor. Over several machines the default is one on each.
pub(super) fn workers(options: &SearchArgs) -> NonZeroU16 {
    let processors = || std::thread::available_parallelism().map_or(1, |count| count.get().min(MOST_WORKERS.into()));
    let asked = NonZeroU16::new(options.workers.unwrap_or(1));
    asked.or_else(|| NonZeroU16::new(processors() as u16)).unwrap_or(NonZeroU16::MIN)
}

/// The table of a search with a queue beside it; `None` if the exact table can be its own queue.
fn queued_table(options: &SearchArgs) -> Option<QueuedTable> {
    let window = match options.disk_window {
        None => Window::Everything,
        Some(DiskWindow::Auto) => Window::Auto,
        Some(DiskWindow::Fraction(share)) => Window::Share(share),
    };
    if options.disk {
        let record = match (signatures(options), options.store) {
            (Some(signatures), _) => DiskRecord::Signatures(signatures),
            (None, Some(_)) => DiskRecord::States,
            (None, None) => DiskRecord::Usual,
        };
        return Some(QueuedTable::Disk { record, window });
    }
    if let Some(slots) = options.cache {
        let cache = cache(options, slots);
        return Some(if options.serial {
            let switch_rate = options.switch_rate.unwrap_or(DEFAULT_SWITCH);
            QueuedTable::Serial { cache, switch_rate, window }
        } else {
            let max_collision_rate = options.max_collision_rate.unwrap_or(MAX_COLLISION_RATE);
            QueuedTable::Cache { cache, max_collision_rate }
        });
    }
    match table(options) {
        Some(table) => Some(QueuedTable::Lossy { table, runs: options.repeat }),
        // A table that is its own queue cannot be saved.
        None if options.store() == StoreKind::Tree => Some(QueuedTable::Tree),
        None => options.checkpoint.is_some().then_some(QueuedTable::Exact),
    }
}

fn cache(options: &SearchArgs, slots: u64) -> BreadthCache {
    let usual = Hub::default();
    BreadthCache {
        slots,
        ways: options.ways.unwrap_or(BreadthCache::of(slots).ways),
        hub: options.hub.then(|| Hub {
            split: options.hub_split.unwrap_or(usual.split),
            overwrite: options.hub_overwrite.unwrap_or(usual.overwrite),
        }),
        signatures: signatures(options),
    }
}

#[cfg(test)]
mod tests {
    use super::super::combine::tests::parse;
    use super::super::options::value_name;
    use super::*;
    use crate::report::Setting;
    use clap::ValueEnum;

    fn model(text: &str) -> Model {
        crate::load::read_text("m.pml", text).unwrap_or_else(|what| panic!("{what}")).1
    }

    fn plain() -> Model {
        model("byte x; active proctype P() { x = 1; assert(x == 1) }")
    }

    fn words(line: &str, model: &Model) -> String {
        let plans = plans(&parse(line), model).unwrap_or_else(|what| panic!("{line}: {what}"));
        let words = Setting::of(&plans).words();
        words.strip_suffix(", seed 1").map_or(words.clone(), str::to_string)
    }

    /// Every search that the command line can ask for, and how the report tells of it.
    #[rustfmt::skip]
    const SEARCHES: &[(&str, &str)] = &[
        // depth first, every state
        ("", "depth-first, exact store, persistent sets, dead variables set to 0, local steps merged"),
        ("--full", "depth-first, exact store"),
        ("--no-merging", "depth-first, exact store, persistent sets, dead variables set to 0"),
        ("--no-dead-variables", "depth-first, exact store, persistent sets, local steps merged"),
        ("--all-errors", "depth-first, exact store"),
        ("--shortest", "depth-first, exact store, persistent sets, dead variables set to 0, local steps merged, then a shorter counterexample"),
        ("--another", "depth-first, exact store, beside known counterexamples"),
        ("--certificate c", "depth-first, exact store, dead variables set to 0, with a certificate"),
        ("--certificate c --full", "depth-first, exact store, with a certificate"),
        ("--sleep", "depth-first, exact store, sleep sets"),
        ("--por", "depth-first, exact store, persistent sets"),
        ("--por --check-por --check-independence", "depth-first, exact store, persistent sets"),
        ("--por --deadlocks-only", "depth-first, exact store, persistent sets for deadlocks only"),
        ("--por --sleep", "depth-first, exact store, sleep sets, persistent sets"),
        ("--por --sleep --deadlocks-only", "depth-first, exact store, sleep sets, persistent sets for deadlocks only"),
        ("--max-depth 2000 --memory 64M --time 90 --seed 7",
            "depth-first, exact store, persistent sets, dead variables set to 0, local steps merged, depth at most 2,000, memory at most 64.0 MiB, at most 90 s, seed 7"),
        // a cache
        ("--cache 500", "depth-first, exact store, cache of 500 states (cost replacement)"),
        ("--cache 1 --replace type", "depth-first, exact store, cache of 1 state (type replacement)"),
        ("--cache 500 --sleep", "depth-first, exact store, cache of 500 states (cost replacement), sleep sets"),
        ("--cache 500 --por", "depth-first, exact store, cache of 500 states (cost replacement), persistent sets"),
        // tables that may err
        ("--store compact", "depth-first, compact store, persistent sets, dead variables set to 0, local steps merged"),
        ("--store compact --full", "depth-first, compact store"),
        ("--store compact --bits 20 --slots 99", "depth-first, hash compaction (20 bits), persistent sets, dead variables set to 0, local steps merged"),
        ("--store bloom --bits 3 --expect-states 9", "depth-first, Bloom filter (3 hash functions), persistent sets, dead variables set to 0, local steps merged"),
        ("--store compact --sleep --repeat 3", "depth-first, compact store, sleep sets, 3 runs"),
        ("--store bloom --por", "depth-first, bloom store, persistent sets"),
        ("--store bloom --pod 2", "depth-first, bloom store, precision on demand 2"),
        ("--store compact --pod 1 --repeat 2", "depth-first, compact store, precision on demand 1, 2 runs"),
        // breadth first
        ("--search bfs", "breadth-first, exact store, dead variables set to 0"),
        ("--search bfs --full", "breadth-first, exact store"),
        ("--workers 3", "breadth-first, exact store, dead variables set to 0, 3 workers"),
        ("--workers 2 --store tree --full", "breadth-first, tree store, 2 workers"),
        ("--search bfs --workers 1 --full", "breadth-first, exact store, 1 worker"),
        ("--workers 2 --store compact --bits 24 --full", "breadth-first, hash compaction (24 bits), 2 workers"),
        ("--search bfs --por", "breadth-first, exact store, persistent sets"),
        ("--search bfs --checkpoint c", "breadth-first, exact store"),
        ("--search bfs --store compact", "breadth-first, compact store, dead variables set to 0"),
        ("--search bfs --store bloom --bits 2", "breadth-first, Bloom filter (2 hash functions), dead variables set to 0"),
        ("--search bfs --cache 500", "breadth-first, exact store, cache of 500 states"),
        ("--search bfs --cache 500 --store compact --bits 9", "breadth-first, hash compaction (9 bits), cache of 500 states"),
        ("--search bfs --cache 500 --hub", "breadth-first, exact store, hub cache of 500 states"),
        ("--search bfs --disk", "breadth-first, hash compaction (64 bits), visited states on disk"),
        ("--search bfs --disk --store exact", "breadth-first, exact store, visited states on disk"),
        ("--search bfs --disk --store compact", "breadth-first, compact store, visited states on disk"),
        ("--search bfs --cache 500 --serial", "breadth-first, exact store, cache of 500 states, cache first, then disk"),
        ("--search bfs --cache 500 --serial --hub --store compact",
            "breadth-first, compact store, hub cache of 500 states, cache first, then disk"),
        // several processes
        ("--processes 3", "breadth-first, exact store, dead variables set to 0, 3 processes"),
        ("--processes 3 --workers 2", "breadth-first, exact store, dead variables set to 0, 6 processes"),
        ("--processes 2 --store compact", "breadth-first, compact store, dead variables set to 0, 2 processes"),
        // a tree
        ("--store tree", "depth-first, tree store, persistent sets, dead variables set to 0, local steps merged"),
        ("--store tree --full", "depth-first, tree store"),
        ("--store tree --sleep", "depth-first, tree store, sleep sets"),
        ("--store tree --sleep --por", "depth-first, tree store, sleep sets, persistent sets"),
        ("--store tree --search bfs", "breadth-first, tree store, dead variables set to 0"),
        ("--store tree --search bfs --checkpoint c", "breadth-first, tree store"),
        ("--store tree --non-progress --fair", "depth-first, tree store, dead variables set to 0, weak fairness"),
        // cycles
        ("--non-progress", "depth-first, exact store, persistent sets, dead variables set to 0, local steps merged"),
        ("--non-progress --full", "depth-first, exact store"),
        ("--non-progress --por", "depth-first, exact store, persistent sets"),
        ("--non-progress --fair", "depth-first, exact store, dead variables set to 0, weak fairness"),
    ];

    #[test]
    fn every_search_is_told_as_it_was_asked_for() {
        for (line, expected) in SEARCHES {
            assert_eq!(words(line, &plain()), *expected, "{line}");
        }
    }

    #[test]
    fn replacements_have_the_names_that_they_are_asked_for_by() {
        for replace in Replace::value_variants() {
            let name = value_name(*replace);
            let line = format!("--cache 5 --replace {name}");
            assert!(words(&line, &plain()).contains(&format!("({name} replacement)")), "{line}");
        }
    }

    #[test]
    fn every_property_has_a_plan_of_its_own() {
        let model = model("byte x; active proctype P() { x = 1 } ltl p { <> (x == 1) } ltl q { [] (x < 2) }");
        let properties = |line: &str| -> Vec<Property> {
            let plans = plans(&parse(line), &model).unwrap_or_else(|what| panic!("{line}: {what}"));
            plans.iter().map(Plan::property).collect()
        };
        let claim = |number| Property::Cycles(CycleProperty::Claim(number));
        assert_eq!(properties(""), [claim(0), claim(1)]);
        assert_eq!(properties("--property q"), [claim(1)]);
        assert_eq!(properties("--no-claims"), [Property::Safety]);
        assert_eq!(properties("--non-progress"), [Property::Cycles(CycleProperty::Progress)]);
        assert!(plans(&parse("--property r"), &model).is_err());
        assert!(plans(&parse("--sleep"), &model).is_err_and(|why| why.contains("--sleep with the claim p of m.pml")));
    }

    /// Options with a value that is not their default. Each of them changes the plan, with any other that it goes with.
    #[rustfmt::skip]
    const OPTIONS: &[&str] = &[
        "--search bfs", "--full", "--no-dead-variables", "--no-merging", "--max-depth 20", "--memory 64M", "--time 60", "--seed 7", "--sleep", "--por",
        "--deadlocks-only", "--check-independence", "--check-por", "--store compact", "--store bloom", "--store tree", "--cache 500",
        "--replace type", "--bits 20", "--slots 5000", "--expect-states 1000", "--pod 2", "--repeat 2", "--hub",
        "--hub-split 0.5", "--hub-overwrite 0.5", "--ways 2", "--max-collision-rate 0.5", "--disk", "--serial",
        "--switch-rate 0.2", "--work-dir w", "--disk-window 0.5", "--all-errors", "--no-end-states", "--no-assertions",
        "--strict-channels", "--non-progress", "--workers 2", "--shortest", "--another", "--certificate c", "--processes 2",
    ];

    /// What an option says already, or what another one leaves no room for.
    fn is_contained(option: &str, others: &[&str]) -> bool {
        let with = |other: &str| others.contains(&other);
        match option {
            // Processes and workers share breadth-first searches only.
            "--search bfs" => with("--processes 2") || with("--workers 2"),
            // The reduction does not look at assertions anyway.
            "--no-assertions" => with("--deadlocks-only"),
            // These are about the whole state space.
            "--full" => {
                let whole = ["--cache 500", "--pod 2", "--disk", "--all-errors", "--another", "--check-independence"];
                whole.iter().any(|&option| with(option))
            }
            _ => false,
        }
    }

    /// Every pair of options, on top of searches in which the rare ones have a meaning: the line is refused, or there is a
    /// plan, and no option is forgotten on the way.
    #[test]
    fn nothing_that_was_asked_for_is_ignored() {
        let model = plain();
        let made = |options: &[&str]| plans(&parse(&options.join(" ")), &model).ok();
        let name = |option: &str| option.split(' ').next().map(str::to_string);
        let mut accepted = 0;
        for base in [
            &[][..],
            &["--search bfs", "--cache 500"],
            &["--search bfs", "--disk"],
            &["--store compact"],
            &["--store tree"],
        ] {
            for (n, first) in OPTIONS.iter().enumerate() {
                for second in &OPTIONS[n..] {
                    let mut options = base.to_vec();
                    for option in [first, second] {
                        if !options.iter().any(|other| name(other) == name(option)) {
                            options.push(option);
                        }
                    }
                    let Some(whole) = made(&options) else { continue };
                    accepted += 1;
                    for (number, option) in options.iter().enumerate() {
                        let mut others = options.clone();
                        others.remove(number);
                        let same = made(&others).is_some_and(|less| less == whole);
                        assert!(!same || is_contained(option, &others), "{option} does nothing in {options:?}");
                    }
                }
            }
        }
        assert!(accepted > 300, "only {accepted} lines were accepted");
    }
}
