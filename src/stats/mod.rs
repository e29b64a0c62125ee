//! The shape of a state space: levels, branching, in-degrees, locality of transitions, components.
//!
//! [`explore`] builds the whole graph in memory, breadth first; [`shape`] measures it, with the definitions of the
//! hub-states paper (Della Penna et al., section 3); [`render`] tells it as text, JSON and plots. What these numbers are
//! good for: a space whose transitions are local and whose in-degrees are concentrated suits a breadth-first cache, one
//! with few matches suits a depth-first cache.

pub(crate) mod explore;
pub(crate) mod render;
pub(crate) mod scc;
pub(crate) mod shape;

pub(crate) use explore::explore;
pub(crate) use shape::Shape;
