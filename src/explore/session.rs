//! What a user explores: runs of one model that branch off each other, as a small tree.
//!
//! A branch is the run of its parent up to a step, and its own moves behind it. Nothing else is kept: to look at a branch its
//! moves are executed again from the start. The executor stands at the end of the branch that was used last, so that a
//! further step there costs no replay. What is kept is bounded: branches, and moves of all of them together.

use super::reach::{Bound, Reached, nearest};
use super::tell::{Move, Subject, Teller, values_along};
use super::watch::{Compile, Condition, Watch};
use crate::report::number::thousands;
use crate::search::outcome::Actor;
use crate::search::plan::Property;
use crate::search::walk::possible::by_chance;
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Branches that are kept.
const MOST_BRANCHES: usize = 100;
/// Moves that are kept, of all branches together.
const MOST_MOVES: usize = 200_000;
/// Moves of a counterexample that the page shows; of a longer one it shows the end.
const LONGEST_TRAIL: usize = 20_000;
/// Moves of one run.
const LONGEST_RUN: usize = LONGEST_TRAIL + 20_000;
/// Moves that are tried by chance until a condition holds.
const LONGEST_TRY: usize = 10_000;
/// What the search for a state where a condition holds may keep.
const REACH: Bound = Bound { states: 200_000, bytes: 200 << 20 };
/// Expressions that are kept compiled.
const MOST_WATCHES: usize = 50;

/// The counterexample that the exploration starts with.
pub(crate) struct Known {
    /// Its moves.
    pub moves: Vec<Move>,
    /// The move with which its cycle starts.
    pub cycle: Option<usize>,
    /// What is wrong at its end, for the page.
    pub error: Value,
    /// The property.
    pub name: Option<String>,
}

struct Branch {
    id: usize,
    /// The branch it leaves, and after how many moves from the start.
    parent: Option<(usize, usize)>,
    own: Vec<Move>,
    /// Steps of the claim in front of them.
    claims_before: usize,
    name: String,
    /// A counterexample is not added to.
    sealed: bool,
}

/// The claim looks at the state and no process moves.
fn is_of_claim(steps: &Move) -> bool {
    steps.iter().all(|step| step.actor == Actor::Claim)
}

/// See the module.
pub(crate) struct Session<'a> {
    subject: Subject<'a>,
    property: Property,
    compile: Compile<'a>,
    stop: &'a AtomicBool,
    /// The user does not want to wait any longer.
    enough: Arc<AtomicBool>,
    reach: Bound,
    /// Moves in front of what is shown.
    before: Vec<Move>,
    known: Option<Known>,
    branches: Vec<Branch>,
    next: usize,
    current: usize,
    tip: Option<(usize, usize, Teller<'a>)>,
    /// The branch that was told last, and its run as it was told: a page that is loaded again needs no step executed again.
    told: Option<(usize, Value)>,
    random: StdRng,
    watches: HashMap<String, Rc<Watch>>,
}

type Answer = Result<Value, String>;

