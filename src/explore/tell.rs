//! A run as data for the page: the source, all statements by number, and for every step what it did, what changed, and what
//! can and cannot go behind it. The page makes states from the changes; so a run of many steps stays small.

use super::turn::{Course, Possible, Standing};
use super::watch::Condition;
use super::why::{Blocked, blocked};
use crate::exec::Program;
use crate::exec::show::View;
use crate::model::{Action, Model, Transition};
use crate::report::chart::ChartEvent;
use crate::report::recorder::{Record, Recorder};
use crate::report::trail::{Trail, TrailError};
use crate::report::written;
use crate::search::outcome::{Actor, Step};
use crate::search::walk::possible::Choice;
use crate::source::{SourceFile, SourceMap, Span};
use serde_json::{Value, json};

/// What a run is a run of.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    /// The model that is executed.
    pub model: &'a Model,
    /// Its text.
    pub map: &'a SourceMap,
    /// Compiled from the model, with the claim.
    pub program: &'a Program,
    /// The claim that was checked.
    pub claim: Option<usize>,
}

/// Letters of a statement that are shown; only a whole block is longer.
const LONGEST_TEXT: usize = 120;

/// One step for the user: a single one, or the two halves of a rendezvous.
pub(crate) type Move = Vec<Step>;

impl Subject<'_> {
    /// The files and statements: what is the same for all runs.
    pub(crate) fn source(&self) -> Value {
        let real = |(index, file): &(usize, &SourceFile)| *index == 0 || file.path.is_some();
        let all = self.map.files().iter().enumerate();
        let files: Vec<Value> =
            all.filter(real).map(|(id, file)| json!({"id": id, "name": file.name, "text": file.text})).collect();
        json!({"files": files, "statements": self.statements(), "claim": self.claim.is_some()})
    }

    /// By their number in the program.
    fn statements(&self) -> Vec<Value> {
        let claim = self.claim.and_then(|number| self.model.claims.get(number)).map(|claim| &claim.body);
        let (mut list, mut keys) = (Vec::new(), Vec::new());
        for proctype in self.model.proctypes.iter().chain(claim) {
            for transition in &proctype.automaton.transitions {
                let ((file, line), text) = (self.place(transition.span), self.text(transition));
                keys.push((format!("{} {file}:{line} {text}", proctype.name), transition.span));
                list.push(json!([&*proctype.name, text, file, line]));
            }
        }
        for (statement, calls) in list.iter_mut().zip(written::calls_told_apart(self.map, &keys)) {
            if let Some(parts) = statement.as_array_mut() {
                parts.push(calls.join(", in ").into());
            }
        }
        list
    }

    /// File and line; line 0 is none.
    fn place(&self, span: Span) -> (u32, u32) {
        let site = self.map.use_site(span);
        let file = self.map.files().get(site.file.0 as usize);
        (site.file.0, file.map_or(0, |file| file.line_column(site.start).0))
    }

    /// A statement as it stands in the source, on one line. What stands nowhere (the end of a process, a jump) has the
    /// text of the model.
    fn text(&self, transition: &Transition) -> String {
        let is_word = |text: &String| text.chars().any(char::is_alphanumeric) && !transition.text.starts_with('-');
        if let Some(text) = written::statement(self.map, transition.span, &transition.text).filter(is_word) {
            return text;
        }
        let site = self.map.use_site(transition.span);
        let file = self.map.files().get(site.file.0 as usize);
        let written = file.and_then(|file| file.text.get(site.start as usize..site.end as usize)).unwrap_or_default();
        let text_of_model =
            transition.text.starts_with(['.', '-']) || !is_written(&transition.action, &transition.text, written);
        let stands = !text_of_model && written.chars().any(char::is_alphanumeric);
        let of_model = written::plain(&transition.text);
        let text = if stands { written } else { &of_model };
        let mut words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some((end, _)) = words.char_indices().nth(LONGEST_TEXT) {
            words.truncate(end);
            words.push('…');
        }
        words
    }

    /// The number of a step's statement in the program.
    fn number(&self, proctype: u32, transition: u32) -> u32 {
        self.program.proctypes.get(proctype as usize).map_or(0, |proctype| proctype.first_transition + transition)
    }
}

