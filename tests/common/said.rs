//! What a program that has ended said, and how.

// Each test file is a program of its own and uses a part of this.
#![allow(dead_code)]

use std::process::Output;

/// The exit code.
pub(crate) fn code(output: &Output) -> i32 {
    output.status.code().expect("no signal")
}

/// Standard output.
pub(crate) fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

/// Standard error.
pub(crate) fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("text")
}
