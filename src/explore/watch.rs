//! Expressions that a user watches or waits for, in the scope of the model.
//!
//! The expression is read as a part of the model ([`Compile`]: the front end reads the model again with the expression behind it), so
//! it knows all names and macros, and is checked as everything else is. What it asks for may change the layout of a state
//! (`_last` makes one byte more). Therefore it is evaluated in a machine of its own, which takes the same steps.

use crate::exec::program::Ex;
use crate::exec::show::View;
use crate::exec::{Machine, Program};
use crate::model::{Automaton, Expr, ExprKind, Location, Model, ScalarType};
use crate::search::outcome::Step;
use crate::search::plan::Property;
use crate::search::walk::replay;
use std::rc::Rc;

/// Reads an expression in the scope of the model; gives that model and the expression, or what is wrong.
pub(crate) type Compile<'a> = &'a dyn Fn(&str) -> Result<(Model, Expr), String>;

/// A compiled expression with the model it was read in.
pub(crate) struct Watch {
    model: Model,
    program: Program,
    expression: Ex,
    /// What is watched, as it was written.
    text: String,
    /// The type of a plain variable: its values have names.
    ty: Option<ScalarType>,
}

impl Watch {
    /// Reads an expression for runs of the model that is shown, with the claim of the property.
    pub(crate) fn new(shown: &Model, property: Property, compile: Compile<'_>, text: &str) -> Result<Watch, String> {
        let (model, expr) = compile(text)?;
        // Included files are read again; a model that has changed since would take other steps.
        let same = |one: &Automaton, other: &Automaton| {
            one.transitions.len() == other.transitions.len()
                && one.transitions.iter().zip(&other.transitions).all(|(one, other)| one.text == other.text)
        };
        let pairs = shown.proctypes.iter().zip(&model.proctypes);
        if shown.proctypes.len() != model.proctypes.len()
            || pairs.clone().any(|(a, b)| !same(&a.automaton, &b.automaton))
        {
            return Err("a file of the model has changed; start pv again".into());
        }
        let (own, program) = property.compile(&model);
        let ty = match &expr.kind {
            ExprKind::Load(place) => Some(place.ty),
            ExprKind::RemoteVariable(remote) => Some(remote.place.ty),
            _ => None,
        };
        let expression = program.expression(&expr);
        Ok(Watch { expression, text: text.trim().into(), model: own.unwrap_or(model), program, ty })
    }

    /// The value in the words of the model. Of a channel these are its messages; of a variable that holds a channel, that channel's name as well.
    fn words(&self, machine: &Machine<'_>, value: i32) -> String {
        let view = View { model: &self.model, machine };
        let Some(ty) = self.ty else { return value.to_string() };
        let channel = u32::try_from(value).ok().filter(|_| ty == ScalarType::Chan);
        let Some((id, channel)) = channel.and_then(|id| Some((id, view.channel_declaration(id)?))) else {
            return view.value(ty, value);
        };
        let messages = view.messages(id as usize - 1);
        let messages = if messages.is_empty() { "empty".to_owned() } else { messages.join(" ") };
        if *channel.name == *self.text { messages } else { format!("{} {messages}", channel.name) }
    }
}

/// What is waited for.
pub(crate) enum Condition {
    /// Some process stands at the label.
    Label(String),
    /// The expression is not 0.
    Holds(Rc<Watch>),
}

impl Condition {
    /// Is this the name of a label, and of nothing else?
    pub(crate) fn is_label(model: &Model, text: &str) -> bool {
        let known = |location: &Location| location.labels.iter().any(|label| **label == *text);
        model.proctypes.iter().any(|proctype| proctype.automaton.locations.iter().any(known))
            && !model.globals.iter().any(|variable| variable.path.trim_end_matches("[]") == text)
    }

    /// The program in whose machines the condition is looked at, where a run of `own` is shown.
    pub(crate) fn program<'c>(&'c self, own: &'c Program) -> &'c Program {
        match self {
            Condition::Label(_) => own,
            Condition::Holds(watch) => &watch.program,
        }
    }

    /// Whether it holds in the state of a machine of [`Condition::program`]; the reason, where it has no value there.
    pub(crate) fn holds_in(&self, shown: &Model, machine: &Machine<'_>) -> Result<bool, &'static str> {
        match self {
            Condition::Label(label) => Ok(is_at(&View { model: shown, machine }, label)),
            Condition::Holds(watch) => {
                machine.value_of(None, &watch.expression).map(|value| value != 0).map_err(|trap| trap.message())
            }
        }
    }

    /// At the initial state.
    pub(crate) fn trial(&self) -> Result<Trial<'_>, String> {
        Ok(match self {
            Condition::Label(label) => Trial::Label(label),
            Condition::Holds(watch) => {
                let machine = Machine::new(&watch.program).map_err(|trap| watch.program.describe(trap))?;
                Trial::Holds(watch, Box::new(machine))
            }
        })
    }
}

/// A condition on the way through a run.
pub(crate) enum Trial<'a> {
    /// The label.
    Label(&'a str),
    /// The expression, and the machine that it is evaluated in.
    Holds(&'a Watch, Box<Machine<'a>>),
}

impl Trial<'_> {
    /// The run takes these steps.
    pub(crate) fn take(&mut self, steps: &[Step]) -> Result<(), String> {
        if let Trial::Holds(_, machine) = self {
            for &step in steps {
                replay::take(machine, step)?;
                machine.forget_journal_if_idle();
            }
            machine.set_timeout(false);
        }
        Ok(())
    }

    /// The value now, in words; `None` if it has none here. `view` is the state of the run.
    pub(crate) fn value(&self, view: &View<'_>) -> Option<String> {
        match self {
            Trial::Label(label) => Some(i32::from(is_at(view, label)).to_string()),
            Trial::Holds(watch, machine) => {
                let value = machine.value_of(None, &watch.expression).ok()?;
                Some(watch.words(machine, value))
            }
        }
    }

    /// It holds now.
    pub(crate) fn holds(&self, view: &View<'_>) -> bool {
        match self {
            Trial::Label(_) => self.value(view).as_deref() == Some("1"),
            Trial::Holds(watch, machine) => machine.value_of(None, &watch.expression).is_ok_and(|value| value != 0),
        }
    }
}

/// Does some process stand at the label?
fn is_at(view: &View<'_>, label: &str) -> bool {
    let at = |pid: usize| {
        let place = view.proctype(pid).automaton.locations.get(view.machine.location(pid) as usize);
        place.is_some_and(|place| place.labels.iter().any(|known| **known == *label))
    };
    (0..view.machine.process_count()).any(at)
}
