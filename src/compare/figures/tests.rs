//! Figures from made-up results: sentences and tables say what the numbers say.

use super::*;
use crate::compare::matrix::study;
use crate::compare::results::GaveUp;

const MEASURED: Measured = Measured {
    states: 1000,
    transitions: 3000,
    seconds: 0.5,
    memory: 1 << 20,
    vector_bytes: 40,
    bfs_memory: Some(1 << 30),
    depth: 30,
    shape: Some(crate::compare::matrix::StateSpaceShape { local: 0.9, hubs: 20 }),
};

struct Bench {
    results: Results,
    quoted: Quoted,
    _folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Bench {
        let folder = tempfile::tempdir().expect("a folder");
        let results = Results::open(&folder.path().join("r"), "f").expect("opens");
        Bench { results, quoted: Quoted::default(), _folder: folder }
    }

    /// Gives each run of a figure the record that `make` says.
    fn fill(&mut self, figure: Figure, make: impl Fn(&Chain, &Point) -> Option<Record>) -> Study {
        let study = study(figure, &MEASURED, &self.results);
        for chain in &study.chains {
            for point in &chain.points {
                if let Some(mut record) = make(chain, point) {
                    record.options.clone_from(&point.options);
                    record.pv = env!("CARGO_PKG_VERSION").into();
                    self.results.add(record).expect("writes");
                }
            }
        }
        study
    }

    fn data<'a>(&'a self, study: &'a Study) -> Data<'a> {
        Data { study, results: &self.results, measured: &MEASURED, factor: 30.0, quoted: &self.quoted }
    }

    fn draw(&self, study: &Study) -> Drawn {
        draw(&self.data(study)).expect("a figure")
    }
}

fn record(stored: u64, transitions: u64, seconds: f64) -> Record {
    Record { verdict: "verified".into(), stored, transitions, seconds, ..Record::default() }
}

fn gave_up(stored: u64, transitions: u64) -> Record {
    Record {
        verdict: "incomplete".into(),
        gave_up: Some(GaveUp::Transitions(90_000)),
        ..record(stored, transitions, 9.0)
    }
}

#[test]
fn sleep_sets_hold_where_the_plain_search_blows_up() {
    let mut bench = Bench::new();
    let study = bench.fill(Figure::CacheSleep, |chain, point| {
        Some(match chain.name.as_str() {
            "without sleep sets" if point.x < 500.0 => gave_up(80_000, 90_001),
            "without sleep sets" => record(1000, 6000, 1.0),
            _ => record(1500, 4500, 1.5),
        })
    });
    let drawn = bench.draw(&study);
    assert!(drawn.sentence.contains("Without sleep sets a cache of 500 states (50%) suffices, at 2 times"));
    assert!(drawn.sentence.contains("with 400 states (40%) it gave up after 30 times the transitions"));
    assert!(drawn.sentence.contains("times smaller"), "{}", drawn.sentence);
    let Some(Block::Figure { plots, .. }) = drawn.blocks.first() else { panic!("no figure first") };
    assert_eq!(plots.len(), 2);
    assert!(plots[0].contains("gave up") && !plots[0].contains("NaN"));
}