/// Is this piece of source, which is longer than a statement of a line, the statement all the same, and not what it came from: the whole
/// `for` loop, the call of an inline?
fn is_written(action: &Action, text: &str, written: &str) -> bool {
    let bare = |text: &str| text.replace(|c: char| c.is_whitespace() || "()'\"".contains(c), "");
    if bare(text) == bare(written) {
        return true;
    }
    let has = |signs: &[&str]| !written.contains('{') && signs.iter().any(|sign| written.contains(sign));
    match action {
        Action::DStep(_) => written.starts_with("d_step"),
        Action::Assign(..) | Action::Block(_) => has(&["=", "++", "--"]),
        Action::Guard(_) => has(&["=", "<", ">", "!", "&", "|", "?", "run"]),
        Action::Send { .. } => has(&["!"]),
        Action::Receive { .. } => has(&["?"]),
        Action::Assert(_) => has(&["assert"]),
        Action::Printf(..) | Action::Printm(_) => has(&["print"]),
        Action::Skip => has(&["skip", "true", "goto", "break", "1"]),
        Action::Else => has(&["else"]),
        Action::End => false,
    }
}

/// Executes a run and tells it step by step.
pub(crate) struct Teller<'a> {
    subject: Subject<'a>,
    recorder: Recorder<'a>,
    course: Course,
    /// Single steps so far.
    taken: usize,
}

impl<'a> Teller<'a> {
    /// At the initial state.
    pub(crate) fn new(subject: Subject<'a>) -> Result<Teller<'a>, String> {
        let recorder = Recorder::new(subject.model, subject.map, subject.program, subject.claim)?;
        Ok(Teller { subject, recorder: recorder.with_chart(), course: Course::default(), taken: 0 })
    }

    /// What can go now.
    pub(crate) fn possible(&mut self) -> Possible {
        self.course.possible(self.recorder.machine())
    }

    /// The state in words.
    pub(crate) fn view(&self) -> View<'_> {
        self.recorder.view()
    }

    /// The bytes of the state: two that are equal are one state.
    pub(crate) fn state(&mut self) -> Vec<u8> {
        self.recorder.machine().state().to_vec()
    }

    /// A handshake is half done: the move is not whole yet.
    fn in_handshake(&mut self) -> bool {
        self.recorder.machine().in_handshake()
    }

    /// Takes the steps of a move without telling them; says whether one of them is an error.
    pub(crate) fn skip(&mut self, steps: &[Step]) -> Result<bool, String> {
        let mut failed = false;
        for &step in steps {
            failed |= self.take(step)?.0.trap.is_some();
        }
        self.events();
        Ok(failed)
    }

