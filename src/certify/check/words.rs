//! From the words of a certificate to states: every name is looked up in the model, every value must fit its variable.

use super::Refusal;
use crate::certificate::{self, BodyNames, Names, ROW_HEAD, Table};
use crate::certify::control::Place;
use crate::certify::definition::Definition;
use crate::certify::names::{Kind, Number, Shape, Value, Variable};
use crate::certify::run::Run;
use crate::certify::state::{Channel, Process, State, Unseen};
use indexmap::IndexSet;
use std::collections::HashMap;
use std::rc::Rc;

/// A number inside of the variables: which variable, the way to it, and what it can hold.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub(super) variable: usize,
    pub(super) path: Vec<usize>,
    number: Number,
}

impl Leaf {
    /// Where its value is.
    pub(super) fn place<'v>(&self, values: &'v mut [Value]) -> Option<&'v mut Value> {
        let mut place = values.get_mut(self.variable);
        for &at in &self.path {
            place = match place {
                Some(Value::List(list)) => list.get_mut(at),
                _ => None,
            };
        }
        place
    }
}

/// A body as a certificate names it.
pub(super) struct Body {
    /// Its index in the definition.
    pub(super) index: usize,
    pub(super) leaves: Vec<Leaf>,
    /// Its variables, all 0.
    zeros: Vec<Value>,
    /// Points by SPIN's number.
    pub(super) places: HashMap<u32, Place>,
    /// The channels that a process of it makes.
    channels: Vec<Rc<Shape>>,
}

/// The names of a certificate, looked up in a model.
pub(super) struct Words<'d> {
    definition: &'d Definition,
    pub(super) globals: Vec<Leaf>,
    zeros: Vec<Value>,
    pub(super) bodies: Vec<Body>,
    /// The channels that exist from the start.
    pub(super) channels: Vec<Rc<Shape>>,
    trace: HashMap<u32, Place>,
}

/// The parts of a table, made anew.
struct Parts {
    globals: Vec<Rc<Vec<Value>>>,
    /// With the index of the body in the certificate.
    processes: Vec<(usize, Rc<Process>)>,
}