#[test]
fn the_figure_of_all_caches_answers_which_one() {
    let mut bench = Bench::new();
    let study = bench.fill(Figure::Caches, |chain, point| {
        Some(match chain.name.as_str() {
            "depth first, sleep sets, cost" => Record { matched: 100, ..record(1000, 3300, 0.6) },
            "breadth first, cache" if point.x >= 200.0 => record(1500, 4500, 0.4),
            name if name.contains("sleep sets") && point.x >= 500.0 => {
                Record { matched: 100, ..record(1000, 3300, 0.6) }
            }
            _ => gave_up(80_000, 90_001),
        })
    });
    assert_eq!((study.chains.len(), study.chains[0].points.len()), (7, 9));
    let drawn = bench.draw(&study);
    for part in [
        "Depth first with sleep sets makes do with 10 states (1%), at 1.1 times the transitions of the full search",
        "breadth first makes do with 200 states (20%), at 1.5 times the transitions of the full search (with 100 it gave up after 30",
        "With fewer than 200 slots use depth first with sleep sets.",
        "At 200 states (20%) depth first with sleep sets makes fewer transitions: 3,300 for 4,500 of breadth first.",
        "sleep sets leave 100 of the 2,000 arrivals",
        "90% of the transitions lead to the same level or one beside it",
        "2% of the states are hubs",
    ] {
        assert!(drawn.sentence.contains(part), "{part}: {}", drawn.sentence);
    }
    let Some(Block::Table(table)) = drawn.blocks.last() else { panic!("no table last") };
    assert_eq!((table.rows.len(), table.rows[0].len()), (9, 9));
    assert!(
        table
            .rows
            .iter()
            .any(|row| row[0] == "31" && row[2] == "gave up: over 90,000 transitions" && row[3] == "1.1 ×, 600 ms"),
        "{table:?}"
    );
}

#[test]
fn what_is_recommended_is_what_the_runs_say() {
    let mut bench = Bench::new();
    let study = bench.fill(Figure::Caches, |chain, point| {
        let holds_all = point.x >= 1000.0;
        match chain.name.as_str() {
            // As few transitions as by cost, but more to type; so it is cost.
            "depth first, sleep sets, cost" if point.x >= 200.0 => Some(record(1000, 3300, 0.6)),
            "depth first, sleep sets, random" if point.x >= 200.0 => Some(record(1000, 3250, 0.6)),
            name if name.starts_with("breadth") && !holds_all => None,
            _ if holds_all => Some(record(1000, 3000, 0.5)),
            _ => Some(gave_up(80_000, 90_001)),
        }
    });
    let answer = caches::answer(&bench.data(&study));
    let told = "Depth first with sleep sets: a cache of 200 states (20%) is enough, 0 bytes in all; breadth first no cache that was tried is";
    assert!(answer.lead.starts_with(told), "{}", answer.lead);
    assert_eq!(answer.runs.len(), 1);
    assert_eq!(answer.runs[0].1.options.join(" "), "--sleep --cache 200");
    // Whose time is told is timed again.
    assert!(bench.quoted.borrow().iter().any(|options| options.join(" ") == "--sleep --cache 200"));
    let mut bench = Bench::new();
    let depth = |chain: &Chain| chain.name.starts_with("depth").then(|| record(1000, 3300, 0.6));
    let study = bench.fill(Figure::Caches, |chain, _| depth(chain));
    let answer = caches::answer(&bench.data(&study));
    assert!(answer.lead.ends_with("breadth first was not tried."), "{}", answer.lead);
}

#[test]
fn times_have_their_spread() {
    let mut one = record(1000, 3000, 0.5);
    assert_eq!(time_text(&one), "500 ms (one run)");
    one.times = vec![0.5];
    one.took_also(0.4);
    one.took_also(0.7);
    assert_eq!(time_text(&one), "400 ms (up to 700 ms in 3 runs)");
    let bench = Bench::new();
    let study = study(Figure::Caches, &MEASURED, &bench.results);
    assert_eq!(bench.data(&study).time_ratio(&one, &record(1000, 3000, 0.2)), "2 (2 to 3.5)");
}

