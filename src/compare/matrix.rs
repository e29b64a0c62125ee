//! Which settings a comparison runs: the papers' figures, each as a few chains of runs.
//!
//! A chain is one curve: the same search with less and less room. It ends early where a smaller size cannot be expected
//! to do better than one that has already failed; that, and the bound on transitions, keeps a blow-up from eating the
//! budget. Sizes are shares of the full state space, which is measured first.

use super::results::Results;
use std::str::FromStr;

/// A figure of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Figure {
    /// Which search finds an error first, which the shortest path to one. Models with errors have it, whatever else is asked for.
    Errors,
    /// Depth-first and breadth-first caches beside each other.
    Caches,
    /// The searches without bounds beside each other.
    Searches,
    /// Caching paper, Figure 4.
    CacheSleep,
    /// Caching paper, Figure 5.
    Replacement,
    /// Hub paper, Figure 9.
    Hub,
    /// Hub paper, Figure 6.
    Collision,
    /// Disk paper, Figure 3.
    Disk,
    /// Serialization paper, Table 1.
    Serial,
    /// POD paper, Tables 1 to 6, Figures 3 to 6.
    Pod,
    /// What the user asked for.
    Custom,
}

impl Figure {
    /// Those of the papers, in the order of the page.
    pub(crate) const ALL: [Figure; 9] = [
        Figure::Caches,
        Figure::Searches,
        Figure::CacheSleep,
        Figure::Replacement,
        Figure::Hub,
        Figure::Collision,
        Figure::Disk,
        Figure::Serial,
        Figure::Pod,
    ];

    /// The name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Figure::Errors => "errors",
            Figure::Caches => "caches",
            Figure::Searches => "searches",
            Figure::CacheSleep => "cache-sleep",
            Figure::Replacement => "replacement",
            Figure::Hub => "hub",
            Figure::Collision => "collision",
            Figure::Disk => "disk",
            Figure::Serial => "serial",
            Figure::Pod => "pod",
            Figure::Custom => "matrix",
        }
    }

    /// The heading on the page.
    pub(crate) fn heading(self) -> &'static str {
        match self {
            Figure::Errors => "Which search finds an error",
            Figure::Caches => "Depth-first and breadth-first caches",
            Figure::Searches => "Searches without a bound",
            Figure::CacheSleep => "State-space caching with and without sleep sets",
            Figure::Replacement => "Which state a full cache forgets",
            Figure::Hub => "Hub cache against plain cache, breadth first",
            Figure::Collision => "Collision rate of the hub cache",
            Figure::Disk => "Visited states on disk",
            Figure::Serial => "Cache first, then disk",
            Figure::Pod => "Precision on demand",
            Figure::Custom => "The matrix that was asked for",
        }
    }

    /// Where the figure comes from.
    pub(crate) fn source(self) -> &'static str {
        match self {
            Figure::CacheSleep => "after Figure 4 of Godefroid, Holzmann and Pirottin, State-Space Caching Revisited",
            Figure::Replacement => "after Figure 5 of Godefroid, Holzmann and Pirottin, State-Space Caching Revisited",
            Figure::Hub => {
                "after Figure 9 of Della Penna, Melatti, Intrigila and Tronci, Exploiting Hub States in Automatic Verification"
            }
            Figure::Collision => {
                "after Figure 6 of Della Penna, Melatti, Intrigila and Tronci, Exploiting Hub States in Automatic Verification"
            }
            Figure::Disk => {
                "after Figure 3 of Stern and Dill, Using Magnetic Disk instead of Main Memory in the Murphi Verifier"
            }
            Figure::Serial => {
                "after Table 1 of Della Penna, Intrigila, Melatti, Tronci and Venturini Zilli, Integrating RAM and Disk Based Verification within the Murphi Verifier"
            }
            Figure::Pod => {
                "after Tables 1 to 6 and Figures 3 to 6 of Melatti, Palmer and Gopalakrishnan, Precision On Demand: An Improvement in Probabilistic Hashing"
            }
            Figure::Errors | Figure::Caches | Figure::Searches | Figure::Custom => "",
        }
    }
}

impl FromStr for Figure {
    type Err = String;

