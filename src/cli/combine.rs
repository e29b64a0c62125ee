//! Options that make no sense together are refused by name, with the reason, before any search. One table for what can
//! be told from the command line alone, one for what depends on the model, one for what this build does not have yet.
//! Nothing that was asked for is ever silently ignored.

use super::options::{CheckArgs, Format, StoreKind};
use super::plan::{merges, properties, reduces};
use crate::model::{Model, Region};
use crate::search::plan::{CycleProperty, Property};

/// One rule: if `broken`, the options named are refused.
struct Rule {
    broken: fn(&CheckArgs) -> bool,
    options: &'static str,
    reason: &'static str,
}

macro_rules! rules {
    ($($options:literal, $broken:expr, $reason:literal;)*) => {
        &[$(Rule { broken: $broken, options: $options, reason: $reason }),*]
    };
}

#[rustfmt::skip]
const RULES: &[Rule] = rules! {
    // Reductions
    "--full with --sleep", |o| o.search.full && o.search.sleep,
        "one leaves out nothing, the other leaves out what sleeps";
    "--full with --por", |o| o.search.full && o.search.por,
        "one leaves out nothing, the other leaves out what is outside persistent sets";
    "--no-dead-variables where nothing is left out by default", |o| o.search.no_dead_variables && !reduces(o),
        "there is nothing to turn off; --full, --all-errors, --another, --sleep, --por, --cache and their like leave out what they name alone";
    "--no-merging where nothing is merged by default", |o| o.search.no_merging && (!reduces(o) || o.search.bfs() || o.certificate.is_some()),
        "there is nothing to turn off; steps are merged in a depth-first search without a certificate and other options of this kind";
    "--sleep with --search bfs", |o| o.search.sleep && o.search.bfs(),
        "sleep sets live on the depth-first stack";
    "--sleep and --por with a store that forgets or errs",
        |o| o.search.sleep && o.search.por && (o.search.cache.is_some() || !o.search.keeps_states()),
        "together they are sound only if every stored state keeps its sleep set";
    "--sleep with --pod", |o| o.search.sleep && o.search.pod() > 0,
        "precision on demand asks for the first successor of a state, which a sleep set may have left out";
    "--por with --pod", |o| o.search.por && o.search.pod() > 0,
        "precision on demand asks for the first successor of a state, which the reduction may have left out";
    "--deadlocks-only without --por", |o| o.search.deadlocks_only && !o.search.por,
        "it says how far the reduction may go";
    "--deadlocks-only with --no-end-states", |o| o.search.deadlocks_only && o.checks.no_end_states,
        "nothing would be checked";
    "--deadlocks-only with --property", |o| o.search.deadlocks_only && o.checks.property.is_some(),
        "the reduction keeps deadlocks, not properties";
    "--deadlocks-only with --non-progress", |o| o.search.deadlocks_only && o.checks.non_progress,
        "the reduction keeps deadlocks, not cycles";
    "--check-por without --por", |o| o.search.check_por && !o.search.por,
        "there are no persistent sets to check";
    "--check-independence with --pod", |o| o.search.check_independence && o.search.pod() > 0,
        "precision on demand takes every move, and no relation is asked";
    "--check-independence with --search bfs and a store that forgets, errs, compresses, answers late or is saved",
        |o| o.search.check_independence && o.search.bfs()
            && (o.search.cache.is_some() || o.search.disk || o.search.store() != StoreKind::Exact || o.search.checkpoint.is_some()),
        "the relation is tried out beside an exact store in memory";
    // Cache
    "--replace without --cache", |o| o.search.replace.is_some() && o.search.cache.is_none(),
        "only a bounded cache forgets states";
    "--replace with --search bfs", |o| o.search.replace.is_some() && o.search.bfs(),
        "a breadth-first cache overwrites by hash; --ways says how";
    "--cache with --store bloom", |o| o.search.cache.is_some() && o.search.store() == StoreKind::Bloom,
        "a Bloom filter cannot forget a state";
    "--cache with --store compact", |o| o.search.cache.is_some() && o.search.store() == StoreKind::Compact && !o.search.bfs(),
        "a table of signatures has a fixed number of slots: --slots";
    "--cache with --store tree", |o| o.search.cache.is_some() && o.search.store() == StoreKind::Tree,
        "the states of a tree share their parts, so none of them can be forgotten alone";
    // Stores that may omit states
    "--bits with --store exact or tree", |o| o.search.bits.is_some() && o.search.keeps_states(),
        "an exact store keeps whole states; choose --store compact or bloom";
    "--bits 1 with --store compact", |o| o.search.bits == Some(1) && o.search.store() == StoreKind::Compact,
        "signatures have 2 to 64 bits";
    "--slots with --store exact or tree", |o| o.search.slots.is_some() && o.search.keeps_states(),
        "an exact store grows as it needs; choose --store compact or bloom";
    "--expect-states with --store exact or tree", |o| o.search.expect_states.is_some() && o.search.keeps_states(),
        "an exact store grows as it needs";
    "--expect-states with --slots", |o| o.search.expect_states.is_some() && o.search.slots.is_some(),
        "both say how large the table is";
    "--slots with a breadth-first --cache", |o| o.search.slots.is_some() && o.search.bfs() && o.search.cache.is_some(),
        "--cache says how many states or signatures there is room for";
    "--slots with --disk", |o| o.search.slots.is_some() && o.search.disk,
        "the table on disk grows as it needs";
    "--expect-states with a breadth-first --cache", |o| o.search.expect_states.is_some() && o.search.bfs() && o.search.cache.is_some(),
        "--cache says how many states or signatures there is room for";
    "--expect-states with --disk", |o| o.search.expect_states.is_some() && o.search.disk,
        "the table on disk grows as it needs";
    "--pod with --store exact or tree", |o| o.search.pod() > 0 && o.search.keeps_states(),
        "an exact store has nothing to make precise; choose --store compact or bloom";
    "--pod with --search bfs", |o| o.search.pod() > 0 && o.search.bfs(),
        "the first successor of a state is inserted right after it only in depth-first search";
    "--pod with --max-depth", |o| o.search.pod() > 0 && o.search.max_depth.is_some(),
        "a state at the bound has no successor in the store, and every visit would call it new";
    "--repeat with --store exact or tree", |o| o.search.repeat() > 1 && o.search.keeps_states(),
        "every run would be the same";
    // Breadth-first search with little memory
    "--hub without --search bfs --cache", |o| o.search.hub && !(o.search.bfs() && o.search.cache.is_some()),
        "it splits a breadth-first cache in two levels";
    "--hub-split without --hub", |o| o.search.hub_split.is_some() && !o.search.hub,
        "it says how the hub cache is split";
    "--hub-overwrite without --hub", |o| o.search.hub_overwrite.is_some() && !o.search.hub,
        "it rules the second level of the hub cache";
    "--ways without --search bfs --cache", |o| o.search.ways.is_some() && !(o.search.bfs() && o.search.cache.is_some()),
        "it says where a breadth-first cache looks";
    "--max-collision-rate without --cache",
        |o| o.search.max_collision_rate.is_some() && o.search.cache.is_none(),
        "it says when a cache gives up";
    "--max-collision-rate with --serial", |o| o.search.max_collision_rate.is_some() && o.search.serial,
        "--serial does not give up, it goes on with the disk; --switch-rate says when";
    "--disk without --search bfs", |o| o.search.disk && !o.search.bfs(),
        "the visited states are looked up on disk level by level";
    "--disk with --cache", |o| o.search.disk && o.search.cache.is_some(),
        "--disk sizes its table by --memory; --serial starts with a cache and goes on with the disk";
    "--disk with --store bloom", |o| o.search.disk && o.search.store() == StoreKind::Bloom,
        "the visited file holds states or signatures";
    "--disk with --store tree", |o| o.search.disk && o.search.store() == StoreKind::Tree,
        "the visited file holds states or signatures";
    "--disk with --serial", |o| o.search.disk && o.search.serial,
        "--serial already goes on with the disk";
    "--disk-window without --disk or --serial", |o| o.search.disk_window.is_some() && !(o.search.disk || o.search.serial),
        "it says how much of the visited file is read";
    "--serial without --search bfs --cache", |o| o.search.serial && !(o.search.bfs() && o.search.cache.is_some()),
        "it starts with a breadth-first cache";
    "--switch-rate without --serial", |o| o.search.switch_rate.is_some() && !o.search.serial,
        "it says when --serial switches to the disk";
    "--por with --search bfs and --store tree, without --workers",
        |o| o.search.por && o.search.bfs() && o.search.store() == StoreKind::Tree && !o.search.is_shared(),
        "breadth first the reduction works beside the exact store, which is its own queue";
    "--por with --search bfs and a store that forgets, errs or answers late",
        |o| o.search.por && o.search.bfs() && !o.search.is_shared()
            && (o.search.cache.is_some() || o.search.disk || o.search.store() != StoreKind::Exact),
        "the reduction asks whether a successor is new, and these stores cannot say for sure";
    "--work-dir without --cache, --disk or a lossy store",
        |o| o.search.work_dir.is_some() && o.search.bfs()
            && !o.search.keeps_files(),
        "a breadth-first search with an exact store keeps nothing on disk, unless it has a budget and leaves checkpoints";
    "--work-dir without --search bfs", |o| o.search.work_dir.is_some() && !o.search.bfs(),
        "a depth-first search keeps nothing on disk";
    "--checkpoint without --search bfs", |o| o.search.checkpoint.is_some() && !o.search.bfs(),
        "only a breadth-first search can be resumed";
    "--checkpoint with --por", |o| o.search.checkpoint.is_some() && o.search.por,
        "what a reduced search knows beside its states is not saved";
    "--checkpoint with --repeat", |o| o.search.checkpoint.is_some() && o.search.repeat() > 1,
        "a checkpoint is of one search";
    "--checkpoint-every without --checkpoint", |o| o.search.checkpoint_every.is_some() && o.search.checkpoint.is_none(),
        "there is no file to write to";
    // Workers
    "--workers with --search dfs", |o| o.search.is_shared() && !o.search.bfs(),
        "workers share the levels of a breadth-first search";
    "--workers with --check-por", |o| o.search.is_shared() && o.search.check_por,
        "the sets are tried out beside a store of one thread";
    "--workers with --check-independence", |o| o.search.is_shared() && o.search.check_independence,
        "the relation is tried out beside a store of one thread";
    "--workers with --cache, --disk or --store bloom",
        |o| o.search.is_shared() && (o.search.cache.is_some() || o.search.disk || o.search.store() == StoreKind::Bloom),
        "the table that workers share keeps every state, or a signature of every state";
    // Counterexamples
    "--shortest with --search bfs", |o| o.shortest && o.search.bfs(),
        "the first error of a breadth-first search is reached in the fewest moves anyway";
    "--shortest with --all-errors", |o| o.shortest && o.checks.all_errors,
        "it is about one counterexample";
    "--another with --shortest", |o| o.another && o.shortest,
        "a shortest counterexample may be one that is known";
    "--another with --all-errors", |o| o.another && o.checks.all_errors,
        "one looks for one more error, the other for all";
    "--another with --search bfs and a store that forgets, errs, compresses, answers late or is saved",
        |o| o.another && o.search.bfs()
            && (o.search.cache.is_some() || o.search.disk || o.search.store() != StoreKind::Exact || o.search.checkpoint.is_some()),
        "what is known is looked up beside an exact store in memory";
    // Certificates
    "--certificate with --por", |o| o.certificate.is_some() && o.search.por,
        "a certificate is checked state by state: every move of a state must be there, and the reduction leaves moves out";
    "--certificate with a store that forgets, errs or is saved",
        |o| o.certificate.is_some()
            && (o.search.cache.is_some() || o.search.disk || !o.search.keeps_states() || o.search.checkpoint.is_some()),
        "a certificate holds every state of a complete search, once";
    "--certificate with --search bfs and --store tree, without --workers",
        |o| o.certificate.is_some() && o.search.bfs() && o.search.store() == StoreKind::Tree && !o.search.is_shared(),
        "what comes out of that queue is no longer whole; --workers 1 --store tree has a certificate";
    "--certificate with --max-depth", |o| o.certificate.is_some() && o.search.max_depth.is_some(),
        "a certificate is of a complete search";
    "--certificate with --another", |o| o.certificate.is_some() && o.another,
        "a search that passes over known errors proves nothing about the others";
    "--certificate with --trail of the same name", |o| o.certificate.is_some() && o.certificate == o.trail,
        "one file cannot be both";
    "--certificate with --formula, --formula-file or --claim-file", |o| o.certificate.is_some() && o.checks.outside().is_some(),
        "a certificate is of a model and the properties in it";
    // Several processes
    "--hosts with --processes", |o| o.search.hosts.is_some() && o.search.processes.is_some(),
        "one names the processes, the other starts them on this machine";
    "--hosts without --process", |o| o.search.hosts.is_some() && o.search.process.is_none(),
        "each process has to know which of the hosts it is";
    "--process without --hosts", |o| o.search.process.is_some() && o.search.hosts.is_none(),
        "it says which of the hosts this process is";
    "--token-file without --hosts", |o| o.search.token_file.is_some() && o.search.hosts.is_none(),
        "there is nobody else who could know the token";
    "--connect-timeout without --hosts or --processes", |o| o.search.connect_timeout.is_some() && !o.search.is_spread(),
        "there is nobody to wait for";
    "--hosts and --processes with --search dfs", |o| o.search.is_spread() && !o.search.bfs(),
        "processes share a search level by level, and a depth-first search has no levels";
    "--hosts and --processes with --por", |o| o.search.is_spread() && o.search.por,
        "the reduction asks whether a successor is new, and only the process that the successor belongs to knows";
    "--hosts and --processes with --check-independence", |o| o.search.is_spread() && o.search.check_independence,
        "the relation is tried out by one process";
    "--hosts and --processes with --cache", |o| o.search.is_spread() && o.search.cache.is_some(),
        "each process would forget on its own, and the counts would depend on their number (so for --hub and --serial)";
    "--hosts and --processes with --repeat", |o| o.search.is_spread() && o.search.repeat() > 1,
        "several runs are several commands, one after the other";
    "--hosts and --processes with --another", |o| o.search.is_spread() && o.another,
        "what is known is looked up by one process";
    "--hosts and --processes with --certificate", |o| o.search.is_spread() && o.certificate.is_some(),
        "a certificate is written by one process that has seen every state";
    "--processes with a model from standard input", |o| o.search.processes.is_some() && o.model.model == "-",
        "every process reads the model, and standard input can be read once";
    // Several models, and what is printed
    "a model twice", |o| o.more.iter().enumerate().any(|(n, model)| *model == o.model.model || o.more[..n].contains(model)),
        "one answer is enough";
    "`-` with other models", |o| o.is_several() && (o.model.model == "-" || o.more.iter().any(|model| model == "-")),
        "a model from standard input has no name to tell it from the others";
    "--trail with several models", |o| o.is_several() && o.trail.is_some(),
        "each has its own trail: MODEL.trail.json in the current folder";
    "--certificate with several models", |o| o.is_several() && o.certificate.is_some(),
        "a certificate is of one model";
    "--checkpoint with several models", |o| o.is_several() && o.search.checkpoint.is_some(),
        "a checkpoint is of one search";
    "--hosts and --processes with several models", |o| o.is_several() && o.search.is_spread(),
        "the processes come together for one search";
    "--json with another --format", |o| o.json && o.format() != Format::Json,
        "standard output has one format";
    // What is checked
    "--strict-channels with --no-end-states", |o| o.checks.strict_channels && o.checks.no_end_states,
        "it says which end states are valid";
    "--property with --no-claims", |o| o.checks.property.is_some() && o.checks.no_claims,
        "a property is a claim";
    "--formula with --formula-file", |o| o.checks.formula.is_some() && o.checks.formula_file.is_some(),
        "each of them is the only property that is checked";
    "--claim-file with --formula or --formula-file",
        |o| o.checks.claim_file.is_some() && (o.checks.formula.is_some() || o.checks.formula_file.is_some()),
        "each of them is the only property that is checked";
    "--property with --formula, --formula-file or --claim-file", |o| o.checks.property.is_some() && o.checks.outside().is_some(),
        "each of them is the only property that is checked";
    "--no-claims with --formula, --formula-file or --claim-file", |o| o.checks.no_claims && o.checks.outside().is_some(),
        "one leaves out all properties, the other is one";
    "--non-progress with --formula, --formula-file or --claim-file", |o| o.checks.non_progress && o.checks.outside().is_some(),
        "non-progress cycles are looked for in a search of their own";
    "--deadlocks-only with --formula, --formula-file or --claim-file", |o| o.search.deadlocks_only && o.checks.outside().is_some(),
        "the reduction keeps deadlocks, not properties";
    "--property with --non-progress", |o| o.checks.property.is_some() && o.checks.non_progress,
        "non-progress cycles are looked for in a search of their own";
    "--non-progress with --search bfs", |o| o.checks.non_progress && o.search.bfs(),
        "cycles are found depth first";
    "--fair with --search bfs", |o| o.checks.fair && o.search.bfs(),
        "cycles are found depth first";
};