#[test]
fn the_hub_table_has_ratios_and_stars() {
    let mut bench = Bench::new();
    let study = bench.fill(Figure::Hub, |chain, point| match (chain.name.as_str(), point.x) {
        ("cache", x) if x < 0.5 => Some(gave_up(9000, 90_000)),
        ("hub", x) if x < 0.3 => Some(gave_up(9000, 90_000)),
        ("hub", _) => Some(record(1500, 4000, 0.6)),
        _ => Some(record(2000, 5000, 1.2)),
    });
    let drawn = bench.draw(&study);
    assert!(
        drawn.sentence.contains(
            "is 50% of the states: there the hub cache visits 0.75 times the states of the plain cache, in 0.5 times"
        ),
        "{}",
        drawn.sentence
    );
    assert!(drawn.sentence.contains("from 45% down to 30% only the hub cache"), "{}", drawn.sentence);
    let Some(Block::Table(table)) = drawn.blocks.last() else { panic!("no table last") };
    assert!(table.rows.iter().any(|row| row[1] == "both came to an end" && row[3] == "0.75" && row[4] == "0.5"));
    assert!(table.rows.iter().any(
        |row| row[1].starts_with("only hub came to an end; cache: it gave up after 30 times") && row[3] == "1,500*"
    ));
    assert!(table.rows.iter().any(|row| row[1].starts_with("neither: it gave up after 30 times") && row[3].is_empty()));
}

#[test]
fn pod_tells_gain_and_time() {
    let mut bench = Bench::new();
    let study = bench.fill(Figure::Pod, |chain, _| {
        Some(if chain.name.ends_with("POD 1") { record(900, 2500, 0.9) } else { record(750, 2000, 0.5) })
    });
    let drawn = bench.draw(&study);
    assert!(drawn.sentence.contains("raises the coverage from 75% to 90%"), "{}", drawn.sentence);
    assert!(drawn.sentence.contains("It never lowers it. It takes 80% more time on average."), "{}", drawn.sentence);
}

#[test]
fn disk_serial_and_collision_figures_are_drawn() {
    let mut bench = Bench::new();
    let disk = bench.fill(Figure::Disk, |chain, point| {
        let (seconds, memory_bytes) = match chain.name.as_str() {
            "in memory" => (1.0, 1 << 30),
            _ => (1.0 + point.x / 100.0, ((1u64 << 30) as f64 / point.x) as u64),
        };
        Some(Record { memory_bytes, ..record(1000, 3000, seconds) })
    });
    assert!(bench.draw(&disk).sentence.contains("With 100 times less memory the disk search takes 2 times"));
    let serial =
        bench.fill(Figure::Serial, |chain, _| Some(record(1000, 3000, if chain.name == "serial" { 0.9 } else { 1.0 })));
    assert!(bench.draw(&serial).sentence.contains("takes 0.9 times the time of the disk search on average"));
    let collision = bench.fill(Figure::Collision, |chain, _| {
        let mut record = if chain.name == "p = 1" { gave_up(9000, 90_000) } else { record(1200, 3600, 1.0) };
        record.collision_rate = Some(0.4);
        record.samples = vec![(100, 0.0), (900, 0.3)];
        Some(record)
    });
    let drawn = bench.draw(&collision);
    assert!(drawn.sentence.contains("gives up with p = 1."), "{}", drawn.sentence);
}

#[test]
fn any_subset_of_runs_makes_a_sound_figure() {
    for figure in Figure::ALL {
        for kept in 0..4 {
            let mut bench = Bench::new();
            let study = bench.fill(figure, |chain, point| match (point.options.len() + chain.name.len()) % 4 {
                n if n < kept => Some(if n == 0 { gave_up(5, 90_000) } else { record(0, 0, 0.0) }),
                _ => None,
            });
            let data = bench.data(&study);
            for block in draw(&data).iter().flat_map(|drawn| &drawn.blocks) {
                if let Block::Figure { plots, caption } = block {
                    assert!(plots.iter().all(|svg| !svg.contains("NaN") && !svg.contains("inf")), "{figure:?}");
                    assert!(!caption.contains("NaN"), "{caption}");
                }
            }
        }
    }
}

#[test]
fn numbers_are_short() {
    assert_eq!(significant(0.0021), "0.002");
    assert_eq!(significant(1.2345), "1.23");
    assert_eq!(significant(12.0), "12");
    assert_eq!(significant(123.4), "123");
    assert_eq!(seconds_text(0.0123), "12.3 ms");
    assert_eq!(seconds_text(2.5), "2.5 s");
}
