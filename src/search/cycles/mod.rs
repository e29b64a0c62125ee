//! Searches for cycles: runs that go on for ever and break a property. Each cycle that is found is checked by the definition
//! before anybody hears of it ([`lasso`]).

pub mod fair;
pub mod lasso;
pub mod nested;