/// Refuses what can be told from the command line alone.
pub(crate) fn check(options: &CheckArgs) -> Result<(), String> {
    if let Some(rule) = RULES.iter().find(|rule| (rule.broken)(options)) {
        return Err(format!("{} makes no sense: {}", rule.options, rule.reason));
    }
    Ok(())
}

/// Refuses what makes no sense for this model.
pub(crate) fn check_with_model(options: &CheckArgs, model: &Model) -> Result<(), String> {
    if let Some(option) = options.checks.outside()
        && !model.claims.iter().any(|claim| claim.from_outside)
    {
        return Err(format!("{option}: properties beside the model are read by `pv check` only"));
    }
    let names = || model.claims.iter().map(|claim| claim.name.as_ref()).collect::<Vec<_>>().join(", ");
    if let Some(property) = &options.checks.property {
        if model.claims.is_empty() {
            return Err(format!("--property {property}: {} has no ltl properties", model.name));
        }
        if !model.claims.iter().any(|claim| *claim.name == **property) {
            return Err(format!("--property {property}: {} has no such property; it has: {}", model.name, names()));
        }
    }
    if options.certificate.is_some() {
        certifiable(options, model)?;
    }
    for property in properties(&options.checks, model) {
        let rules = if property.is_safety(model) { WITHOUT_CLAIMS } else { WITHOUT_CYCLES };
        let Some(what) = what_is_checked(property, model) else { continue };
        let broken = rules.iter().find(|rule| (rule.broken)(options)).map(|rule| (rule.options, rule.reason));
        if let Some((option, reason)) = broken.or_else(|| against_reduction(options, property, model)) {
            let asked = options.checks.non_progress || options.checks.outside().is_some();
            let instead = if asked { "" } else { "; --no-claims leaves such checks out" };
            return Err(format!("{option} with {what} makes no sense: {reason}{instead}"));
        }
    }
    Ok(())
}

