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
    name: String,
    /// A counterexample is not added to.
    sealed: bool,
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
        let root = Branch { id: 0, parent: None, own, name, sealed: known.is_some() };
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
        match what {
            "open" => self.open(branch),
            "take" => self.take(branch, needed("at")?, needed("choice")?),
            "run" => match asked["until"].as_str() {
                Some(condition) => self.run_until(branch, needed("at")?, condition),
                None => self.run_on(branch, needed("at")?, number("steps").unwrap_or(1)),
            },
            "undo" => self.undo(branch),
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
        self.branches.push(Branch { id: new, parent: Some((owner, at)), own: Vec::new(), name, sealed: false });
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

    fn take(&mut self, id: usize, at: usize, choice: usize) -> Answer {
        let mut teller = self.teller(id, at)?;
        let list = teller.possible().list;
        self.tip = Some((id, at, teller));
        let choice = list.get(choice).ok_or("this step is not possible here")?;
        let mut moves = vec![choice.steps.to_vec()];
        let by_claim = choice.steps.iter().any(|step| step.actor == Actor::Claim);
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
    fn run_on(&mut self, id: usize, at: usize, moves: usize) -> Answer {
        let (mut taken, notice) = self.chance(id, at, moves.min(LONGEST_TRY), None)?;
        if notice.is_none() && taken.iter().flatten().any(|step| step.actor != Actor::Claim) {
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
                match self.chance(id, at, LONGEST_TRY, Some(&condition))? {
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

    /// Moves by chance, and what is to be said about their end. With a condition that does not come to hold there are none.
    fn chance(
        &mut self,
        id: usize,
        at: usize,
        most: usize,
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
        let mut taken = Vec::new();
        while taken.len() < most {
            self.may_go_on()?;
            let list = teller.possible().list;
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

    fn undo(&mut self, id: usize) -> Answer {
        let length = self.length(id)?;
        let branch = self.find(id)?;
        if branch.sealed || branch.own.is_empty() {
            return Err("there is nothing to undo in this branch".into());
        }
        if self.branches.iter().any(|child| child.parent.is_some_and(|(parent, at)| parent == id && at >= length)) {
            return Err("another branch starts behind this step; drop that one first".into());
        }
        let by_claim = |steps: &Move| steps.iter().all(|step| step.actor == Actor::Claim);
        // A step that the claim had to make goes with the move before it.
        let with_claim = branch.own.len() > 1
            && branch.own.last().is_some_and(by_claim)
            && !self.branches.iter().any(|child| child.parent == Some((id, length - 1)))
            && self.forced(id, length - 1, &[])?.is_some();
        self.tip = None;
        let length = length - usize::from(with_claim);
        let Some(branch) = self.branches.iter_mut().find(|branch| branch.id == id) else { return Err(String::new()) };
        branch.own.truncate(branch.own.len() - 1 - usize::from(with_claim));
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
mod tests {
    use super::*;
    use crate::load::{compile_expression, read_text};
    use crate::model::{Expr, Model};
    use crate::search::plan::CycleProperty;
    use crate::source::SourceMap;
    use crate::source::preprocess::PreprocessOptions;

    const TEXT: &str =
        "byte x; active proctype p() { do :: x++ :: x < 2 -> x = x + 2 :: x > 4 -> break od; done: skip }";

    fn expression(text: &str) -> Result<(Model, Expr), String> {
        let (mut map, mut diagnostics) = (SourceMap::new(), Vec::new());
        let file = map.add_file("m.pml".into(), None, TEXT.into());
        let watched = map.add_file("<expression>".into(), None, text.into());
        let options = PreprocessOptions::default();
        compile_expression(&mut map, file, None, watched, &options, &mut diagnostics)
            .ok_or_else(|| diagnostics.iter().map(|diagnostic| diagnostic.message.clone()).collect())
    }

    fn with_session(test: impl Fn(&mut Session<'_>)) {
        with_session_of(TEXT, None, test);
    }

    fn with_session_of(text: &str, claim: Option<usize>, test: impl Fn(&mut Session<'_>)) {
        let (map, model) = read_text("m.pml", text).expect("a model");
        let property = claim.map_or(Property::Safety, |claim| Property::Cycles(CycleProperty::Claim(claim)));
        let (own, program) = property.compile(&model);
        let model = own.as_ref().unwrap_or(&model);
        let stop = AtomicBool::new(false);
        let subject = Subject { model, map: &map, program: &program, claim };
        test(&mut Session::new(subject, property, None, &expression, 1, &stop));
    }

    /// Who made the steps of an answer.
    fn who(answer: &Value) -> Vec<&str> {
        answer["steps"].as_array().expect("steps").iter().filter_map(|step| step["parts"][0][0].as_str()).collect()
    }

    fn branches(answer: &Value) -> Vec<(u64, u64, u64)> {
        let number = |branch: &Value, name: &str| branch[name].as_u64().unwrap_or(99);
        let told = |branch: &Value| (number(branch, "parent"), number(branch, "at"), number(branch, "length"));
        answer["branches"].as_array().expect("a tree").iter().map(told).collect()
    }

    #[test]
    fn runs_branch_and_come_back() {
        with_session(|session| {
            let mut ask = |what: &str, asked: Value| session.answer(what, &asked);
            for at in 0..3 {
                ask("take", json!({"branch": 0, "at": at, "choice": 0})).expect("a step");
            }
            let answer = ask("take", json!({"branch": 0, "at": 1, "choice": 1})).expect("another way");
            assert_eq!((answer["branch"].as_u64(), answer["from"].as_u64()), (Some(1), Some(1)));
            assert_eq!(branches(&answer), [(99, 0, 3), (0, 1, 2)]);
            // A branch at a step of the parent is one of the parent.
            let answer = ask("take", json!({"branch": 1, "at": 1, "choice": 0})).expect("a third way");
            assert_eq!(branches(&answer)[2], (0, 1, 2));
            let values = ask("watch", json!({"branch": 1, "expression": "x * 10"})).expect("values");
            assert_eq!(values["values"], json!(["0", "10", "10"]));
            let opened = ask("open", json!({"branch": 1})).expect("the branch");
            assert_eq!(opened["run"]["steps"].as_array().map(Vec::len), Some(2));
            // What was told is kept, and is what would be told anew; also behind a step and its undoing.
            ask("take", json!({"branch": 1, "at": 2, "choice": 0})).expect("a step");
            let kept = ask("open", json!({"branch": 1})).expect("the branch");
            ask("open", json!({"branch": 0})).expect("another one");
            assert_eq!(ask("open", json!({"branch": 1})).expect("the branch"), kept);
            ask("undo", json!({"branch": 1})).expect("undone");
            assert_eq!(ask("open", json!({"branch": 1})).expect("the branch"), opened);
            let answer = ask("undo", json!({"branch": 1})).expect("undone");
            assert_eq!((answer["branch"].as_u64(), answer["at"].as_u64()), (Some(0), Some(1)));
            assert!(ask("drop", json!({"branch": 0})).is_err());
            assert_eq!(branches(&ask("drop", json!({"branch": 2})).expect("dropped")), [(99, 0, 3)]);
            for wrong in [
                json!({"branch": 7, "at": 0, "choice": 0}),
                json!({"branch": 0, "at": 9, "choice": 0}),
                json!({"branch": 0}),
            ] {
                assert!(ask("take", wrong).is_err());
            }
        });
    }

    #[test]
    fn runs_go_on_until_it_holds() {
        with_session(|session| {
            let mut ask = |until: &str| session.answer("run", &json!({"branch": 0, "at": 0, "until": until}));
            let found = ask("x == 3 && _last == 0").expect("a run");
            let branch = found["branch"].clone();
            assert!(ask("x == 3 ; x = 1").is_err_and(|what| what.contains("does not belong")));
            assert!(ask("nothing").is_err_and(|what| what.contains("nothing")));
            for effect in ["run p()", "x == 3 && (run p() > 0)", "0 && run p()", "set_priority(0, 2)"] {
                assert!(ask(effect).is_err_and(|what| what.contains("changes the state")), "{effect}");
            }
            assert!(ask("").is_err());
            assert!(ask("done").is_ok());
            let values = session.answer("watch", &json!({"branch": branch, "expression": "x"})).expect("values");
            let values: Vec<&str> =
                values["values"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
            assert_eq!((values.first(), values.last()), (Some(&"0"), Some(&"3")));
            assert_eq!(values.iter().filter(|value| **value == "3").count(), 1);
        });
    }

    #[test]
    fn the_claim_moves_with_a_branch() {
        // Behind x = 1 it has a choice, behind x = 2 it is stuck.
        let text = "byte x; active proctype p() { x = 1; x = 2; x = 3 }
            never n { do :: x == 0 :: x == 1 -> break :: x == 1 od; accept: do :: x == 1 od }";
        with_session_of(text, Some(0), |session| {
            let mut ask = |what: &str, asked: Value| session.answer(what, &asked).expect("an answer");
            let start = ask("open", json!({"branch": 0}));
            let moves = &start["run"]["start"]["moves"];
            assert_eq!((&moves["claim"], moves["can"].as_array().map(Vec::len)), (&json!("moves"), Some(1)));
            assert_eq!(moves["can"][0][0][0], Value::Null);
            assert_eq!(moves["cannot"][0][2], "the claim of the property moves first");
            assert_eq!(who(&ask("take", json!({"branch": 0, "at": 0, "choice": 0}))), ["claim n"]);
            // It has two steps here, so the user chooses.
            let taken = ask("take", json!({"branch": 0, "at": 1, "choice": 0}));
            assert_eq!(who(&taken), ["p(0)"]);
            assert_eq!(taken["steps"][0]["moves"]["can"].as_array().map(Vec::len), Some(2));
            let taken = ask("take", json!({"branch": 0, "at": 2, "choice": 0}));
            assert_eq!((who(&taken), &taken["steps"][0]["moves"]["claim"]), (vec!["claim n"], &Value::Null));
            let taken = ask("take", json!({"branch": 0, "at": 3, "choice": 0}));
            assert_eq!((who(&taken), &taken["steps"][0]["moves"]["claim"]), (vec!["p(0)"], &json!("out")));
            // It has missed a state, so it does not come back.
            let taken = ask("take", json!({"branch": 0, "at": 4, "choice": 0}));
            assert_eq!((who(&taken), &taken["steps"][0]["moves"]["claim"]), (vec!["p(0)"], &json!("out")));
        });
        let forced = "byte x; active proctype p() { x = 1; x = 2 } never n { do :: x < 9 od }";
        with_session_of(forced, Some(0), |session| {
            let mut ask = |what: &str, asked: Value| session.answer(what, &asked).expect("an answer");
            ask("take", json!({"branch": 0, "at": 0, "choice": 0}));
            assert_eq!(who(&ask("take", json!({"branch": 0, "at": 1, "choice": 0}))), ["p(0)", "claim n"]);
            // Both are undone together.
            assert_eq!(ask("undo", json!({"branch": 0}))["from"], 1);
            let run = ask("run", json!({"branch": 0, "at": 1, "steps": 1}));
            assert_eq!(who(&run), ["p(0)", "claim n"]);
            // With nobody left the claim goes on alone.
            let end = ask("run", json!({"branch": 0, "at": 3, "steps": 6}));
            assert_eq!(who(&end)[who(&end).len() - 2..], ["claim n", "claim n"]);
        });
    }

    #[test]
    fn the_nearest_state_is_found() {
        with_session(|session| {
            let ask = |session: &mut Session<'_>, until: &str| {
                session.answer("run", &json!({"branch": 0, "at": 0, "until": until}))
            };
            // Three steps lead there, and longer ways as well.
            let found = ask(session, "x == 3").expect("a run");
            assert_eq!((found["steps"].as_array().map(Vec::len), &found["notice"]), (Some(3), &Value::Null));
            let nowhere = ask(session, "x < 0").expect_err("no run");
            assert!(nowhere.starts_with("It holds in no state that can be reached from here: all "), "{nowhere}");
            session.reach = Bound { states: 3, bytes: 1 << 20 };
            let cut = ask(session, "x < 0").expect_err("no run");
            assert!(cut.starts_with("It holds in none of the 4 nearest states, which are up to 2 steps away"), "{cut}");
            let chance = (0..100).find_map(|_| ask(session, "x == 6").ok()).expect("a run");
            assert!(chance["notice"].as_str().is_some_and(|notice| notice.contains("found by chance")));
            session.reach = REACH;
            session.enough.store(true, Ordering::Relaxed);
            assert!(ask(session, "x < 0").is_err_and(|what| what.starts_with("stopped")));
        });
    }
}