    fn from_str(text: &str) -> Result<Figure, String> {
        Figure::ALL.into_iter().find(|figure| figure.name() == text).ok_or_else(|| {
            let names: Vec<&str> = Figure::ALL.iter().map(|figure| figure.name()).collect();
            format!("there is no such figure; there are: {}", names.join(", "))
        })
    }
}

/// One run of a chain.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Point {
    /// Where it stands in the figure: cache size in states, share, factor.
    pub x: f64,
    /// The setting.
    pub options: Vec<String>,
}

/// One curve.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Chain {
    /// Name in the legend.
    pub name: String,
    /// Runs, the easiest first.
    pub points: Vec<Point>,
    /// After this many failures in a row the rest is not run.
    pub patience: usize,
}

/// The runs of a figure.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Study {
    /// Which.
    pub figure: Figure,
    /// Its curves.
    pub chains: Vec<Chain>,
}

impl Study {
    /// All runs, in order.
    pub(crate) fn settings(&self) -> impl Iterator<Item = &Vec<String>> {
        self.chains.iter().flat_map(|chain| chain.points.iter().map(|point| &point.options))
    }

    /// The chain with this name.
    pub(crate) fn chain(&self, name: &str) -> Option<&Chain> {
        self.chains.iter().find(|chain| chain.name == name)
    }
}

/// The full state space, as measured first.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Measured {
    /// States.
    pub states: u64,
    /// Transitions of the full depth-first search.
    pub transitions: u64,
    /// Its seconds.
    pub seconds: f64,
    /// Its bytes.
    pub memory: u64,
    /// Bytes of the longest state vector.
    pub vector_bytes: u64,
    /// Bytes of the full breadth-first search, if it was run.
    pub bfs_memory: Option<u64>,
    /// Steps of the longest path of the full depth-first search.
    pub depth: u64,
    /// What `pv stats` says, if it was asked.
    pub shape: Option<StateSpaceShape>,
}

/// What explains how a cache does on a model, of the measures of `pv stats`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct StateSpaceShape {
    /// Share of the transitions that lead to the level before, the same or the next.
    pub local: f64,
    /// States with many times the usual number of transitions that lead to them.
    pub hubs: u64,
}

impl Measured {
    /// So many per cent of the states, at least one.
    pub(crate) fn percent(&self, percent: f64) -> u64 {
        ((self.states as f64 * percent / 100.0).round() as u64).max(1)
    }
}

/// Cache sizes of the caching paper's figures, in per cent: it goes down to 0.2% for DTP.
const CACHE_PERCENT: [f64; 16] =
    [100.0, 75.0, 60.0, 50.0, 40.0, 33.0, 25.0, 20.0, 15.0, 10.0, 6.0, 4.0, 2.0, 1.0, 0.5, 0.2];
/// Cache of the overview, in per cent.
const OVERVIEW_CACHE: f64 = 10.0;
/// Cache sizes of the figure of all caches, in per cent; the longest path comes on top.
const ALL_CACHES_PERCENT: [f64; 8] = [100.0, 50.0, 33.0, 20.0, 10.0, 5.0, 2.0, 1.0];
/// How the names of the depth-first searches of that figure begin.
pub(crate) const DEPTH_CACHES: &str = "depth first";
/// Budgets of the hub figure, in per cent.
const HUB_PERCENT: [f64; 15] =
    [90.0, 80.0, 70.0, 65.0, 60.0, 55.0, 50.0, 45.0, 40.0, 35.0, 30.0, 25.0, 20.0, 15.0, 10.0];
/// Overwrite probabilities of the collision figure.
const OVERWRITE: [f64; 5] = [0.0001, 0.001, 0.01, 0.1, 1.0];
/// Memory savings factors of the disk figure.
const SAVINGS: [f64; 7] = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0];
/// Budgets of the serialization table.
pub(crate) const SERIAL: [f64; 3] = [0.5, 0.4, 0.3];
/// Signature bits and table sizes of the POD tables.
const POD_BITS: [u8; 5] = [2, 3, 4, 5, 10];
const POD_SIZES: [f64; 5] = [1.0, 1.5, 2.0, 2.5, 3.0];
/// A full search that takes longer than this gets a thinner POD grid: it has a hundred runs.
const POD_PATIENCE: f64 = 4.0;
/// Below this many states sizes in per cent say nothing.
const FEWEST: u64 = 4;
/// The disk search is given no less than this: its buffers alone take about half of it.
const LEAST_DISK_MEMORY: u64 = 1 << 20;
/// `--memory` is for the whole program: what it takes for itself, about.
const PROGRAM: u64 = 12 << 20;

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_string).collect()
}