    /// From now on steps are told with what they change.
    pub(crate) fn with_changes(mut self) -> Teller<'a> {
        self.recorder = self.recorder.with_changes();
        self
    }

    fn take(&mut self, step: Step) -> Result<(Record, u32), String> {
        let proctype = match step.actor {
            Actor::Process(pid) if usize::from(pid) < self.recorder.machine().process_count() => {
                self.recorder.machine().proctype(usize::from(pid))
            }
            Actor::Process(pid) => return Err(format!("there is no process {pid}")),
            Actor::Claim => self.subject.program.claim.map_or(0, |(_, number)| number),
        };
        let before = self.state();
        let mut course = self.course;
        course.before(self.recorder.machine(), step);
        let record = self.recorder.take(step)?;
        // A step that failed has not moved, and neither has it left its block.
        let stays = record.trap.is_some() && self.state() == before;
        if !stays {
            course.after(self.recorder.machine(), proctype, step);
            self.course = course;
        }
        self.taken += 1;
        Ok((record, self.subject.number(proctype, step.transition)))
    }

    /// Takes the steps of a move and tells them.
    pub(crate) fn tell(&mut self, steps: &[Step]) -> Result<Value, String> {
        let number = self.taken + 1;
        let (mut parts, mut printed, mut changes) = (Vec::new(), Vec::new(), Vec::new());
        let (mut cut_off, mut trap) = (None, None);
        for &step in steps {
            let (record, statement) = self.take(step)?;
            parts.push(json!([record.who, record.pid, statement]));
            printed.extend(record.printed.iter().map(|printed| printed.text(self.subject.model)));
            changes.extend(record.changes.into_iter().map(|change| json!([change.name, change.old, change.new])));
            cut_off = cut_off.or(record.cut_off);
            trap = trap.or(record.trap.map(|trap| written::failure(self.subject.map, record.trap_span, &trap)));
        }
        let mut told = json!({"n": number, "parts": parts, "events": self.events(), "moves": self.moves()});
        let mut add = |name: &str, value: Value| told[name] = value;
        if !printed.is_empty() {
            add("printed", printed.into());
        }
        if !changes.is_empty() {
            add("changes", changes.into());
        }
        if let Some(cut_off) = cut_off {
            add("cut", cut_off.into());
        }
        if let Some(trap) = trap {
            add("trap", trap.into());
        }
        Ok(told)
    }

    /// The present state as the start of what is told.
    pub(crate) fn start(&mut self) -> Value {
        let variables: Vec<Value> =
            self.view().variables().into_iter().map(|shown| json!([shown.name, shown.value])).collect();
        json!({"n": self.taken, "variables": variables, "events": self.events(), "moves": self.moves()})
    }

    /// The events of the chart since the last call.
    fn events(&mut self) -> Vec<Value> {
        let events = self.recorder.events().map(std::mem::take).unwrap_or_default();
        events.into_iter().filter_map(event).collect()
    }

    /// What can go and what cannot, with the reason. A state with an end says which.
    fn moves(&mut self) -> Value {
        let possible = self.possible();
        let is_forced = possible.forced().is_some();
        let Possible { list, system, claim } = possible;
        let machine = self.recorder.machine();
        let valid_end = system.is_empty().then(|| machine.is_valid_end(false));
        let view = self.recorder.view();
        let proctype = |pid: usize| view.machine.proctype(pid);
        let number = |step: &Step| match step.actor {
            Actor::Process(pid) => {
                let pid = usize::from(pid);
                json!([pid, self.subject.number(proctype(pid), step.transition), step.timeout])
            }
            Actor::Claim => {
                let own = self.subject.program.claim.map_or(0, |(_, number)| number);
                json!([null, self.subject.number(own, step.transition), step.timeout])
            }
        };
        let told_of = |list: &[Choice]| -> Vec<Value> {
            list.iter().map(|choice| choice.steps.iter().map(&number).collect()).collect()
        };
        let can = told_of(&list);
        // For a reader who does not want to see the one step that the claim has: what goes behind it.
        let then = is_forced.then(|| told_of(&system));
        let told = |blocked: Blocked| {
            json!([blocked.pid, self.subject.number(proctype(blocked.pid), blocked.transition), blocked.reason])
        };
        let blocked = blocked(self.recorder.view(), &system, self.course.atomic);
        let mut cannot: Vec<Value> = blocked.into_iter().map(told).collect();
        if claim == Standing::Moves {
            let firsts = system.iter().filter_map(|choice| choice.steps.first());
            let waits = |told: Value| json!([told[0], told[1], "the claim of the property moves first"]);
            let mut waiting: Vec<Value> = firsts.map(&number).map(waits).collect();
            waiting.dedup();
            cannot.extend(waiting);
        }
        let mut told = json!({"can": can, "cannot": cannot});
        if let Some(then) = then {
            told["then"] = then.into();
        }
        if let Some(valid) = valid_end {
            told["end"] = valid.into();
        }
        match claim {
            Standing::Waits => {}
            Standing::Moves => told["claim"] = "moves".into(),
            Standing::Out => told["claim"] = "out".into(),
            Standing::Ended => told["claim"] = "ended".into(),
        }
        told
    }
}

/// An event as the page reads it. Cycle and error are told with the run.
fn event(event: ChartEvent) -> Option<Value> {
    Some(match event {
        ChartEvent::Start { process, name, by } => json!(["start", process, name, by]),
        ChartEvent::End { process } => json!(["end", process]),
        ChartEvent::Send { process, message, label } => json!(["send", process, message, label]),
        ChartEvent::Receive { process, message, label } => json!(["receive", process, message, label]),
        ChartEvent::Rendezvous { from, to, label } => json!(["meet", from, to, label]),
        ChartEvent::Local { process, text, .. } => json!(["local", process, text]),
        ChartEvent::CycleStart | ChartEvent::Error { .. } | ChartEvent::Step { .. } => return None,
    })
}

