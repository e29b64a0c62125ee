//! The states of a machine in the words of the model: what a search hands over to a certificate.
//!
//! A [`Witness`] knows where the variables of a model lie in a state, reads them out of the machine one by one, and puts them into the
//! table of a certificate under their names. It is the only place where the layout of a state meets the form of a certificate. A search
//! shows it each state that its store calls new (`search::driver`). Nothing here decides what a verdict is.

use crate::certificate::{BodyNames, Messages, Names, OpenAt, Process, Row, Table};
use crate::exec::Machine;
use crate::model::{Model, Place, Proctype, Region, Scalar, Variable};

/// The name under which a certificate has the variables of the never claim. No process type can have this name.
const CLAIM: &str = "never";

/// Writes down the states of a search.
#[derive(Clone, Debug)]
pub struct Witness {
    globals: Vec<(u32, Scalar)>,
    bodies: Vec<Vec<(u32, Scalar)>>,
    /// SPIN's numbers of the places of each process type.
    places: Vec<Vec<u32>>,
    /// The claim is a part of each state: its number among the bodies.
    claim: Option<usize>,
    names: Names,
    table: Table,
}

impl Witness {
    /// For the states of this model, with the never claim of this number or without one.
    pub fn new(model: &Model, claim: Option<usize>) -> Witness {
        let mut witness = Witness {
            globals: Vec::new(),
            bodies: Vec::new(),
            places: Vec::new(),
            claim: None,
            names: Names::default(),
            table: Table::default(),
        };
        for variable in model.globals.iter().filter(|variable| variable.region == Region::Global) {
            leaves(variable, &mut witness.names.globals, &mut witness.globals);
        }
        for proctype in &model.proctypes {
            witness.body(&proctype.name, proctype);
        }
        if let Some(claim) = claim.and_then(|number| model.claims.get(number)) {
            witness.claim = Some(witness.bodies.len());
            witness.body(CLAIM, &claim.body);
        }
        witness
    }

    fn body(&mut self, name: &str, proctype: &Proctype) {
        let (mut names, mut cells) = (Vec::new(), Vec::new());
        proctype.locals.iter().for_each(|variable| leaves(variable, &mut names, &mut cells));
        self.names.bodies.push(BodyNames { name: name.to_string(), locals: names });
        self.bodies.push(cells);
        self.places.push(proctype.automaton.locations.iter().map(|location| location.number).collect());
    }

    /// The names of what is written down.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Writes the machine's state down.
    pub fn note(&mut self, machine: &Machine<'_>) {
        let globals = self.globals.iter().map(|&(offset, scalar)| machine.scalar(0, Region::Global, offset, scalar));
        let row = Row {
            globals: globals.collect(),
            last: machine.last_mover(),
            trace: machine.trace_place().map_or(0, |place| place.number),
            claim: self.claim.map(|number| self.claim_of(machine, number)),
            processes: (0..machine.process_count()).map(|pid| self.process(machine, pid)).collect(),
            channels: (0..machine.channel_count()).map(|index| messages(machine, index)).collect(),
        };
        self.table.add(row);
    }

    fn process(&self, machine: &Machine<'_>, pid: usize) -> Process {
        let body = machine.proctype(pid) as usize;
        let cells = self.bodies[body].iter();
        Process {
            body: body as u32,
            place: self.places[body][machine.location(pid) as usize],
            priority: machine.priority(pid),
            locals: cells.map(|&(offset, scalar)| machine.scalar(pid, Region::Local, offset, scalar)).collect(),
        }
    }

    fn claim_of(&self, machine: &Machine<'_>, number: usize) -> Process {
        let cells = self.bodies[number].iter();
        Process {
            body: number as u32,
            place: machine.claim_place().map_or(0, |place| place.number),
            priority: 1,
            locals: cells.map(|&(offset, scalar)| machine.claim_scalar(offset, scalar)).collect(),
        }
    }

    /// A search begins. What one has seen that was given up is forgotten.
    pub fn begin(&mut self) {
        self.table = Table::default();
    }

    /// The states to come have 0 for this variable in every state, whatever it would hold.
    pub fn leave_open(&mut self, place: &Place) {
        self.table.open.globals.extend(number(&self.globals, place));
    }

    /// The same in states in which, beside what is open everywhere, a process of this type stands at this location.
    pub fn leave_open_at<'p>(&mut self, body: usize, location: usize, places: impl Iterator<Item = &'p Place>) {
        let mut open =
            OpenAt { body: body as u32, place: self.places[body][location], locals: Vec::new(), globals: Vec::new() };
        for place in places {
            match place.region {
                Region::Local => open.locals.extend(number(&self.bodies[body], place)),
                _ => {
                    let global = number(&self.globals, place);
                    open.globals.extend(global.filter(|global| !self.table.open.globals.contains(global)));
                }
            }
        }
        if !open.locals.is_empty() || !open.globals.is_empty() {
            self.table.open.places.push(open);
        }
    }

    /// The same in states without a process of this type.
    pub fn leave_open_without<'p>(&mut self, body: usize, places: impl Iterator<Item = &'p Place>) {
        let globals: Vec<u32> = places.filter_map(|place| number(&self.globals, place)).collect();
        if !globals.is_empty() {
            self.table.open.gone.push((body as u32, globals));
        }
    }

    /// The same for a field of the messages of a channel.
    pub fn leave_field_open(&mut self, channel: usize, field: usize) {
        self.table.open.fields.push((channel as u32, field as u32));
    }

    /// Bytes, about; with what the file takes when it is put together at the end.
    pub fn memory(&self) -> usize {
        self.table.memory() / 2 * 3
    }

    /// All that was written down.
    pub fn into_table(self) -> Table {
        self.table
    }
}

/// The number of a variable among those that are written down.
fn number(cells: &[(u32, Scalar)], place: &Place) -> Option<u32> {
    cells.iter().position(|&cell| cell == (place.offset, place.scalar)).map(|number| number as u32)
}

fn messages(machine: &Machine<'_>, index: usize) -> Messages {
    (0..machine.queue_length(index)).map(|slot| machine.message_values(index, slot)).collect()
}

/// All elements of a variable: their names, and where they lie.
fn leaves(variable: &Variable, names: &mut Vec<String>, cells: &mut Vec<(u32, Scalar)>) {
    let mut parts = variable.path.split("[]");
    let mut found = vec![(parts.next().unwrap_or_default().to_string(), variable.offset)];
    for (dimension, part) in variable.dimensions.iter().zip(parts) {
        found = found
            .iter()
            .flat_map(|(name, offset)| {
                (0..dimension.length)
                    .map(move |index| (format!("{name}[{index}]{part}"), offset + index * dimension.stride))
            })
            .collect();
    }
    for (name, offset) in found {
        names.push(name);
        cells.push((offset, variable.scalar));
    }
}
