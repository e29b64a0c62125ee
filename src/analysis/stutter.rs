//! Whether a claim can tell a run from one that stutters, that is from one that repeats some of its states.
//!
//! A formula without `X` cannot (Lamport 1983). Of a claim that was written by hand it is found out from its automaton. The parts of
//! its guards that are no `&&`, `||` or `!` are atoms, and a letter says which of them are true. The claim is *closed under stuttering* if
//! for every letter a
//!
//! - where a leads from q to r, it leads from r to r: the letter may come once more;
//! - where a leads from q to r and from r to s, it leads from q to s, and one of q and s accepts if r does: the letter may come once less.
//!
//! Then every run of the claim over a word, finite or not, gives one over each word that differs from it by stuttering, and the new
//! run passes accepting states again and again if the old one does. The test errs in one direction only: some claims that cannot tell
//! the difference are not recognized.

use crate::model::{Action, Automaton, BinaryOp, Claim, Expr, ExprKind, UnaryOp};

/// With more atoms than this a claim is not looked at: there are two to that many letters.
const MOST_ATOMS: usize = 10;
/// The same for its locations.
const MOST_LOCATIONS: usize = 64;

/// Is the claim the same for runs that differ by stuttering?
pub fn is_insensitive(claim: &Claim) -> bool {
    match claim.formula {
        Some(_) => !claim.uses_next,
        None => is_closed(&claim.body.automaton),
    }
}

/// A guard over atoms.
enum Guard {
    Constant(bool),
    Atom(usize),
    Not(Box<Guard>),
    And(Box<Guard>, Box<Guard>),
    Or(Box<Guard>, Box<Guard>),
}

impl Guard {
    fn holds(&self, letter: u32) -> bool {
        match self {
            Guard::Constant(value) => *value,
            Guard::Atom(number) => letter >> number & 1 == 1,
            Guard::Not(a) => !a.holds(letter),
            Guard::And(a, b) => a.holds(letter) && b.holds(letter),
            Guard::Or(a, b) => a.holds(letter) || b.holds(letter),
        }
    }
}

fn is_closed(automaton: &Automaton) -> bool {
    if automaton.locations.len() > MOST_LOCATIONS {
        return false;
    }
    let mut atoms = Vec::new();
    let mut guards: Vec<Option<Guard>> = Vec::with_capacity(automaton.transitions.len());
    for transition in &automaton.transitions {
        if transition.atomic || transition.escape != 0 {
            return false;
        }
        guards.push(match &transition.action {
            Action::Skip => Some(Guard::Constant(true)),
            Action::Guard(expr) => match guard(expr, &mut atoms) {
                None => return false,
                known => known,
            },
            // if nothing before it is executable
            Action::Else => None,
            // the end of the claim
            Action::End => Some(Guard::Constant(false)),
            _ => return false,
        });
    }
    let letters = 1u32 << atoms.len();
    (0..letters).all(|letter| is_closed_for(automaton, &guards, letter))
}

/// For one letter; bit r of `next[q]` says that it leads from q to r.
fn is_closed_for(automaton: &Automaton, guards: &[Option<Guard>], letter: u32) -> bool {
    let count = automaton.locations.len();
    let accepts = |q: usize| automaton.locations[q].accept || automaton.locations[q].end;
    let mut next = vec![0u64; count];
    for (q, location) in automaton.locations.iter().enumerate() {
        let mut any = false;
        let own = location.first as usize..(location.first + location.count) as usize;
        for (guard, transition) in guards[own.clone()].iter().zip(&automaton.transitions[own]) {
            if guard.as_ref().map_or(!any, |guard| guard.holds(letter)) {
                any = true;
                let target = transition.target;
                if target as usize >= count {
                    return false;
                }
                next[q] |= 1 << target;
            }
        }
        if location.end {
            // what the claim was to say is said
            next[q] = 1 << q;
        }
    }
    let members = |set: u64| (0..count).filter(move |r| set >> r & 1 == 1);
    (0..count).all(|q| {
        members(next[q]).all(|r| {
            let repeats = next[r] >> r & 1 == 1;
            let shortened = next[r] & !next[q] == 0;
            let kept = !accepts(r) || accepts(q) || members(next[r]).all(accepts);
            repeats && shortened && kept
        })
    })
}

