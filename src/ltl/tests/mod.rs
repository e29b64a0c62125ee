//! Automata against an evaluator of formulas that is written from the definition.

mod parsing;
mod printing;

use super::formula::Operands;
use super::*;

/// Random numbers for tests: xorshift (Marsaglia 2003), so that a seed gives the same formulas everywhere.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }

    /// A formula with about `size` operators over `atoms` atoms.
    fn formula(&mut self, size: u64, atoms: u64) -> Formula {
        use Formula::*;
        if size == 0 {
            return match self.below(12) {
                0 => True,
                1 => False,
                _ => Atom(self.below(atoms) as u32),
            };
        }
        let kind = self.below(11);
        if kind < 4 {
            let inner = Box::new(self.formula(size - 1, atoms));
            return [Not, Next, Always, Eventually][kind as usize](inner);
        }
        let left = self.below(size);
        let (one, other) = (self.formula(left, atoms), self.formula(size - 1 - left, atoms));
        [And, Or, Implies, Equiv, Until, Release, WeakUntil][kind as usize - 4](Box::new(one), Box::new(other))
    }
}

/// An ultimately periodic word: `letters`, from the last of which the word goes on at `back`.
struct Lasso {
    letters: Vec<u64>,
    back: usize,
}

impl Lasso {
    fn random(random: &mut Random, atoms: u64) -> Lasso {
        let prefix = random.below(4) as usize;
        let cycle = 1 + random.below(4) as usize;
        Lasso { letters: (0..prefix + cycle).map(|_| random.below(1 << atoms)).collect(), back: prefix }
    }

    fn next(&self, at: usize) -> usize {
        if at + 1 < self.letters.len() { at + 1 } else { self.back }
    }

    /// Where the formula holds on the word, by its definition; fixpoints for the temporal operators.
    fn positions(&self, formula: &Formula) -> Vec<bool> {
        use Formula::*;
        let (left, right) = match formula.operands() {
            Operands::None => (Vec::new(), Vec::new()),
            Operands::One(one) => (self.positions(one), Vec::new()),
            Operands::Two(one, other) => (self.positions(one), self.positions(other)),
        };
        let each = |value: &dyn Fn(usize) -> bool| (0..self.letters.len()).map(value).collect();
        let fixpoint = |start: bool, step: &dyn Fn(usize, bool) -> bool| {
            let mut now = vec![start; self.letters.len()];
            for _ in 0..=self.letters.len() {
                now = (0..now.len()).map(|at| step(at, now[self.next(at)])).collect();
            }
            now
        };
        match formula {
            True => each(&|_| true),
            False => each(&|_| false),
            Atom(atom) => each(&|at| self.letters[at] >> atom & 1 == 1),
            Not(_) => each(&|at| !left[at]),
            And(..) => each(&|at| left[at] && right[at]),
            Or(..) => each(&|at| left[at] || right[at]),
            Implies(..) => each(&|at| !left[at] || right[at]),
            Equiv(..) => each(&|at| left[at] == right[at]),
            Next(_) => each(&|at| left[self.next(at)]),
            Until(..) => fixpoint(false, &|at, later| right[at] || left[at] && later),
            Release(..) => fixpoint(true, &|at, later| right[at] && (left[at] || later)),
            WeakUntil(..) => fixpoint(true, &|at, later| right[at] || left[at] && later),
            Always(_) => fixpoint(true, &|at, later| left[at] && later),
            Eventually(_) => fixpoint(false, &|at, later| left[at] || later),
        }
    }

    fn satisfies(&self, formula: &Formula) -> bool {
        self.positions(formula)[0]
    }

    /// Whether the automaton accepts the word: a reachable accepting pair of state and position that reaches itself.
    fn accepted_by(&self, automaton: &Buchi) -> bool {
        let after = |start: Vec<(usize, usize)>| {
            let mut seen = std::collections::HashSet::new();
            let mut open = start;
            while let Some((state, at)) = open.pop() {
                for (guard, target) in &automaton.states[state].transitions {
                    let pair = (*target, self.next(at));
                    if guard.accepts(self.letters[at]) && seen.insert(pair) {
                        open.push(pair);
                    }
                }
            }
            seen
        };
        let start = (automaton.initial, 0);
        let mut reachable = after(vec![start]);
        reachable.insert(start);
        reachable.into_iter().any(|pair| automaton.states[pair.0].accepting && after(vec![pair]).contains(&pair))
    }
}

fn letter_name(atom: u32) -> char {
    char::from(b'a' + (atom % 26) as u8)
}