/// A trail cut into moves, and the number of the move with which its cycle starts. Nothing is told yet; what cannot be
/// executed is an error here.
pub(crate) fn moves_of(subject: Subject<'_>, trail: &Trail) -> Result<(Vec<Move>, Option<usize>), String> {
    let mut teller = Teller::new(subject)?;
    let (mut moves, mut open, mut cycle, mut closed_at) = (Vec::new(), Move::new(), None, None);
    for (number, step) in trail.steps.iter().enumerate() {
        if trail.cycle_start == Some(number) {
            cycle = Some(moves.len());
            closed_at = Some(teller.state());
        }
        let wrong = |what| format!("the trail does not replay: step {} ({}): {what}", number + 1, step.text);
        teller.skip(&[step.step]).map_err(wrong)?;
        open.push(step.step);
        if !teller.in_handshake() {
            moves.push(std::mem::take(&mut open));
        }
    }
    if !open.is_empty() {
        moves.push(open);
    }
    if closed_at.is_some_and(|start| start != teller.state()) {
        return Err("the trail does not replay: its cycle does not come back to where it started".into());
    }
    Ok((moves, cycle))
}

/// The value of an expression behind the moves `before`, and behind each of `moves`; `null` where it has none.
pub(crate) fn values_along<'m>(
    subject: Subject<'_>,
    condition: &Condition,
    before: impl Iterator<Item = &'m Move>,
    moves: impl Iterator<Item = &'m Move>,
) -> Result<Vec<Value>, String> {
    let mut trial = condition.trial()?;
    let mut teller = Teller::new(subject)?;
    for steps in before {
        trial.take(steps)?;
        teller.skip(steps)?;
    }
    let mut values = vec![trial.value(&teller.view()).into()];
    for steps in moves {
        trial.take(steps)?;
        teller.skip(steps)?;
        values.push(trial.value(&teller.view()).into());
    }
    Ok(values)
}

/// What is wrong at the end of a run, for the page.
pub(crate) fn error_of(subject: Subject<'_>, trail: &Trail) -> Value {
    let (TrailError { kind, file, line, .. }, map) = (&trail.error, subject.map);
    json!({"kind": kind, "message": trail.error_in_words(subject.model, map), "file": file, "line": line})
}

