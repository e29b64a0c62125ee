//! What a certificate leaves open, put into states.
//!
//! A search that sets dead variables to 0 has fewer states than the model, and each of its states stands for several: those that differ in
//! variables that nobody reads any more. Its certificate names these variables, place by place. The checker believes neither that
//! they are dead nor that their values do not matter. It takes them out of each state ([`Value::Open`]) and tries the moves of what is left.
//! A move that asks for one of them ends the check ([`Definition::asked`]); a move may hand one on to a variable, which then is open itself.
//! So the states that one state stands for have the same moves and the same errors, and behind a move they differ in variables that are open
//! at the latest there. If that state, without what the certificate leaves open, is in the set again, then by induction the set
//! stands for every state that can be reached. The relation is a bisimulation that the labels, the places, `enabled` and `timeout` respect, so it serves
//! for cycles and fairness as well.

use super::Refusal;
use super::words::{Leaf, Words};
use crate::certificate::Open;
use crate::certify::control::Place;
use crate::certify::definition::Definition;
use crate::certify::names::{Shape, Value};
use crate::certify::state::{Channel, Process, State};
use std::collections::HashMap;
use std::rc::Rc;

/// The variables that a certificate leaves open, looked up in a model.
#[derive(Clone, Debug, Default)]
pub struct Opening {
    /// In every state.
    globals: Vec<Leaf>,
    /// By body and place: variables of the process that stands there, and global ones.
    places: HashMap<(usize, Place), (Vec<Leaf>, Vec<Leaf>)>,
    /// Without a process of this body.
    gone: Vec<(usize, Vec<Leaf>)>,
    /// The shapes of channels with open fields, by the number of the channel.
    shapes: Vec<(usize, Rc<Shape>)>,
}

impl Opening {
    /// Looks up what the certificate names.
    pub(super) fn new(words: &Words<'_>, open: &Open) -> Result<Opening, Refusal> {
        let missing = || Refusal::new("it leaves a variable open that the model does not have");
        let leaves = |all: &[Leaf], numbers: &[u32]| {
            let found: Option<Vec<Leaf>> = numbers.iter().map(|&number| all.get(number as usize).cloned()).collect();
            found.ok_or_else(missing)
        };
        let mut opening = Opening { globals: leaves(&words.globals, &open.globals)?, ..Opening::default() };
        for at in &open.places {
            let body = words.bodies.get(at.body as usize).ok_or_else(missing)?;
            // Where the model has no place nobody stands: a state that says so is refused.
            let Some(&place) = body.places.get(&at.place) else { continue };
            let found = (leaves(&body.leaves, &at.locals)?, leaves(&words.globals, &at.globals)?);
            if opening.places.insert((body.index, place), found).is_some() {
                return Err(Refusal::new("it says twice what is open at a place"));
            }
        }
        for (body, globals) in &open.gone {
            let body = words.bodies.get(*body as usize).ok_or_else(missing)?;
            opening.gone.push((body.index, leaves(&words.globals, globals)?));
        }
        for &(channel, field) in &open.fields {
            let (channel, field) = (channel as usize, field as usize);
            let shape = words.channels.get(channel).filter(|shape| field < shape.fields.len()).ok_or_else(missing)?;
            let at = opening.shapes.iter().position(|(known, _)| *known == channel).unwrap_or_else(|| {
                opening.shapes.push((channel, shape.clone()));
                opening.shapes.len() - 1
            });
            Rc::make_mut(&mut opening.shapes[at].1).open.push(field);
        }
        Ok(opening)
    }

    /// A state without the values that are left open in it.
    pub(in crate::certify) fn clear(&self, state: &State) -> State {
        let mut clear = state.clone();
        let mut globals: Vec<&Leaf> = self.globals.iter().collect();
        for process in &mut clear.processes {
            if let Some((own, shared)) = self.places.get(&(process.body, process.place)) {
                clear_process(process, own);
                globals.extend(shared);
            }
        }
        for (body, shared) in &self.gone {
            if state.processes.iter().all(|process| process.body != *body) {
                globals.extend(shared);
            }
        }
        if globals.iter().any(|leaf| !is_open(&clear.globals, leaf)) {
            let values = Rc::make_mut(&mut clear.globals);
            globals.iter().for_each(|leaf| open(values, leaf));
        }
        for (channel, shape) in &self.shapes {
            if let Some(found) = clear.channels.get_mut(*channel) {
                clear_channel(found, shape);
            }
        }
        clear
    }

    /// Has a look at the moves of a state asked for something that is open there? Nobody has asked afterwards.
    pub(in crate::certify) fn was_asked(definition: &Definition) -> bool {
        definition.asked.replace(false)
    }
}

fn clear_process(process: &mut Rc<Process>, leaves: &[Leaf]) {
    if leaves.iter().any(|leaf| !is_open(&process.locals, leaf)) {
        let values = &mut Rc::make_mut(process).locals;
        leaves.iter().for_each(|leaf| open(values, leaf));
    }
}

fn clear_channel(channel: &mut Rc<Channel>, shape: &Rc<Shape>) {
    let is_clear = |message: &Vec<i32>| shape.open.iter().all(|&field| message.get(field) == Some(&0));
    if channel.shape == *shape && channel.messages.iter().all(is_clear) {
        return;
    }
    let channel = Rc::make_mut(channel);
    channel.shape = shape.clone();
    for message in &mut channel.messages {
        shape.open.iter().for_each(|&field| message[field] = 0);
    }
}

fn is_open(values: &[Value], leaf: &Leaf) -> bool {
    let mut value = values.get(leaf.variable);
    for &at in &leaf.path {
        value = match value {
            Some(Value::List(list)) => list.get(at),
            _ => None,
        };
    }
    matches!(value, Some(Value::Open))
}

fn open(values: &mut [Value], leaf: &Leaf) {
    if let Some(place) = leaf.place(values) {
        *place = Value::Open;
    }
}