/// Checks a formula and its negation on random words.
fn check(formula: &Formula, random: &mut Random, atoms: u64, words: usize) {
    let negation = formula.clone().negated();
    let simplified = formula.simplified().expect("small");
    let plain = formula.nnf().expect("small");
    let positive = translate(formula).expect("small");
    let negative = translate(&negation).expect("small");
    for _ in 0..words {
        let lasso = Lasso::random(random, atoms);
        let holds = lasso.satisfies(formula);
        let text = formula.display(letter_name);
        let word = (&lasso.letters, lasso.back);
        assert_eq!(lasso.satisfies(&plain), holds, "normal form of {text} on {word:?}");
        let rewritten = simplified.display(letter_name);
        assert_eq!(lasso.satisfies(&simplified), holds, "{text} rewritten to {rewritten} on {word:?}");
        assert_eq!(lasso.accepted_by(&positive), holds, "automaton of {text} on {word:?}");
        assert_eq!(lasso.accepted_by(&negative), !holds, "automaton of the negation of {text} on {word:?}");
    }
}

#[test]
fn automata_agree_with_the_definition_on_random_formulas() {
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let size = 1 + seed % 8;
        let formula = random.formula(size, 3);
        check(&formula, &mut random, 3, 40);
    }
}

fn automaton(text: &str) -> Buchi {
    translate(&parse(text).expect(text).formula).expect(text)
}

fn size(text: &str) -> (usize, usize) {
    let automaton = automaton(text);
    (automaton.states.len(), automaton.transition_count())
}

#[test]
fn known_sizes() {
    assert_eq!(size("[] a"), (1, 1));
    assert_eq!(size("<> a"), (2, 3));
    assert_eq!(size("a U b"), (2, 3));
    assert_eq!(size("[] <> a"), (2, 3));
    assert_eq!(size("<> [] a"), (2, 3));
    assert_eq!(size("true"), (1, 1));
    assert_eq!(size("false"), (1, 0));
    assert_eq!(size("[] (a -> <> b)"), (2, 4));
    assert_eq!(size("! [] (a -> <> b)"), (2, 3));
    assert_eq!(size("[]<>a && []<>b && []<>c && []<>d"), (5, 15));
}

#[test]
fn safety_is_recognised() {
    for text in ["<> a", "a U b", "<> (a && <> b)", "! [] (a -> b)", "true", "false"] {
        assert!(automaton(text).accepts_by_prefix(), "{text}");
    }
    for text in ["[] a", "[] <> a", "! [] (a -> <> b)"] {
        assert!(!automaton(text).accepts_by_prefix(), "{text}");
    }
    assert!(automaton("a && !a").is_empty());
    assert!(automaton("[] a && <> !a").is_empty());
}

#[test]
fn larger_formulas_stay_small() {
    assert_eq!(size("! (a U (b U (c U (d U (e U (f U (g U h)))))))"), (8, 36));
    assert_eq!(size("! (([]<>a && []<>b && []<>c && []<>d) -> []<>e)"), (6, 17));
    assert_eq!(size("! ([] (a -> <> b) && [] (c -> <> d) && [] (e -> <> f))"), (4, 7));
    assert_eq!(size("((((a <-> b) <-> c) <-> d) <-> e) <-> f"), (2, 2));
}

/// Formulas at the limit of depth: an automaton or a refusal, and never an exhausted stack or an endless computation.
#[test]
fn deep_formulas_are_translated_or_refused() {
    let nested = |join: fn(Box<Formula>, Box<Formula>) -> Formula, depth: u32| {
        let start = Formula::Atom(0);
        (1..depth).fold(start, |inner, at| join(Box::new(Formula::Atom(at % 60)), Box::new(inner)))
    };
    let refused = Err(TranslateError::TooLarge);
    for (join, small) in [
        (Formula::And as fn(Box<Formula>, Box<Formula>) -> Formula, true),
        (Formula::Implies, true),
        (Formula::Equiv, false),
        (Formula::Until, false),
        (Formula::Release, false),
        (Formula::WeakUntil, false),
    ] {
        let formula = nested(join, 200);
        let translated = translate(&formula).map(|automaton| automaton.states.len() <= 2);
        assert_eq!(translated, if small { Ok(true) } else { refused });
        let _ = (formula.nnf(), formula.simplified());
    }
    assert_eq!(translate(&nested(Formula::And, 201)), Err(TranslateError::TooDeep));
    assert_eq!(translate(&Formula::Atom(64)), Err(TranslateError::TooManyAtoms));
    assert!(translate(&Formula::Atom(63)).is_ok());
}

#[test]
fn formulas_without_next_do_not_see_stuttering() {
    let invariant = |text: &str| parse(text).expect(text).formula.is_stutter_invariant_syntactically();
    assert!(invariant("[] (a -> <> b)") && !invariant("[] (a -> X b)"));
}