impl<'a> Session<'a> {
    /// A session at the initial state, or with a counterexample.
    pub(crate) fn new(
        subject: Subject<'a>,
        property: Property,
        mut known: Option<Known>,
        compile: Compile<'a>,
        seed: u64,
        stop: &'a AtomicBool,
    ) -> Session<'a> {
        let mut before = Vec::new();
        if let Some(known) = &mut known {
            let left_out = known.moves.len().saturating_sub(LONGEST_TRAIL);
            before = known.moves.drain(..left_out).collect();
            known.cycle = known.cycle.map(|cycle| cycle.saturating_sub(left_out));
        }
        let (name, own) = match &mut known {
            Some(known) => ("counterexample".to_string(), std::mem::take(&mut known.moves)),
            None => ("run 1".to_string(), Vec::new()),
        };
        let root = Branch { id: 0, parent: None, own, claims_before: 0, name, sealed: known.is_some() };
        Session {
            subject,
            property,
            compile,
            stop,
            enough: Arc::default(),
            reach: REACH,
            before,
            known,
            branches: vec![root],
            next: 1,
            current: 0,
            tip: None,
            told: None,
            random: StdRng::seed_from_u64(seed),
            watches: HashMap::new(),
        }
    }

    /// A search that is under way ends when this is set. The server sets it, which hears the user while the session works.
    pub(crate) fn heed(&mut self, enough: Arc<AtomicBool>) {
        self.enough = enough;
    }

    /// All that the page needs to start.
    pub(crate) fn page(&mut self, model: &str) -> Answer {
        let mut data = self.open(self.current)?;
        data["live"] = true.into();
        data["model"] = model.into();
        data["source"] = self.subject.source();
        Ok(data)
    }

    /// Answers one question of the page.
    pub(crate) fn answer(&mut self, what: &str, asked: &Value) -> Answer {
        let number = |name: &str| asked[name].as_u64().and_then(|number| usize::try_from(number).ok());
        let needed = |name: &str| number(name).ok_or_else(|| format!("the question has no `{name}`"));
        let branch = needed("branch")?;
        // The steps of the claim are not shown: they come along with those of processes.
        let whole = asked["whole"] == true;
        match what {
            "open" => self.open(branch),
            "take" => self.take(branch, needed("at")?, needed("choice")?, whole),
            "run" => match asked["until"].as_str() {
                Some(condition) => self.run_until(branch, needed("at")?, condition),
                None => self.run_on(branch, needed("at")?, number("steps").unwrap_or(1), whole),
            },
            "undo" => self.undo(branch, whole),
            "drop" => self.remove(branch, number("current")),
            "watch" => {
                let text = asked["expression"].as_str().unwrap_or_default();
                let condition = self.condition(text, asked["condition"] == true)?;
                let values = self.values(branch, &condition)?;
                Ok(json!({"values": values}))
            }
            _ => Err(format!("`{what}` is unknown")),
        }
    }

    fn find(&self, id: usize) -> Result<&Branch, String> {
        self.branches.iter().find(|branch| branch.id == id).ok_or_else(|| "this branch is gone".into())
    }

    /// The moves from the start to the end of a branch.
    fn path(&self, id: usize) -> Result<Vec<Move>, String> {
        let mut parts: Vec<&[Move]> = Vec::new();
        let (mut branch, mut length) = (self.find(id)?, usize::MAX);
        loop {
            let start = branch.parent.map_or(0, |(_, at)| at);
            let own = length.saturating_sub(start).min(branch.own.len());
            parts.push(&branch.own[..own]);
            let Some((parent, at)) = branch.parent else { break };
            (branch, length) = (self.find(parent)?, at.min(length));
        }
        Ok(parts.into_iter().rev().flatten().cloned().collect())
    }

    fn length(&self, id: usize) -> Result<usize, String> {
        let branch = self.find(id)?;
        Ok(branch.parent.map_or(0, |(_, at)| at) + branch.own.len())
    }

    /// The executor after the first `at` moves of a branch.
    fn teller(&mut self, id: usize, at: usize) -> Result<Teller<'a>, String> {
        match self.tip.take() {
            Some((branch, length, teller)) if branch == id && length == at => return Ok(teller),
            _ => {}
        }
        Ok(self.behind(id, at)?.with_changes())
    }

    /// A new executor there.
    fn behind(&self, id: usize, at: usize) -> Result<Teller<'a>, String> {
        let path = self.path(id)?;
        let moves = path.get(..at).ok_or("the run is not that long")?;
        let mut teller = Teller::new(self.subject)?;
        for steps in self.before.iter().chain(moves) {
            teller.skip(steps)?;
        }
        Ok(teller)
    }

    /// A branch, told from its start.
    fn open(&mut self, id: usize) -> Answer {
        if let Some((_, run)) = self.told.as_ref().filter(|(told, _)| *told == id) {
            self.current = id;
            let length = run["steps"].as_array().map_or(0, Vec::len);
            return Ok(json!({"branch": id, "at": length, "run": run, "branches": self.tree()}));
        }
        let path = self.path(id)?;
        let mut teller = self.teller(id, 0)?;
        let start = teller.start();
        let mut steps = Vec::with_capacity(path.len());
        for steps_of_move in &path {
            steps.push(teller.tell(steps_of_move)?);
            self.may_go_on()?;
        }
        self.current = id;
        self.tip = Some((id, path.len(), teller));
        let known = self.known.as_ref().filter(|_| id == 0);
        let run = json!({
            "error": known.map(|known| &known.error),
            "property": known.map(|known| &known.name),
            "cycle": known.and_then(|known| known.cycle),
            "start": start,
            "steps": steps,
        });
        let answer = json!({"branch": id, "at": path.len(), "run": run, "branches": self.tree()});
        self.told = Some((id, run));
        Ok(answer)
    }

    fn tree(&self) -> Vec<Value> {
        let told = |branch: &Branch| {
            let (parent, at) = branch.parent.unzip();
            json!({
                "id": branch.id,
                "parent": parent,
                "at": at.unwrap_or(0),
                "own": branch.own.len(),
                "claims": branch.own.iter().filter(|steps| is_of_claim(steps)).count(),
                "claimsBefore": branch.claims_before,
                "length": at.unwrap_or(0) + branch.own.len(),
                "name": branch.name,
                "sealed": branch.sealed,
            })
        };
        self.branches.iter().map(told).collect()
    }

    fn may_go_on(&self) -> Result<(), String> {
        if self.stop.load(Ordering::Relaxed) {
            return Err("pv is asked to end".into());
        }
        if self.enough.load(Ordering::Relaxed) { Err("stopped; nothing was added".into()) } else { Ok(()) }
    }

    /// The branch to which moves behind `at` belong: the branch itself at its end, else a new one.
    fn branch_for(&mut self, id: usize, at: usize, moves: usize) -> Result<usize, String> {
        let kept: usize = self.branches.iter().map(|branch| branch.own.len()).sum();
        if kept + moves > MOST_MOVES || at + moves > LONGEST_RUN {
            return Err(format!("no more than {LONGEST_RUN} steps of a run are kept, and {MOST_MOVES} in all"));
        }
        if at == self.length(id)? && !self.find(id)?.sealed {
            return Ok(id);
        }
        if self.branches.len() >= MOST_BRANCHES {
            return Err(format!("{MOST_BRANCHES} branches are kept; drop one first"));
        }
        // The branch that has the step, so that the tree shows where the way parts.
        let mut owner = id;
        while let Some((parent, start)) = self.find(owner)?.parent {
            if at > start {
                break;
            }
            owner = parent;
        }
        let new = self.next;
        self.next += 1;
        let name = format!("run {}", new + 1);
        let claims_before = self.path(id)?.iter().take(at).filter(|steps| is_of_claim(steps)).count();
        let (parent, own) = (Some((owner, at)), Vec::new());
        self.branches.push(Branch { id: new, parent, own, claims_before, name, sealed: false });
        Ok(new)
    }

    /// Takes moves behind the first `at` of a branch and tells them.
    fn extend(&mut self, id: usize, at: usize, moves: Vec<Move>) -> Answer {
        let mut teller = self.teller(id, at)?;
        let told: Vec<Value> = moves.iter().map(|steps| teller.tell(steps)).collect::<Result<_, _>>()?;
        let branch = self.branch_for(id, at, moves.len())?;
        let length = at + moves.len();
        if let Some(branch) = self.branches.iter_mut().find(|known| known.id == branch) {
            branch.own.extend(moves);
        }
        if let Some((_, run)) = self.told.as_mut().filter(|(told, _)| *told == branch)
            && let Some(steps) = run["steps"].as_array_mut()
        {
            steps.truncate(at);
            steps.extend(told.iter().cloned());
        }
        self.current = branch;
        self.tip = Some((branch, length, teller));
        Ok(json!({"branch": branch, "from": at, "steps": told, "branches": self.tree()}))
    }

    fn take(&mut self, id: usize, at: usize, choice: usize, whole: bool) -> Answer {
        let mut teller = self.teller(id, at)?;
        let possible = teller.possible();
        self.tip = Some((id, at, teller));
        let first = possible.forced().filter(|_| whole).map(|choice| choice.steps.to_vec());
        let list = if first.is_some() { &possible.system } else { &possible.list };
        let choice = list.get(choice).ok_or("this step is not possible here")?.steps.to_vec();
        let by_claim = is_of_claim(&choice);
        let mut moves: Vec<Move> = first.into_iter().chain([choice]).collect();
        if !by_claim {
            moves.extend(self.forced(id, at, &moves)?);
        }
        self.extend(id, at, moves)
    }

    /// The step that the claim has to make behind these moves, if it is its turn and it has no choice. Nobody wants to take that
    /// one by hand.
    fn forced(&self, id: usize, at: usize, moves: &[Move]) -> Result<Option<Move>, String> {
        if self.subject.claim.is_none() {
            return Ok(None);
        }
        let mut teller = self.behind(id, at)?;
        for steps in moves {
            teller.skip(steps)?;
        }
        Ok(teller.possible().forced().map(|choice| choice.steps.to_vec()))
    }

    /// Some moves by chance; a step that the claim has to make behind the last one comes along.
    fn run_on(&mut self, id: usize, at: usize, moves: usize, whole: bool) -> Answer {
        let (mut taken, notice) = self.chance(id, at, (moves.min(LONGEST_TRY), whole), None)?;
        if notice.is_none() && !taken.iter().all(is_of_claim) {
            taken.extend(self.forced(id, at, &taken)?);
        }
        let mut answer = self.extend(id, at, taken)?;
        answer["notice"] = notice.into();
        Ok(answer)
    }

    /// The way to a nearest state where a condition holds. Where there are too many states to look at all, moves by chance.
    fn run_until(&mut self, id: usize, at: usize, text: &str) -> Answer {
        let condition = self.condition(text, true)?;
        let path = self.path(id)?;
        let past = path.get(..at).ok_or("the run is not that long")?;
        let past = self.before.iter().chain(past);
        let (taken, notice) = match nearest(self.subject, &condition, past, self.reach, &|| self.may_go_on())? {
            Reached::Found(moves) => (moves, None),
            Reached::Nowhere { states, error } => {
                let ways = if error { "; ways behind an error were not followed" } else { "" };
                return Err(format!(
                    "It holds in no state that can be reached from here: all {} were looked at{ways}.",
                    thousands(states as u64)
                ));
            }
            Reached::Cut { states, within } => {
                let looked = format!(
                    "It holds in none of the {} nearest states, which are up to {within} steps away",
                    thousands(states as u64)
                );
                match self.chance(id, at, (LONGEST_TRY, false), Some(&condition))? {
                    (taken, None) => {
                        (taken, Some(format!("{looked}. This way was found by chance; there may be a shorter one.")))
                    }
                    (_, Some(what)) => return Err(format!("{looked}; by chance: {what}")),
                }
            }
        };
        let mut answer = self.extend(id, at, taken)?;
        answer["notice"] = notice.into();
        Ok(answer)
    }

    /// Moves by chance, and what is to be said about their end. With a condition that does not come to hold there are none. Where moves are
    /// to be `whole`, those of the claim are not counted, and the claim does not go on alone.
    fn chance(
        &mut self,
        id: usize,
        at: usize,
        (most, whole): (usize, bool),
        until: Option<&Condition>,
    ) -> Result<(Vec<Move>, Option<String>), String> {
        let path = self.path(id)?;
        let past = path.get(..at).ok_or("the run is not that long")?;
        let mut teller = Teller::new(self.subject)?;
        let mut trial = until.map(|condition| condition.trial()).transpose()?;
        for steps in self.before.iter().chain(past) {
            teller.skip(steps)?;
            if let Some(trial) = &mut trial {
                trial.take(steps)?;
            }
        }
        let (mut taken, mut counted) = (Vec::new(), 0);
        while counted < most && taken.len() < LONGEST_TRY {
            self.may_go_on()?;
            let possible = teller.possible();
            let list = if whole && possible.system.is_empty() { Vec::new() } else { possible.list };
            let Some(choice) = by_chance(&list, &mut self.random) else {
                return Ok(match until {
                    Some(_) => {
                        (Vec::new(), Some("nothing could move before it held; try again for another way.".into()))
                    }
                    None => (taken, Some("Nothing can move any more.".into())),
                });
            };
            let steps = choice.steps.to_vec();
            let trapped = teller.skip(&steps)?;
            if let Some(trial) = &mut trial {
                trial.take(&steps)?;
            }
            counted += usize::from(!whole || !is_of_claim(&steps));
            taken.push(steps);
            if trapped && until.is_none() {
                return Ok((taken, Some("This step is an error.".into())));
            }
            if trapped {
                return Ok((Vec::new(), Some("a step was an error before it held.".into())));
            }
            if trial.as_ref().is_some_and(|trial| trial.holds(&teller.view())) {
                return Ok((taken, None));
            }
        }
        Ok(match until {
            Some(_) => (Vec::new(), Some(format!("it did not come to hold in {} steps.", thousands(most as u64)))),
            None => (taken, None),
        })
    }

    fn undo(&mut self, id: usize, whole: bool) -> Answer {
        let length = self.length(id)?;
        let branch = self.find(id)?;
        if branch.sealed || branch.own.is_empty() {
            return Err("there is nothing to undo in this branch".into());
        }
        if self.branches.iter().any(|child| child.parent.is_some_and(|(parent, at)| parent == id && at >= length)) {
            return Err("another branch starts behind this step; drop that one first".into());
        }
        // A step that the claim had to make goes with the move before it.
        let with_claim = branch.own.len() > 1
            && branch.own.last().is_some_and(is_of_claim)
            && !self.branches.iter().any(|child| child.parent == Some((id, length - 1)))
            && self.forced(id, length - 1, &[])?.is_some();
        let mut keep = branch.own.len() - 1 - usize::from(with_claim);
        let starts = length - branch.own.len();
        let is_left = |child: &Branch| child.parent.is_some_and(|(parent, at)| parent == id && at > starts);
        // A branch of which nothing would be seen is none.
        if whole && branch.own[..keep].iter().all(is_of_claim) && !self.branches.iter().any(is_left) {
            keep = 0;
        }
        self.tip = None;
        let length = starts + keep + 1;
        let Some(branch) = self.branches.iter_mut().find(|branch| branch.id == id) else { return Err(String::new()) };
        branch.own.truncate(keep);
        if let Some((_, run)) = self.told.as_mut().filter(|(told, _)| *told == id)
            && let Some(steps) = run["steps"].as_array_mut()
        {
            steps.truncate(length - 1);
        }
        match branch.parent {
            Some((parent, at)) if branch.own.is_empty() => {
                if self.branches.iter().any(|child| child.parent.is_some_and(|(parent, _)| parent == id)) {
                    return self.shortened(id, length - 1);
                }
                self.branches.retain(|branch| branch.id != id);
                let mut answer = self.open(parent)?;
                answer["at"] = at.into();
                Ok(answer)
            }
            _ => self.shortened(id, length - 1),
        }
    }

    fn shortened(&self, id: usize, length: usize) -> Answer {
        Ok(json!({"branch": id, "from": length, "steps": [], "branches": self.tree()}))
    }

    fn remove(&mut self, id: usize, current: Option<usize>) -> Answer {
        let Some((parent, at)) = self.find(id)?.parent else { return Err("the first run stays".into()) };
        if self.branches.iter().any(|child| child.parent.is_some_and(|(parent, _)| parent == id)) {
            return Err("other branches start in this one; drop them first".into());
        }
        self.branches.retain(|branch| branch.id != id);
        self.tip = None;
        if current == Some(id) || self.current == id {
            let mut answer = self.open(parent)?;
            answer["at"] = at.into();
            return Ok(answer);
        }
        Ok(json!({"branches": self.tree()}))
    }

    /// A condition or an expression; where a condition is asked for, the name of a label is one.
    fn condition(&mut self, text: &str, labels: bool) -> Result<Condition, String> {
        let text = text.trim();
        if text.is_empty() {
            return Err("there is no expression".into());
        }
        if labels && Condition::is_label(self.subject.model, text) {
            return Ok(Condition::Label(text.to_string()));
        }
        if let Some(known) = self.watches.get(text) {
            return Ok(Condition::Holds(Rc::clone(known)));
        }
        let watch = Rc::new(Watch::new(self.subject.model, self.property, self.compile, text)?);
        if self.watches.len() >= MOST_WATCHES {
            self.watches.clear();
        }
        self.watches.insert(text.to_string(), Rc::clone(&watch));
        Ok(Condition::Holds(watch))
    }

    /// The value in every state of a branch; `null` where it has none.
    fn values(&self, id: usize, condition: &Condition) -> Result<Vec<Value>, String> {
        values_along(self.subject, condition, self.before.iter(), self.path(id)?.iter())
    }
}

#[cfg(test)]
mod tests;
