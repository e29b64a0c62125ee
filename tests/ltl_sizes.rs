//! The sizes of automata against those of `spin -f`, over random formulas and their negations.
//!
//! Counted alike for both: a state is a place in the claim where it waits for the next letter, `accept_all` is one with one
//! transition, and a transition is one line with a guard. SPIN is built without `X` in most packages, so no formula has it.
//! Without `spin` on the path the comparison is left out and says so.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use pv::ltl::{Formula, translate};

/// SPIN takes milliseconds for most formulas and hours for a few, above all with `<->`; those are left out of the totals.
const SPIN_LIMIT: Duration = Duration::from_secs(3);

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }

    fn formula(&mut self, size: u64) -> Formula {
        use Formula::*;
        if size == 0 {
            return Atom(self.below(3) as u32);
        }
        let kind = self.below(17);
        if kind < 6 {
            let inner = Box::new(self.formula(size - 1));
            return [Not, Always, Eventually][kind as usize / 2](inner);
        }
        let left = self.below(size);
        let (one, other) = (self.formula(left), self.formula(size - 1 - left));
        [Equiv, And, Or, Implies, Until, Release][(kind as usize - 5) / 2](Box::new(one), Box::new(other))
    }
}

enum Spin {
    Size(usize, usize),
    TooSlow,
    Missing,
}

fn spin(formula: &str) -> Spin {
    let child = Command::new("spin").arg("-f").arg(formula).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let Ok(mut child) = child else {
        return Spin::Missing;
    };
    let Some(mut stdout) = child.stdout.take() else {
        return Spin::Missing;
    };
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        stdout.read_to_string(&mut text).map(|_| text)
    });
    let start = Instant::now();
    while let Ok(None) = child.try_wait() {
        if start.elapsed() > SPIN_LIMIT {
            child.kill().expect("the child is ours");
            child.wait().expect("the child was killed");
            return Spin::TooSlow;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let text = reader.join().expect("the reader ends").expect("spin prints text");
    assert!(text.starts_with("never"), "spin -f {formula}: {text}");
    let count = |test: &dyn Fn(&str) -> bool| text.lines().filter(|line| test(line.trim())).count();
    let ends = count(&|line| line == "accept_all:");
    let states = count(&|line| line == "do" || line == "if" || line.starts_with("false"));
    Spin::Size(states + ends, count(&|line| line.starts_with("::")) + ends)
}

#[test]
fn automata_are_in_total_no_larger_than_those_of_spin() {
    let mut ours = (0, 0);
    let mut theirs = (0, 0);
    let (mut compared, mut slow, mut larger) = (0, 0, Vec::new());
    let mut random = Random(0x5eed_0001);
    for at in 0..200 {
        let formula = random.formula(2 + at % 6);
        for formula in [formula.clone(), Formula::Not(Box::new(formula))] {
            let text = formula.display(|atom| ["a", "b", "c"][atom as usize % 3]).to_string();
            let (states, transitions) = match spin(&text) {
                Spin::Size(states, transitions) => (states, transitions),
                Spin::TooSlow => {
                    slow += 1;
                    continue;
                }
                Spin::Missing => {
                    println!("skipped: there is no spin on the path to compare with");
                    return;
                }
            };
            let automaton = translate(&formula).expect(&text);
            let size = (automaton.states.len(), automaton.transition_count());
            if size > (states, transitions) {
                larger.push(format!("{text}: {size:?}, spin {:?}", (states, transitions)));
            }
            ours = (ours.0 + size.0, ours.1 + size.1);
            theirs = (theirs.0 + states, theirs.1 + transitions);
            compared += 1;
        }
    }
    println!(
        "{compared} formulas ({slow} too slow in spin): states {} (spin {}), transitions {} (spin {})",
        ours.0, theirs.0, ours.1, theirs.1
    );
    println!("larger than spin's: {}", larger.len());
    for line in &larger {
        println!("  {line}");
    }
    assert!(ours.0 <= theirs.0 && ours.1 <= theirs.1);
}
