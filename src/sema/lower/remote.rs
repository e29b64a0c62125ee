//! Labels that are looked at from outside: `P@label`.

use super::super::Analyser;
use super::{Element, Flow, Kind};
use crate::source::diagnostic::Diagnostic;
use crate::syntax::tree::Ident;
use std::sync::Arc;

impl Analyser<'_> {
    /// The state number of a label of another body, or of an earlier place of this one. A goto there is given a step
    /// of its own, since the label must be a state.
    pub(in crate::sema) fn remote_label(&mut self, proctype: &Ident, name: &Ident) -> Option<u32> {
        let own = self.body.as_ref().is_some_and(|body| body.name == proctype.name);
        let flow = if own {
            &mut self.flow
        } else {
            &mut self.bodies.iter_mut().find(|body| body.name == proctype.name)?.flow
        };
        let Some(element) = flow.marks_named(&name.name).next().map(|mark| mark.element) else {
            let names: Vec<Arc<str>> = flow.marks.iter().map(|mark| mark.name.clone()).collect();
            self.no_part(&proctype.name, "label", name, &names);
            if own && let Some(last) = self.diagnostics.last_mut() {
                last.notes.push("a body can refer to its own labels only behind them".into());
            }
            return None;
        };
        separate(flow, element);
        let number = flow.elements[element].number;
        Some(number)
    }

    /// Reports a goto without a label, with the nearest name there is.
    pub(super) fn missing_label(
        &mut self,
        flow: &Flow,
        symbols: &super::super::body::Symbols,
        symbol: usize,
        at: &Element,
    ) {
        let Some(wanted) = symbols.entries.get(symbol) else { return };
        let mut diagnostic =
            Diagnostic::error(format!("there is no label `{}`", wanted.name), at.span, "jumps to nowhere");
        let names = flow.marks.iter().map(|mark| &*mark.name);
        if let Some(near) = crate::source::suggest::suggest(&wanted.name, names) {
            diagnostic = diagnostic.with_help(format!("did you mean `{near}`?"));
        }
        self.report(diagnostic);
    }
}

/// Turns a labelled goto into a step, followed by the goto.
fn separate(flow: &mut Flow, element: usize) {
    if !matches!(flow.elements[element].kind, Kind::Goto(_)) {
        return;
    }
    let mut copy = flow.elements[element].clone();
    copy.number = flow.next_number;
    flow.next_number += 1;
    copy.escapes.clear();
    copy.sub.clear();
    copy.status = 0;
    flow.elements.push(copy);
    let pushed = flow.elements.len() - 1;
    flow.elements[element].kind = super::build::skip();
    flow.elements[element].next = Some(pushed);
}