/// Refuses a certificate of what cannot be certified.
fn certifiable(options: &CheckArgs, model: &Model) -> Result<(), String> {
    if let Some(hidden) = model.globals.iter().find(|variable| variable.region == Region::Hidden) {
        let name = hidden.path.split('[').next().unwrap_or_default();
        return Err(format!(
            "--certificate with {} makes no sense: what follows a state depends on the hidden variable {name}, which is no part of it",
            model.name
        ));
    }
    let first = model.claims.iter().position(|claim| claim.formula.is_none());
    for number in properties(&options.checks, model).into_iter().filter_map(Property::claim) {
        let name = model.claims.get(number).filter(|claim| claim.formula.is_none() && first != Some(number));
        if let Some(claim) = name {
            return Err(format!(
                "--certificate with the claim {} of {} makes no sense: the reference executor knows the first never claim of a model only",
                claim.name, model.name
            ));
        }
    }
    Ok(())
}

/// What a property that is more than assertions and end states is called.
fn what_is_checked(property: Property, model: &Model) -> Option<String> {
    match property {
        Property::Safety => None,
        Property::Cycles(CycleProperty::Progress) => Some("--non-progress".to_string()),
        Property::Cycles(CycleProperty::AcceptLabels) => Some(format!("the accept labels of {}", model.name)),
        Property::Cycles(CycleProperty::Claim(number)) => {
            model.claims.get(number).map(|claim| format!("the claim {} of {}", claim.name, model.name))
        }
    }
}

