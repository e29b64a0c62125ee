//! From text to a tree: tokens, the grammar's parser, and the tree itself.

mod brackets;
mod build;
mod explain;
mod inline;
pub mod parser;
pub mod print;
mod recover;
pub mod same;
mod separators;
pub mod short;
pub mod token;
pub mod tree;
mod words;

pub use parser::parse;
pub use same::same_tree;
pub(crate) use words::foreign;

lalrpop_util::lalrpop_mod!(
    #[allow(clippy::all, clippy::pedantic, unused, missing_docs, unreachable_pub)]
    promela
);
