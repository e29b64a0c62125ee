//! Texts of what is made here, in the words of [`crate::syntax::short`].

pub(super) use crate::syntax::short::{expr, variable as var};
use crate::syntax::tree::{ReceiveArgument, VarRef};

/// `q!m`.
pub(super) fn send(channel: &VarRef, message: &VarRef) -> String {
    format!("{}!{}", var(channel), var(message))
}

/// `q?m`.
pub(super) fn receive(channel: &VarRef, arguments: &[ReceiveArgument]) -> String {
    let names = arguments.iter().map(|argument| match argument {
        ReceiveArgument::Variable(place) => var(place),
        ReceiveArgument::Constant(value) => expr(value),
        ReceiveArgument::Eval(value) => format!("eval({})", expr(value)),
        ReceiveArgument::Anything(_) => "_".into(),
    });
    format!("{}?{}", var(channel), names.collect::<Vec<_>>().join(","))
}