/// Why a reduction that was asked for does not keep this property.
fn against_reduction(options: &CheckArgs, property: Property, model: &Model) -> Option<(&'static str, &'static str)> {
    if options.search.por && !property.is_insensitive(model) {
        let reason = "persistent sets keep runs up to repeated states, and this claim may tell a state from two like it (it uses X, its \
                      evaluation can be an error, or it was not found to be closed under stuttering)";
        return Some(("--por", reason));
    }
    if options.search.por && options.checks.fair && !property.is_safety(model) {
        return Some(("--por and --fair", "persistent sets do not keep which runs are fair"));
    }
    let merging = options.search.no_merging && !merges(property, model, options.checks.fair);
    merging.then_some(("--no-merging", "nothing is merged there"))
}

/// What is asked for and does nothing for this model. It is harmless and may come from a script that checks many models, so
/// it is told and not refused.
pub(crate) fn without_effect(options: &CheckArgs, model: &Model) -> Option<&'static str> {
    let checks = &options.checks;
    let cycles = checks.non_progress || (!checks.no_claims && (!model.claims.is_empty() || model.uses.accept_labels));
    (checks.fair && !cycles).then_some(
        "--fair has no effect: no cycles are looked for, since no claims and no accept labels are checked and \
         --non-progress is not given",
    )
}