/// Sizes that differ, largest first.
fn sizes(measured: &Measured, percents: &[f64]) -> Vec<u64> {
    let mut sizes: Vec<u64> = percents.iter().map(|&percent| measured.percent(percent)).collect();
    sizes.retain(|&size| size >= FEWEST);
    sizes.dedup();
    sizes
}

fn chain(name: &str, patience: usize, points: impl Iterator<Item = (f64, String)>) -> Chain {
    let points = points.map(|(x, line)| Point { x, options: words(&line) }).collect();
    Chain { name: name.into(), points, patience }
}

/// The runs of a figure for a model of this size. `results` has what earlier figures found.
pub(crate) fn study(figure: Figure, measured: &Measured, results: &Results) -> Study {
    let chains = match figure {
        Figure::Errors => errors(),
        Figure::Caches => caches(measured),
        Figure::Searches => searches(measured),
        Figure::CacheSleep => cache_sleep(measured),
        Figure::Replacement => replacement(measured),
        Figure::Hub => hub(measured),
        Figure::Collision => collision(measured, results),
        Figure::Disk => disk(measured),
        Figure::Serial => serial(measured),
        Figure::Pod => pod(measured),
        Figure::Custom => Vec::new(),
    };
    Study { figure, chains }
}

/// A chain of one run.
fn single(name: &str, line: &str) -> Chain {
    chain(name, 1, [(0.0, line.to_string())].into_iter())
}

fn searches(measured: &Measured) -> Vec<Chain> {
    let cache = round(measured.percent(OVERVIEW_CACHE), false).max(FEWEST);
    vec![
        single("as pv check does it by itself", ""),
        single("depth first", "--full"),
        single("depth first, sleep sets", "--sleep"),
        single("depth first, partial-order reduction", "--por"),
        single("depth first, both", "--por --sleep"),
        single("depth first, partial-order reduction, cache", &format!("--por --cache {cache}")),
        single("depth first, tree", "--store tree --full"),
        // Without a size it would take as much memory as it may.
        single(
            "depth first, 40-bit signatures",
            &format!("--store compact --full --slots {}", measured.percent(130.0)),
        ),
        single("breadth first", "--search bfs --full"),
        single("breadth first, tree", "--search bfs --store tree --full"),
        single("breadth first, two workers", "--workers 2 --full"),
    ]
}

/// Every search that may stop at the first error.
fn errors() -> Vec<Chain> {
    vec![
        single("as pv check does it by itself", ""),
        single("depth first", "--full"),
        single("depth first, sleep sets", "--sleep"),
        single("depth first, partial-order reduction", "--por"),
        single("depth first, both", "--por --sleep"),
        single("depth first, then shorter", "--shortest"),
        single("breadth first", "--search bfs --full"),
        single("breadth first, reduced", "--search bfs"),
        single("breadth first, two workers", "--workers 2 --full"),
    ]
}

/// A number that a person would type: two digits and zeros. Up where it has to hold something.
fn round(number: u64, up: bool) -> u64 {
    let mut unit = 1;
    while number / unit >= 100 {
        unit *= 10;
    }
    if up { number.div_ceil(unit).saturating_mul(unit) } else { number / unit * unit }
}

