//! pv: a verifier for concurrent protocols written in Promela.