fn guard(expr: &Expr, atoms: &mut Vec<String>) -> Option<Guard> {
    let boxed = |expr: &Expr, atoms: &mut Vec<String>| guard(expr, atoms).map(Box::new);
    let opposite = |op: BinaryOp, a: &Expr, b: &Expr, atoms: &mut Vec<String>| {
        Some(Guard::Not(Box::new(atom(format!("{}{op:?}{}", key(a)?, key(b)?), atoms)?)))
    };
    Some(match &expr.kind {
        ExprKind::Constant(value) => Guard::Constant(*value != 0),
        ExprKind::Unary(UnaryOp::Not, a) => Guard::Not(boxed(a, atoms)?),
        ExprKind::Binary(BinaryOp::And, a, b) => Guard::And(boxed(a, atoms)?, boxed(b, atoms)?),
        ExprKind::Binary(BinaryOp::Or, a, b) => Guard::Or(boxed(a, atoms)?, boxed(b, atoms)?),
        ExprKind::Binary(BinaryOp::NotEqual, a, b) => opposite(BinaryOp::Equal, a, b, atoms)?,
        ExprKind::Binary(BinaryOp::Greater, a, b) => opposite(BinaryOp::LessEqual, a, b, atoms)?,
        ExprKind::Binary(BinaryOp::GreaterEqual, a, b) => opposite(BinaryOp::Less, a, b, atoms)?,
        _ => atom(key(expr)?, atoms)?,
    })
}

fn atom(key: String, atoms: &mut Vec<String>) -> Option<Guard> {
    let number = atoms.iter().position(|known| *known == key).unwrap_or_else(|| {
        atoms.push(key);
        atoms.len() - 1
    });
    (number < MOST_ATOMS).then_some(Guard::Atom(number))
}

/// A text that is the same for expressions that are the same; `None` for what is seldom in claims.
fn key(expr: &Expr) -> Option<String> {
    Some(match &expr.kind {
        ExprKind::Constant(value) => format!("{value}"),
        ExprKind::Load(place) => {
            let mut text = format!("<{:?} {} {:?}", place.region, place.offset, place.scalar);
            for index in &place.indices {
                text += &format!("[{}*{}]", key(&index.value)?, index.dimension.stride);
            }
            text + ">"
        }
        ExprKind::Unary(op, a) => format!("({op:?} {})", key(a)?),
        ExprKind::Binary(op, a, b) => format!("({} {op:?} {})", key(a)?, key(b)?),
        ExprKind::Channel(test, channel) => format!("{test:?}({})", key(channel)?),
        ExprKind::ProcessCount => "_nr_pr".to_string(),
        ExprKind::RemoteLabel { proctype, pid, location } => {
            let pid = match pid {
                Some(pid) => key(pid)?,
                None => String::new(),
            };
            format!("{proctype}[{pid}]@{location}")
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closed(never: &str) -> bool {
        let text = format!("byte x, y; active proctype P() {{ x = 1 }} never {{ {never} }}");
        let model = crate::load::read_text("m.pml", &text).unwrap_or_else(|what| panic!("{what}")).1;
        is_insensitive(&model.claims[0])
    }

    #[test]
    fn what_is_said_of_states_for_good_is_closed_under_stuttering() {
        assert!(closed("do :: x == 1 -> break :: else od"));
        assert!(closed(
            "T0: if :: true -> goto T0 :: x == 1 && y != 1 -> goto accept fi; accept: if :: y != 1 -> goto accept fi"
        ));
        assert!(closed("accept: do :: !(x == 1) od"));
    }

    #[test]
    fn what_counts_steps_is_not() {
        // x == 1 in two states, one after the other
        assert!(!closed("do :: x == 1 -> x == 1 -> break :: else od"));
        // one step and no more may be made before y
        assert!(!closed("x == 0; x == 1; accept: do :: true od"));
        assert!(!closed("do :: x == 0 -> accept: x == 0 od"));
    }
}