fn caches(measured: &Measured) -> Vec<Chain> {
    let holds_all = |percent: f64| percent >= 100.0;
    let mut sizes: Vec<u64> =
        ALL_CACHES_PERCENT.iter().map(|&percent| round(measured.percent(percent), holds_all(percent))).collect();
    // The longest path is what a depth-first cache needs at the most to hold the stack.
    if measured.depth >= FEWEST && measured.depth < measured.states {
        sizes.push(round(measured.depth + 1, true));
    }
    sizes.retain(|&size| size >= FEWEST);
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    sizes.dedup();
    let points = |line: &str| {
        let line = line.to_string();
        sizes.iter().map(move |&n| (n as f64, line.replace('N', &n.to_string()))).collect::<Vec<_>>().into_iter()
    };
    // Replacement by cost is what `--cache` does by itself. The searches that may be recommended come first, should the time be used up.
    let mut chains = vec![
        chain(&format!("{DEPTH_CACHES}, cost"), 1, points("--cache N")),
        chain(&format!("{DEPTH_CACHES}, sleep sets, cost"), 1, points("--sleep --cache N")),
        chain("breadth first, cache", 1, points("--search bfs --cache N")),
        chain("breadth first, hub cache", 1, points("--search bfs --cache N --hub")),
    ];
    chains.extend(["random", "type", "smallest-subtree"].map(|rule| {
        let name = format!("{DEPTH_CACHES}, sleep sets, {rule}");
        chain(&name, 1, points(&format!("--sleep --cache N --replace {rule}")))
    }));
    chains
}

fn cache_sleep(measured: &Measured) -> Vec<Chain> {
    let sizes = sizes(measured, &CACHE_PERCENT);
    // As in the paper, which threw out any state.
    let points =
        |prefix: &'static str| sizes.iter().map(move |&n| (n as f64, format!("{prefix}--cache {n} --replace random")));
    vec![chain("without sleep sets", 1, points("")), chain("with sleep sets", 1, points("--sleep "))]
}

fn replacement(measured: &Measured) -> Vec<Chain> {
    let sizes = sizes(measured, &CACHE_PERCENT);
    let points = |suffix: &'static str| sizes.iter().map(move |&n| (n as f64, format!("--sleep --cache {n}{suffix}")));
    vec![chain("random", 1, points(" --replace random")), chain("type", 1, points(" --replace type"))]
}

fn hub(measured: &Measured) -> Vec<Chain> {
    let points = |suffix: &'static str| {
        let shares = HUB_PERCENT.iter().map(|&percent| (percent / 100.0, measured.percent(percent)));
        shares.filter(|(_, n)| *n >= FEWEST).map(move |(x, n)| (x, format!("--search bfs --cache {n}{suffix}")))
    };
    // A budget may fail by bad luck, as the paper's n_peterson shows; two in a row are an end.
    vec![chain("cache", 2, points("")), chain("hub", 2, points(" --hub"))]
}

/// At the smallest budget with which the hub cache finished, else at half of the states.
fn collision(measured: &Measured, results: &Results) -> Vec<Chain> {
    let hub = hub(measured);
    let finished = |point: &&Point| results.get(&point.options).is_some_and(|record| record.finished());
    let found = hub.iter().filter(|chain| chain.name == "hub").flat_map(|chain| &chain.points).rfind(finished);
    let cache = found.and_then(|point| point.options.get(3)).cloned();
    let cache = cache.unwrap_or_else(|| measured.percent(50.0).to_string());
    let one = |p: f64| {
        let suffix = if p == OVERWRITE[0] { String::new() } else { format!(" --hub-overwrite {p}") };
        chain(&format!("p = {p}"), 1, [(p, format!("--search bfs --cache {cache} --hub{suffix}"))].into_iter())
    };
    OVERWRITE.iter().map(|&p| one(p)).collect()
}

fn disk(measured: &Measured) -> Vec<Chain> {
    let memory = measured.bfs_memory.unwrap_or(measured.memory);
    let points = SAVINGS.iter().map(|&factor| (factor, (memory as f64 / factor) as u64));
    let points: Vec<(f64, u64)> = points.filter(|(_, bytes)| *bytes >= LEAST_DISK_MEMORY).collect();
    if points.len() < 2 {
        return Vec::new();
    }
    let points = points.into_iter();
    vec![
        chain("in memory", 1, [(1.0, "--search bfs --full".to_string())].into_iter()),
        chain("on disk", 1, points.map(|(factor, bytes)| (factor, format!("--search bfs --disk --memory {bytes}")))),
    ]
}