impl<'d> Words<'d> {
    /// Looks up all names.
    pub(super) fn new(definition: &'d Definition, names: &Names) -> Result<Words<'d>, Refusal> {
        let visible: Vec<&Variable> = definition.names.globals.iter().collect();
        if let Some(hidden) = visible.iter().find(|variable| variable.hidden) {
            return Err(Refusal::new(format!("the model hides `{}`, so its states are not whole", hidden.name)));
        }
        let globals = look_up(definition, &definition.names.globals, &names.globals, "the model")?;
        let zeros = definition.names.globals.iter().map(|variable| definition.names.zero(variable)).collect();
        let bodies = names.bodies.iter().map(|body| read_body(definition, body)).collect::<Result<Vec<_>, _>>()?;
        let empty = Run::nothing(definition);
        let trace = definition.trace.map(|trace| places(definition, trace)).unwrap_or_default();
        let channels = Run::shapes(definition, &empty, None).ok_or_else(|| Refusal::new("no channels can be made"))?;
        Ok(Words { definition, globals, zeros, bodies, channels, trace })
    }

    /// The states of a table, each once.
    pub(super) fn states(&self, table: &Table) -> Result<IndexSet<State>, Refusal> {
        let mut parts = Parts { globals: Vec::new(), processes: Vec::new() };
        for (number, values) in table.globals.iter().enumerate() {
            let values = fill(&self.globals, &self.zeros, values)
                .map_err(|what| Refusal::new(format!("globals number {}: {what}", number + 1)))?;
            parts.globals.push(Rc::new(values));
        }
        for (number, process) in table.processes.iter().enumerate() {
            let made = self.process(process);
            parts.processes.push(made.map_err(|what| Refusal::new(format!("process number {}: {what}", number + 1)))?);
        }
        // A channel has the same contents in many states; which shape it has there is up to its place.
        let mut channels: HashMap<(u32, *const Shape), Rc<Channel>> = HashMap::new();
        let hidden = Unseen(Rc::new(self.zeros.clone()));
        let mut states = IndexSet::new();
        for number in 0..table.len() {
            let row = table.row(number).unwrap_or_default();
            let state = self
                .state(row, table, &parts, &hidden, &mut channels)
                .map_err(|what| Refusal::new(format!("state {}: {what}", number + 1)))?;
            if !states.insert(state) {
                return Err(Refusal::new(format!("state {} stands there twice", number + 1)));
            }
        }
        Ok(states)
    }

    fn process(&self, process: &certificate::Process) -> Result<(usize, Rc<Process>), String> {
        let number = process.body as usize;
        let body = self.bodies.get(number).ok_or("there is no such process type")?;
        let place = *body
            .places
            .get(&process.place)
            .ok_or_else(|| format!("`{}` has no place {}", self.definition.bodies[body.index].name, process.place))?;
        let locals = fill(&body.leaves, &body.zeros, &process.locals)?;
        let priority = i32::try_from(process.priority).ok().filter(|priority| (1..=255).contains(priority));
        let priority = priority.ok_or("a priority is not in 1 to 255")?;
        let channels = body.channels.len();
        Ok((number, Rc::new(Process { body: body.index, place, priority, locals, channels })))
    }

    fn state(
        &self,
        row: &[u32],
        table: &Table,
        parts: &Parts,
        hidden: &Unseen,
        known: &mut HashMap<(u32, *const Shape), Rc<Channel>>,
    ) -> Result<State, String> {
        let [globals, last, trace, claim, count, rest @ ..] = row else { return Err("it is too short".into()) };
        debug_assert_eq!(row.len() - rest.len(), ROW_HEAD);
        let globals = parts.globals.get(*globals as usize).ok_or("its globals are not there")?.clone();
        let (processes, contents) =
            rest.split_at_checked(*count as usize).ok_or("it has fewer processes than it says")?;
        let mut state = State {
            globals,
            hidden: hidden.clone(),
            processes: Vec::with_capacity(processes.len()),
            channels: Vec::with_capacity(contents.len()),
            last: i32::try_from(*last).ok().filter(|last| *last <= 255).ok_or("`_last` is no pid")?,
            trace: self.trace_place(*trace)?,
            claim: None,
        };
        let mut shapes: Vec<&Rc<Shape>> = self.channels.iter().collect();
        for &process in processes {
            let (body, process) = parts.processes.get(process as usize).ok_or("a process is not there")?;
            shapes.extend(&self.bodies[*body].channels);
            state.processes.push(process.clone());
        }
        if state.processes.iter().any(|process| Some(process.body) == self.definition.never) {
            return Err("the never claim is no process".into());
        }
        if let Some(claim) = claim.checked_sub(1) {
            let (_, claim) = parts.processes.get(claim as usize).ok_or("its claim is not there")?;
            if Some(claim.body) != self.definition.never {
                return Err("what it calls its claim is none".into());
            }
            state.claim = Some(claim.clone());
        }
        if shapes.len() != contents.len() {
            return Err(format!("it has {} channels, and should have {}", contents.len(), shapes.len()));
        }
        for (&content, shape) in contents.iter().zip(shapes) {
            let key = (content, Rc::as_ptr(shape));
            let channel = match known.get(&key) {
                Some(channel) => channel.clone(),
                None => {
                    let messages = table.channels.get_index(content as usize).ok_or("a channel is not there")?;
                    let channel = Rc::new(channel(shape, messages)?);
                    known.insert(key, channel.clone());
                    channel
                }
            };
            state.channels.push(channel);
        }
        Ok(state)
    }

    fn trace_place(&self, number: u32) -> Result<Place, String> {
        match (self.definition.trace, number) {
            (None, 0) => Ok(0),
            (None, _) => Err("the model has no trace".into()),
            (Some(_), number) => self.trace.get(&number).copied().ok_or(format!("the trace has no place {number}")),
        }
    }
}

fn channel(shape: &Rc<Shape>, messages: &certificate::Messages) -> Result<Channel, String> {
    if messages.len() > shape.capacity {
        return Err(format!("{} messages in a channel with room for {}", messages.len(), shape.capacity));
    }
    for message in messages {
        let fits = message.len() == shape.fields.len()
            && message.iter().zip(&shape.fields).all(|(&value, field)| field.cut(value) == value);
        if !fits {
            return Err("a message does not fit its channel".into());
        }
    }
    Ok(Channel { shape: shape.clone(), messages: messages.clone() })
}

fn read_body(definition: &Definition, names: &BodyNames) -> Result<Body, Refusal> {
    let index = match names.name.as_str() {
        "never" => definition.never,
        name => definition.body(name),
    };
    let Some(index) = index else { return Err(Refusal::new(format!("the model has no `{}`", names.name))) };
    let body = &definition.bodies[index];
    let leaves = look_up(definition, &body.locals, &names.locals, &names.name)?;
    let zeros = body.locals.iter().map(|variable| definition.names.zero(variable)).collect();
    let channels = Run::shapes(definition, &Run::nothing(definition), Some(index));
    let channels = channels.ok_or_else(|| Refusal::new(format!("`{}` cannot make its channels", names.name)))?;
    Ok(Body { index, leaves, zeros, places: places(definition, index), channels })
}

/// Points by SPIN's number.
fn places(definition: &Definition, body: usize) -> HashMap<u32, Place> {
    let points = definition.bodies[body].points.iter().enumerate();
    points.filter_map(|(place, point)| Some((u32::try_from(point.number).ok()?, place))).collect()
}

/// The numbers that the names of a certificate stand for. Every number of the variables must be named once.
fn look_up(
    definition: &Definition,
    variables: &[Variable],
    names: &[String],
    whose: &str,
) -> Result<Vec<Leaf>, Refusal> {
    let mut all: HashMap<String, Vec<Leaf>> = HashMap::new();
    let mut count = 0;
    for (number, variable) in variables.iter().enumerate() {
        leaves(definition, variable, &variable.name, &mut Vec::new(), &mut |name, path, holds| {
            all.entry(shared_name(&name).to_string()).or_default().push(Leaf { variable: number, path, number: holds });
            count += 1;
        });
    }
    if count != names.len() {
        return Err(Refusal::new(format!("{whose} has {count} variables, the certificate has {}", names.len())));
    }
    // Of a name that several blocks declare the first is meant first.
    all.values_mut().for_each(|same| same.reverse());
    let mut found = Vec::new();
    for name in names {
        match all.get_mut(shared_name(name)).and_then(Vec::pop) {
            Some(leaf) => found.push(leaf),
            None => return Err(Refusal::new(format!("{whose} has no variable `{name}`"))),
        }
    }
    Ok(found)
}

/// The counters of loops over channels have no names in the text. All of them count as one name, in the order of the text.
fn shared_name(name: &str) -> &str {
    if name.starts_with("_for_") { "_for_" } else { name }
}

/// Calls `each` with the name of every number in a variable, the way to it, and what it can hold.
fn leaves(
    definition: &Definition,
    variable: &Variable,
    name: &str,
    path: &mut Vec<usize>,
    each: &mut dyn FnMut(String, Vec<usize>, Number),
) {
    for element in 0..variable.length.unwrap_or(1) {
        let name = match variable.length {
            Some(_) => {
                path.push(element);
                format!("{name}[{element}]")
            }
            None => name.to_string(),
        };
        match (variable.kind, variable.number()) {
            (Kind::Record(record), _) => {
                for (at, field) in definition.names.records[record].fields.iter().enumerate() {
                    path.push(at);
                    leaves(definition, field, &format!("{name}.{}", field.name), path, each);
                    path.pop();
                }
            }
            (_, Some(number)) => each(name, path.clone(), number),
            _ => {}
        }
        if variable.length.is_some() {
            path.pop();
        }
    }
}

/// Puts values into variables.
fn fill(leaves: &[Leaf], zeros: &[Value], values: &[i32]) -> Result<Vec<Value>, String> {
    if leaves.len() != values.len() {
        return Err(format!("{} values for {} variables", values.len(), leaves.len()));
    }
    let mut filled = zeros.to_vec();
    for (leaf, &value) in leaves.iter().zip(values) {
        if leaf.number.cut(value) != value {
            return Err(format!("a variable cannot hold {value}"));
        }
        if let Some(place) = leaf.place(&mut filled) {
            *place = Value::Number(value);
        }
    }
    Ok(filled)
}
