//! `pv replay --watch`: the values of expressions along a run. Each expression has an executor of its own, which takes the steps of
//! the run as well ([`crate::explore::watch`]).

use super::load::{Loaded, load_expression};
use super::options::ModelArgs;
use crate::exec::show::View;
use crate::explore::watch::{Condition, Trial, Watch};
use crate::model::Model;
use crate::search::outcome::Step;
use crate::search::plan::Property;
use crate::source::visible::visible;
use serde_json::{Map, Value};
use std::io::{self, Write};
use std::rc::Rc;

/// The expressions of the command line, compiled.
pub(super) struct Watches {
    list: Vec<(String, Condition)>,
}

impl Watches {
    /// Reads the expressions; says which one is wrong, and why.
    pub(super) fn read(
        texts: &[String],
        shown: &Model,
        property: Property,
        loaded: &Loaded,
        args: &ModelArgs,
    ) -> Result<Watches, String> {
        let compile = |text: &str| load_expression(loaded, args, text);
        let read = |text: &String| {
            let watch = match text.trim() {
                "" => Err("there is no expression".into()),
                trimmed => Watch::new(shown, property, &compile, trimmed),
            };
            let watch = watch.map_err(|what| format!("--watch `{text}`: {what}"))?;
            Ok((text.trim().to_string(), Condition::Holds(Rc::new(watch))))
        };
        Ok(Watches { list: texts.iter().map(read).collect::<Result<_, String>>()? })
    }

    /// Each expression with its text.
    pub(super) fn list(&self) -> &[(String, Condition)] {
        &self.list
    }

    /// The values at the initial state.
    pub(super) fn start(&self) -> Result<Watched<'_>, String> {
        let mut list = Vec::with_capacity(self.list.len());
        for (text, condition) in &self.list {
            list.push((text.clone(), condition.trial()?));
        }
        Ok(Watched { told: Vec::new(), list })
    }

    /// The values where there is no state: none. `None` if nothing is watched.
    pub(super) fn nowhere(&self) -> Option<Value> {
        let values: Map<String, Value> = self.list.iter().map(|(text, _)| (text.clone(), Value::Null)).collect();
        (!values.is_empty()).then(|| values.into())
    }
}

/// The expressions on the way through a run.
pub(super) struct Watched<'w> {
    list: Vec<(String, Trial<'w>)>,
    /// The values that were printed last; empty before the first time.
    told: Vec<Option<String>>,
}

impl Watched<'_> {
    /// The run takes a step.
    pub(super) fn take(&mut self, step: Step) -> Result<(), String> {
        self.list.iter_mut().try_for_each(|(_, trial)| trial.take(&[step]))
    }

    fn values(&self, view: &View<'_>) -> Vec<Option<String>> {
        self.list.iter().map(|(_, trial)| trial.value(view)).collect()
    }

    /// The values by expression, null where there is none; `None` if nothing is watched.
    pub(super) fn json(&self, view: &View<'_>) -> Option<Value> {
        let texts = self.list.iter().map(|(text, _)| text.clone());
        let values: Map<String, Value> = texts.zip(self.values(view).into_iter().map(Value::from)).collect();
        (!values.is_empty()).then(|| values.into())
    }

    /// Prints the values that are others than those printed last; the first time all of them.
    pub(super) fn print(&mut self, out: &mut impl Write, indent: usize, view: &View<'_>) -> io::Result<()> {
        let now = self.values(view);
        let word = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".into());
        for (number, ((text, _), new)) in self.list.iter().zip(&now).enumerate() {
            let text = visible(text);
            match self.told.get(number) {
                Some(old) if old == new => {}
                Some(old) => writeln!(out, "{:>indent$}  watch {text}: {} -> {}", "", word(old), word(new))?,
                None => writeln!(out, "{:>indent$}  watch {text}: {}", "", word(new))?,
            }
        }
        self.told = now;
        Ok(())
    }
}