/// The run of a trail, whole: source, statements, and every move behind the first `skipped` ones.
pub(crate) fn trail(
    subject: Subject<'_>,
    trail: &Trail,
    most: usize,
    watched: &[(String, Condition)],
) -> Result<Value, String> {
    let (moves, cycle) = moves_of(subject, trail)?;
    let skipped = moves.len().saturating_sub(most);
    let mut teller = Teller::new(subject)?;
    for steps in &moves[..skipped] {
        teller.skip(steps)?;
    }
    let mut teller = teller.with_changes();
    let start = teller.start();
    let steps: Vec<Value> = moves[skipped..].iter().map(|steps| teller.tell(steps)).collect::<Result<_, _>>()?;
    let watch = |(text, condition): &(String, Condition)| {
        let values = values_along(subject, condition, moves[..skipped].iter(), moves[skipped..].iter())?;
        Ok(json!({"expression": text, "values": values}))
    };
    let watches: Vec<Value> = watched.iter().map(watch).collect::<Result<_, String>>()?;
    Ok(json!({
        "watches": watches,
        "model": trail.model,
        "source": subject.source(),
        "run": {
            "kind": if cycle.is_some() { "cycle" } else { "counterexample" },
            "error": error_of(subject, trail),
            "property": trail.property,
            "cycle": cycle.map(|cycle| cycle.saturating_sub(skipped)),
            "start": start,
            "steps": steps,
        },
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::read_text;

    /// The reasons in the initial state of a model, and behind the first move of each number.
    fn reasons(text: &str, moves: &[usize]) -> Vec<String> {
        let (map, model) = read_text("m.pml", text).expect("a model");
        let program = Program::new(&model, None);
        let mut teller =
            Teller::new(Subject { model: &model, map: &map, program: &program, claim: None }).expect("a state");
        for &number in moves {
            let choice = teller.possible().list[number].clone();
            teller.skip(&choice.steps).expect("a step");
        }
        let told = teller.start();
        let reason = |blocked: &Value| blocked[2].as_str().expect("a reason").to_string();
        told["moves"]["cannot"].as_array().expect("a list").iter().map(reason).collect()
    }

    #[test]
    fn reasons_are_read_from_the_state() {
        let of = |text: &str| reasons(text, &[]);
        assert_eq!(of("byte x = 3, y = 2; active proctype p() { x < y }"), ["x is 3, y is 2"]);
        assert_eq!(of("byte a[3]; byte i = 2; active proctype p() { a[i] > a[1] }"), ["a[2] is 0, i is 2, a[1] is 0"]);
        assert_eq!(of("mtype = { red, green }; mtype m = red; active proctype p() { m == green }"), ["m is red"]);
        assert_eq!(of("chan q = [2] of { byte }; active proctype p() { q?3 }"), ["the channel q is empty"]);
        assert_eq!(of("chan c = [0] of { byte }; active proctype p() { c!1 }"), ["nobody receives on c"]);
        assert_eq!(of("chan c = [0] of { byte }; active proctype p() { c?1 }"), ["nobody sends on c"]);
        // A statement that is an error to look at is among those that can go: taking it shows the error.
        assert_eq!(of("chan c; active proctype p() { len(c) == 1 }"), [""; 0]);
        assert_eq!(of("bit go; active proctype p() provided (go) { skip }"), ["its provided clause is false: go is 0"]);
        assert_eq!(of("active proctype p() { if :: skip :: else fi }"), ["another branch can go"]);
        assert_eq!(of("active proctype p() { timeout } active proctype q() { skip }").len(), 1);
        assert_eq!(of("active proctype p() { d_step { 0; skip } }"), ["it is never true"]);
    }

    #[test]
    fn reasons_change_with_the_run() {
        let full = "chan q = [2] of { byte }; active proctype p() { do :: q!1 :: q?2 od }";
        assert_eq!(reasons(full, &[0, 0]), ["the channel q is full (2 of 2)", "the first message in q is [1]"]);
        let atomic = "active proctype p() { atomic { skip; skip } } active proctype q() { skip }";
        assert_eq!(reasons(atomic, &[0]), ["process 0 is inside an atomic block"]);
        let ends = "active proctype p() { skip } active proctype q() { skip }";
        assert_eq!(reasons(ends, &[0]), ["a process that started later lives: q(1)"]);
        let meets = "chan c = [0] of { byte }; active proctype p() { c!1 } active proctype q() { c?2 }";
        let both = [
            "q(1) receives on c, but not this message or not now",
            "p(0) sends on c, but not such a message or not now",
        ];
        assert_eq!(reasons(meets, &[]), both);
    }

    #[test]
    fn who_goes_first_can_move() {
        let three = |high: &str| {
            format!(
                "byte x; chan c = [0] of {{ byte }}; active proctype H() priority 5 {{ {high} }} \
                 active proctype M() priority 3 {{ x = 0 }} active proctype L() priority 1 {{ x = 0 }}"
            )
        };
        let movable = |name: &str| format!("{name} has a higher priority and can move");
        assert_eq!(reasons(&three("x == 1"), &[]), ["x is 0".to_string(), movable("M(1)")]);
        assert_eq!(reasons(&three("x = 0"), &[]), [movable("H(0)"), movable("H(0)")]);
        let offers = "H(0) has a higher priority, and its rendezvous counts as a move without a partner";
        assert_eq!(reasons(&three("c!1"), &[]), ["nobody receives on c", offers, offers]);
    }

    #[test]
    fn statements_are_told_as_they_stand() {
        let text = "#define INC x = x + 1\ninline set(v) { v = 3 }\nbyte x;\nactive proctype p() {\n  x  =  2 ;\n  INC; set(x); x++\n}\n";
        let (map, model) = read_text("m.pml", text).expect("a model");
        let program = Program::new(&model, None);
        let source = Subject { model: &model, map: &map, program: &program, claim: None }.source();
        let told: Vec<(&str, u64)> = source["statements"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|statement| (statement[1].as_str().expect("a text"), statement[3].as_u64().expect("a line")))
            .collect();
        assert_eq!(told, [("x = 2", 5), ("INC", 6), ("v = 3", 2), ("x++", 6), ("-end-", 7)]);
        let calls: Vec<&str> =
            source["statements"].as_array().expect("a list").iter().filter_map(|told| told[4].as_str()).collect();
        assert_eq!(calls, ["", "", "set(x)", "", ""]);
    }

    #[test]
    fn statements_that_read_the_same_have_the_lines_of_their_calls() {
        let text = "byte k;\ninline pick() { k = 1 }\nactive proctype p() {\n  if\n  :: pick()\n  :: pick()\n  fi\n}\nactive proctype q() { pick() }\n";
        let (map, model) = read_text("m.pml", text).expect("a model");
        let program = Program::new(&model, None);
        let source = Subject { model: &model, map: &map, program: &program, claim: None }.source();
        let all = source["statements"].as_array().expect("a list").iter();
        let calls: Vec<&str> = all.filter_map(|told| told[4].as_str()).filter(|calls| !calls.is_empty()).collect();
        assert_eq!(calls, ["pick() at line 5", "pick() at line 6", "pick()"]);
    }
}