/// What does not go with a claim, even if no cycles have to be found, and why.
#[rustfmt::skip]
const WITHOUT_CLAIMS: &[Rule] = rules! {
    "--sleep", |o| o.search.sleep,
        "moves that commute for the system do not for a claim, which looks at the state between them";
    "--deadlocks-only", |o| o.search.deadlocks_only,
        "the reduction keeps deadlocks, not properties";
    "--check-independence", |o| o.search.check_independence,
        "the relation is about the system without the claim";
    "--pod", |o| o.search.pod() > 0,
        "precision on demand looks for the first successor of a state, and a claim may leave it none";
    "--checkpoint", |o| o.search.checkpoint.is_some(),
        "a checkpoint is of one search without a claim";
};

/// What does not go with a search for cycles, and why.
#[rustfmt::skip]
const WITHOUT_CYCLES: &[Rule] = rules! {
    "--workers", |o| o.search.is_shared(),
        "cycles are found depth first";
    "--hosts and --processes", |o| o.search.is_spread(),
        "cycles are found depth first, by one process";
    "--search bfs", |o| o.search.bfs(),
        "cycles are found depth first";
    "--sleep", |o| o.search.sleep,
        "sleep sets may leave out the step that closes a cycle";
    "--deadlocks-only", |o| o.search.deadlocks_only,
        "the reduction keeps deadlocks, not cycles";
    "--check-independence", |o| o.search.check_independence,
        "the relation is about the system without the claim";
    "--cache", |o| o.search.cache.is_some(),
        "a forgotten state may be the one at which a cycle closes";
    "--store compact", |o| o.search.store() == StoreKind::Compact,
        "two states taken for one look like a cycle";
    "--store bloom", |o| o.search.store() == StoreKind::Bloom,
        "two states taken for one look like a cycle";
};

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        check: CheckArgs,
    }

    pub(in crate::cli) fn parse(line: &str) -> CheckArgs {
        // A line may begin with a model of its own.
        let model = if line.starts_with("- ") { None } else { Some("m.pml") };
        Line::parse_from(["check"].into_iter().chain(model).chain(line.split_whitespace())).check
    }

    fn broken(line: &str) -> Option<&'static str> {
        let options = parse(line);
        RULES.iter().find(|rule| (rule.broken)(&options)).map(|rule| rule.options)
    }

    /// A line that breaks each rule, in the order of the table.
    #[rustfmt::skip]
    const BREAKING: &[&str] = &[
        "--full --sleep",
        "--full --por",
        "--full --no-dead-variables",
        "--search bfs --no-merging",
        "--sleep --search bfs",
        "--sleep --por --cache 500",
        "--sleep --pod 1 --store compact",
        "--por --pod 1 --store bloom",
        "--deadlocks-only",
        "--por --deadlocks-only --no-end-states",
        "--por --deadlocks-only --property p",
        "--por --deadlocks-only --non-progress",
        "--check-por",
        "--check-independence --pod 1 --store bloom",
        "--check-independence --search bfs --disk",
        "--replace random",
        "--replace type --search bfs --cache 5",
        "--cache 500 --store bloom",
        "--cache 500 --store compact",
        "--cache 500 --store tree",
        "--bits 3",
        "--bits 1 --store compact",
        "--slots 100",
        "--expect-states 1M",
        "--expect-states 1M --slots 2M --store compact",
        "--slots 100 --store compact --search bfs --cache 500",
        "--slots 100 --store compact --search bfs --disk",
        "--expect-states 1M --store compact --search bfs --cache 500",
        "--expect-states 1M --store compact --search bfs --disk",
        "--pod 1",
        "--pod 1 --store compact --search bfs",
        "--pod 1 --store bloom --max-depth 50",
        "--repeat 2",
        "--hub --cache 64k",
        "--hub-split 0.5",
        "--hub-overwrite 0.5",
        "--ways 4 --cache 500",
        "--max-collision-rate 0.5",
        "--max-collision-rate 0.5 --serial --search bfs --cache 500",
        "--disk",
        "--disk --search bfs --cache 500",
        "--disk --search bfs --store bloom",
        "--disk --search bfs --store tree",
        "--disk --search bfs --serial",
        "--disk-window auto --search bfs",
        "--serial --search bfs",
        "--switch-rate 0.2",
        "--por --search bfs --store tree",
        "--por --search bfs --cache 500",
        "--work-dir x --search bfs",
        "--work-dir x",
        "--checkpoint c",
        "--checkpoint c --search bfs --por",
        "--checkpoint c --search bfs --store compact --repeat 2",
        "--checkpoint-every 5 --search bfs",
        "--workers 2 --search dfs",
        "--workers 2 --por --check-por",
        "--workers 2 --check-independence",
        "--workers 2 --store bloom",
        "--shortest --search bfs",
        "--shortest --all-errors",
        "--another --shortest",
        "--another --all-errors",
        "--another --search bfs --disk",
        "--certificate c --por",
        "--certificate c --cache 500",
        "--certificate c --search bfs --store tree",
        "--certificate c --max-depth 5",
        "--certificate c --another",
        "--certificate c --trail c",
        "--certificate c --formula p",
        "--hosts h --process 0 --processes 2",
        "--hosts h",
        "--process 1",
        "--token-file t",
        "--connect-timeout 5",
        "--processes 2 --search dfs",
        "--processes 2 --por",
        "--processes 2 --check-independence",
        "--processes 2 --cache 500",
        "--processes 2 --repeat 2 --store compact",
        "--processes 2 --another",
        "--processes 2 --certificate c",
        "- --processes 2",
        "m.pml",
        "- b.pml",
        "b.pml --trail t",
        "b.pml c.pml --certificate c",
        "b.pml --checkpoint c --search bfs",
        "b.pml --processes 2",
        "--json --format sarif",
        "--strict-channels --no-end-states",
        "--property p --no-claims",
        "--formula p --formula-file p",
        "--claim-file p --formula-file p",
        "--property p --claim-file p",
        "--no-claims --formula p",
        "--non-progress --formula-file p",
        "--por --deadlocks-only --formula p",
        "--property p --non-progress",
        "--non-progress --search bfs",
        "--fair --search bfs",
    ];

    #[test]
    fn every_rule_has_a_line_that_breaks_it_first() {
        assert_eq!(BREAKING.len(), RULES.len());
        for (line, rule) in BREAKING.iter().zip(RULES) {
            assert_eq!(broken(line), Some(rule.options), "{line}");
        }
    }

    #[test]
    fn sensible_lines_pass() {
        for line in [
            "",
            "--full",
            "--no-dead-variables --no-merging",
            "--search bfs --no-dead-variables",
            "--full --search bfs --store compact",
            "--search bfs --cache 500",
            "--cache 500 --sleep --replace type",
            "--por --deadlocks-only --check-por",
            "--por --sleep",
            "--por --sleep --deadlocks-only",
            "--store tree --por --sleep",
            "--store tree --search bfs --checkpoint c",
            "--store tree --fair --property p",
            "--por --check-por --check-independence --search bfs",
            "--store compact --bits 20 --slots 4M --pod 1 --repeat 3",
            "--store bloom --bits 3 --memory 512M",
            "--store bloom --expect-states 1M",
            "--store bloom --slots 1M --bits 4 --pod 1",
            "--store bloom --max-depth 50 --pod 0",
            "--search bfs --cache 64k --hub --hub-split 0.5 --hub-overwrite 0.01 --ways 1 --max-collision-rate 0.8",
            "--search bfs --disk --memory 64M --disk-window 0.5 --work-dir x --store compact",
            "--search bfs --serial --cache 1M --switch-rate 0.2 --disk-window auto",
            "--search bfs --checkpoint c --checkpoint-every 60",
            "--non-progress --fair",
            "--certificate c --sleep",
            "--certificate c --no-dead-variables",
            "--certificate c --workers 2 --store tree",
            "--certificate c --search bfs --all-errors",
            "--workers 0",
            "--workers 2 --store tree --memory 64M",
            "--workers 2 --store compact --bits 30 --expect-states 1000 --repeat 2",
            "--workers 3 --search bfs --full --memory 64M --max-depth 9 --another",
            "--workers 2 --certificate c --all-errors",
            "--workers 2 --checkpoint c --checkpoint-every 60",
            "--workers 2 --por",
            "--workers 2 --por --deadlocks-only --store tree",
            "--workers 2 --por --store compact",
            "--property p --fair",
            "--pod 0 --repeat 1 --search bfs",
            "--processes 3",
            "--processes 2 --workers 2",
            "--hosts h --process 1 --workers 0 --disk",
            "--processes 3 --checkpoint c --checkpoint-every 60 --store tree",
            "--hosts h --process 1 --checkpoint c --disk",
            "--search bfs --hosts h --process 1 --token-file t --connect-timeout 5 --store compact --memory 1G",
            "--processes 2 --disk --all-errors --max-depth 20",
            "b.pml c.pml --search bfs --all-errors",
            "--json --format json",
            "--format junit --trail t",
        ] {
            assert_eq!(broken(line), None, "{line}");
        }
    }

    #[test]
    fn refusals_name_the_options_and_the_reason() {
        let message = check(&parse("--hub")).unwrap_err();
        assert!(message.contains("--hub without --search bfs --cache"), "{message}");
        assert!(message.contains("two levels"), "{message}");
    }
}
