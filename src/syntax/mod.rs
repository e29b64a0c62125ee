//! From text to a tree: tokens, the grammar's parser, and the tree itself.

mod brackets;
mod build;
mod explain;
mod inline;
pub mod parser;
mod separators;
pub mod token;
pub mod tree;

pub use parser::parse;

lalrpop_util::lalrpop_mod!(
    #[allow(clippy::all, clippy::pedantic, unused, missing_docs)]
    promela
);
