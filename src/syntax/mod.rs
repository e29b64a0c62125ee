//! From text to a tree: tokens, the grammar's parser, and the tree itself.

pub mod tree;
