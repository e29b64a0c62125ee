//! How processes and channels are born and die, and what variables hold at first.

use super::{Fatal, MOST, Me, OUTSIDE, Root, Run, Spot, Who};
use crate::certify::fault::{Fault, FaultKind};
use crate::certify::names::{Kind, Shape, Variable};
use crate::certify::state::{Channel, Process};
use crate::source::Span;
use crate::syntax::tree::Initializer;
use std::rc::Rc;

impl<'d> Run<'d> {
    pub(super) fn initialise_globals(&mut self) -> Fatal<()> {
        let globals = &self.definition.names.globals;
        let mut order: Vec<usize> = (0..globals.len()).collect();
        order.sort_by_key(|&place| globals[place].turn);
        for place in order {
            let root = if globals[place].hidden { Root::Hidden(place) } else { Root::Global(place) };
            self.initialise(root, &globals[place], OUTSIDE)?;
        }
        Ok(())
    }

    pub(super) fn initialise_locals(&mut self, who: Who, body: usize) -> Fatal<()> {
        let me = Me { who, body: Some(body), scope: 0 };
        let body = self.body(body);
        for &place in &body.births {
            self.initialise(Root::Local(who, place), &body.locals[place], me)?;
        }
        Ok(())
    }

    pub(super) fn initialise(&mut self, root: Root, variable: &'d Variable, me: Me) -> Fatal<()> {
        self.initialise_at(root, &mut Vec::new(), variable, variable.initializer.as_ref(), me)
    }

    pub(super) fn initialise_at(
        &mut self,
        root: Root,
        path: &mut Vec<usize>,
        variable: &'d Variable,
        initializer: Option<&'d Initializer>,
        me: Me,
    ) -> Fatal<()> {
        for element in 0..variable.length.unwrap_or(1) {
            if variable.length.is_some() {
                path.push(element);
            }
            match (variable.kind, initializer) {
                (Kind::Record(record), _) => {
                    for (number, field) in self.definition.names.records[record].fields.iter().enumerate() {
                        path.push(number);
                        self.initialise_at(root, path, field, field.initializer.as_ref(), me)?;
                        path.pop();
                    }
                }
                (Kind::Number(_), None) => {}
                (Kind::Number(_), Some(initializer)) => {
                    let value = self.first_value(initializer, element, me)?;
                    let number = variable.number();
                    self.store(&Spot { root, path: path.clone(), number, record: None }, Some(value));
                }
            }
            if variable.length.is_some() {
                path.pop();
            }
        }
        Ok(())
    }

    pub(super) fn first_value(&mut self, initializer: &Initializer, element: usize, me: Me) -> Fatal<i32> {
        match initializer {
            Initializer::Expr(value) => Ok(self.value(me, value)),
            // The last value of a list that is too short is used for the rest.
            Initializer::List(values) => {
                Ok(values.get(element).or(values.last()).map_or(0, |value| self.value(me, value)))
            }
            Initializer::Channel { capacity, fields, span } => {
                let types: Vec<_> = fields.iter().map(|(ty, _)| ty.clone()).collect();
                let Ok(shape) = self.definition.names.shape(capacity, &types) else {
                    return Ok(self.note(FaultKind::NoChannel, *span));
                };
                self.new_channel(shape, me.who, *span)
            }
        }
    }

    /// Makes a channel that belongs to a process, or to nobody, and gives its id.
    pub(super) fn new_channel(&mut self, shape: Shape, owner: Who, span: Span) -> Fatal<i32> {
        if self.state.channels.len() >= MOST {
            return Err(Fault { kind: FaultKind::TooManyChannels, span });
        }
        self.state.channels.push(Rc::new(Channel { shape: Rc::new(shape), messages: Vec::new() }));
        if let Some(process) = self.process_mut(owner) {
            process.channels += 1;
        }
        Ok(self.state.channels.len() as i32)
    }

    pub(super) fn process_of(&self, body: usize, priority: i32) -> Process {
        let locals = self.body(body).locals.iter().map(|local| self.definition.names.zero(local)).collect();
        Process { body, place: self.body(body).entry, priority, locals, channels: 0 }
    }

    /// A process is born. Its pid is the number of processes that there are.
    pub(super) fn birth(&mut self, body: usize, arguments: &[i32], priority: i32, span: Span) -> Fatal<i32> {
        let pid = self.state.processes.len();
        if pid >= MOST {
            return Err(Fault { kind: FaultKind::TooManyProcesses, span });
        }
        self.state.processes.push(Rc::new(self.process_of(body, priority)));
        let who = Who::Process(pid);
        let mut arguments = arguments.iter();
        for place in 0..self.body(body).parameters {
            let parameter = &self.body(body).locals[place];
            for (path, number) in self.parts_of(parameter) {
                let value = arguments.next().copied().unwrap_or(0);
                self.store(
                    &Spot { root: Root::Local(who, place), path, number: Some(number), record: None },
                    Some(value),
                );
            }
        }
        self.initialise_locals(who, body)?;
        Ok(pid as i32)
    }

    /// The youngest process dies, and its channels with it.
    pub(super) fn death(&mut self) {
        if let Some(process) = self.state.processes.pop() {
            let left = self.state.channels.len().saturating_sub(process.channels);
            self.state.channels.truncate(left);
        }
    }
}