fn serial(measured: &Measured) -> Vec<Chain> {
    let memory = measured.bfs_memory.unwrap_or(measured.memory) as f64;
    let points = |line: &'static str| {
        let size = move |share: f64| {
            let cache = measured.percent(share * 100.0);
            // Half as much again is for the queue, which the paper's tools have on disk in any case.
            let bytes = (memory * share * 1.5) as u64 + PROGRAM;
            format!("--search bfs {line}").replace("CACHE", &cache.to_string()).replace("MEMORY", &bytes.to_string())
        };
        SERIAL.iter().map(move |&share| (share, size(share)))
    };
    vec![
        chain("serial", SERIAL.len(), points("--cache CACHE --serial --memory MEMORY")),
        // Whole states, as the cache keeps them.
        chain("disk", SERIAL.len(), points("--disk --store exact --memory MEMORY")),
    ]
}

/// The name of a chain of the POD figure.
pub(crate) fn pod_chain(store: &str, bits: u8, pod: u8) -> String {
    format!("{store}, {bits} bits{}", if pod > 0 { ", POD 1" } else { "" })
}

/// Bits and sizes of the POD figure.
pub(crate) fn pod_grid(measured: &Measured) -> (Vec<u8>, Vec<f64>) {
    if measured.seconds <= POD_PATIENCE {
        (POD_BITS.to_vec(), POD_SIZES.to_vec())
    } else {
        (vec![2, 4, 10], vec![1.0, 2.0, 3.0])
    }
}

fn pod(measured: &Measured) -> Vec<Chain> {
    let (all_bits, factors) = pod_grid(measured);
    let mut chains = Vec::new();
    for store in ["compact", "bloom"] {
        for &bits in &all_bits {
            for pod in [0, 1] {
                let points = factors.iter().map(|&factor| {
                    let slots = ((measured.states as f64 * factor).ceil() as u64).max(1);
                    let pod = if pod > 0 { " --pod 1" } else { " --full" };
                    (factor, format!("--store {store} --bits {bits} --slots {slots}{pod}"))
                });
                chains.push(chain(&pod_chain(store, bits, pod), factors.len(), points));
            }
        }
    }
    chains
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(states: u64) -> Measured {
        Measured { states, transitions: states * 3, seconds: 1.0, memory: states * 60, ..Measured::default() }
    }

    fn no_results() -> Results {
        let folder = tempfile::tempdir().expect("a folder");
        Results::open(&folder.path().join("r"), "f").expect("opens")
    }

    #[test]
    fn names_are_read_back() {
        for figure in Figure::ALL {
            assert_eq!(figure.name().parse(), Ok(figure));
        }
        assert!("fig4".parse::<Figure>().is_err_and(|message| message.contains("cache-sleep")));
    }

    #[test]
    fn sizes_fall_and_differ_for_models_of_any_size() {
        for states in [0, 1, 10, 251_409, u64::MAX / 1000] {
            for figure in Figure::ALL {
                let study = study(figure, &measured(states), &no_results());
                for chain in &study.chains {
                    let options: Vec<&Vec<String>> = chain.points.iter().map(|point| &point.options).collect();
                    for (index, one) in options.iter().enumerate() {
                        assert!(!options[..index].contains(one) || states < 100, "{figure:?} {states} {one:?}");
                    }
                }
            }
        }
        let study = study(Figure::CacheSleep, &measured(251_409), &no_results());
        let last = study.chains[1].points.last().expect("points");
        assert_eq!((last.x, last.options.join(" ")), (503.0, "--sleep --cache 503 --replace random".into()));
    }

    #[test]
    fn sizes_of_the_figure_that_recommends_are_those_a_person_would_type() {
        assert_eq!([0, 7, 99, 100, 251_409, 999].map(|n| round(n, false)), [0, 7, 99, 100, 250_000, 990]);
        assert_eq!([0, 7, 99, 101, 251_409, 999].map(|n| round(n, true)), [0, 7, 99, 110, 260_000, 1000]);
        let measured = Measured { depth: 836, ..measured(11_020) };
        let study = study(Figure::Caches, &measured, &no_results());
        let sizes: Vec<f64> = study.chains[0].points.iter().map(|point| point.x).collect();
        // All states and the longest path have room.
        assert_eq!(sizes, [12_000.0, 5500.0, 3600.0, 2200.0, 1100.0, 840.0, 550.0, 220.0, 110.0]);
    }
}
