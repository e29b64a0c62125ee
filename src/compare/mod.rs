//! `pv compare`: many searches of one model, and what they say together.
//!
//! A setting is a list of options exactly as one would give them to `pv check`, so every number on the page can be had
//! again with the command line beside it. [`matrix`] says which settings are of interest, [`runner`] runs them within
//! budgets, [`results`] keeps what came out in a file that only grows, and [`figures`] draws the papers' figures from
//! it; [`page`] puts all together. How a setting becomes a search is the command line's business: the runner is given
//! a function for it.

pub(crate) mod advice;
pub(crate) mod computer;
pub(crate) mod figures;
pub(crate) mod matrix;
pub(crate) mod matrix_file;
pub(crate) mod page;
pub(crate) mod results;
pub(crate) mod runner;
