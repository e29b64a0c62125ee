//! Standard output and standard error as the commands use them. A reader that goes away (`pv replay … | head`) ends
//! the output, not the program: a broken pipe is no error and never a panic. A result that is lost for another reason (the
//! disk is full, nothing was open for it) is an error, whatever the result was.

use super::options::{OutputArgs, When};
use crate::report::formats::Told;
use crate::source::visible::visible;
use anstream::{AutoStream, ColorChoice};
use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Exit code for a wrong model or a wrong command line.
pub(crate) const WRONG: u8 = 2;

/// Where a command writes.
#[derive(Debug)]
pub(crate) struct Console {
    /// As given on the command line.
    pub options: OutputArgs,
    /// What was said on standard error, for formats that tell it on standard output, too.
    told: Mutex<Vec<Told>>,
    /// Something was, or was to be, written to standard output.
    wrote: AtomicBool,
}

impl Console {
    /// With the options of the command line.
    pub(crate) fn new(options: OutputArgs) -> Console {
        Console { options, told: Mutex::default(), wrote: AtomicBool::default() }
    }

    /// Keeps what is said on standard error.
    pub(crate) fn keep(&self, told: impl IntoIterator<Item = Told>) {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).extend(told);
    }

    /// What was said on standard error since this was asked last.
    pub(crate) fn take_told(&self) -> Vec<Told> {
        std::mem::take(&mut *self.told.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Was anything written to standard output?
    pub(crate) fn wrote(&self) -> bool {
        self.wrote.load(Ordering::Relaxed)
    }

    /// Standard output; colours as asked for.
    pub(crate) fn out(&self) -> AutoStream<io::StdoutLock<'static>> {
        self.wrote.store(true, Ordering::Relaxed);
        AutoStream::new(io::stdout().lock(), self.choice(io::stdout().is_terminal()))
    }

    /// Standard error; colours as asked for.
    pub(crate) fn err(&self) -> AutoStream<io::StderrLock<'static>> {
        AutoStream::new(io::stderr().lock(), self.choice(io::stderr().is_terminal()))
    }

    /// Are colours wanted on standard error?
    pub(crate) fn color_on_stderr(&self) -> bool {
        self.choice(io::stderr().is_terminal()) == ColorChoice::Always
    }

    /// A progress bar is wanted and there is somebody to see it.
    pub(crate) fn progress(&self) -> bool {
        !self.options.quiet && !self.options.no_bar && io::stderr().is_terminal()
    }

    /// Writes a text to standard output. Gives the exit code: `code`, unless the text could not be written.
    #[must_use]
    pub(crate) fn print(&self, text: &str, code: u8) -> u8 {
        let mut out = self.out();
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        drop(out);
        // Of nothing, nothing is lost.
        if text.is_empty() && written.is_ok() { code } else { self.written(written, code) }
    }

    /// What came of writing to standard output, as an exit code: `code` if it is there or nobody wants it.
    #[must_use]
    pub(crate) fn written(&self, result: io::Result<()>, code: u8) -> u8 {
        match result {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                self.wrong(format!("the output cannot be written: {error}"))
            }
            // The runtime has put something in its place that takes everything.
            Ok(()) if self.wrote() && super::closed_output::output_was_closed() => {
                self.wrong("the output cannot be written: standard output is closed")
            }
            _ => code,
        }
    }

    /// Writes text that is a model's own, or made of it, to standard output: into a file or pipe as it is, to a terminal
    /// with control characters written out. Gives the exit code, as [`Console::print`] does.
    #[must_use]
    pub(crate) fn print_data(&self, text: &str, code: u8) -> u8 {
        self.wrote.store(true, Ordering::Relaxed);
        let mut out = io::stdout().lock();
        let written = out.write_all(shown_to(text, &out).as_bytes()).and_then(|()| out.flush());
        drop(out);
        self.written(written, code)
    }

    /// Says on standard error what is wrong, and gives the exit code for it.
    pub(crate) fn wrong(&self, message: impl std::fmt::Display) -> u8 {
        let message = plain(&message.to_string());
        self.keep([Told::error(&message)]);
        let message = visible(&message);
        self.say(&format!("\x1b[1;31merror\x1b[0m: {message}\n"));
        WRONG
    }

    /// Writes text to standard error.
    pub(crate) fn say(&self, text: &str) {
        let _ = self.err().write_all(without_commands(text).as_bytes());
    }

    /// A warning on standard error, unless `--quiet`.
    pub(crate) fn warn(&self, message: impl std::fmt::Display) {
        let message = plain(&message.to_string());
        self.keep([Told::warning(&message)]);
        if !self.options.quiet {
            let message = visible(&message);
            self.say(&format!("\x1b[1;33mwarning\x1b[0m: {message}\n"));
        }
    }

    fn choice(&self, terminal: bool) -> ColorChoice {
        let wanted = match self.options.color {
            When::Always => true,
            When::Never => false,
            // The convention of no-color.org.
            When::Auto => terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
        };
        if wanted { ColorChoice::Always } else { ColorChoice::Never }
    }
}

/// What the system says about a file without what helps nobody: the number of the error, and the name of a temporary file.
fn plain(message: &str) -> String {
    let mut text = message.to_owned();
    for (start, end) in [(" (os error ", ")"), (" at path \"", "\"")] {
        while let Some(from) = text.find(start) {
            let behind = from + start.len();
            let Some(length) = text[behind..].find(end) else { break };
            text.replace_range(from..behind + length + end.len(), "");
        }
    }
    text
}

/// The text without lines that the log of a CI system would take for commands: a model or the name of a file could give them.
fn without_commands(text: &str) -> String {
    let quiet = |line: &str| match line.trim_start().starts_with("::") {
        true => line.replacen("::", ": :", 1),
        false => line.to_string(),
    };
    text.split_inclusive('\n').map(quiet).collect::<String>().replace("##[", "# #[")
}

/// Text of a model as it may be written to a stream.
pub(crate) fn shown_to<'t>(text: &'t str, stream: &impl IsTerminal) -> Cow<'t, str> {
    if stream.is_terminal() { visible(text) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use super::without_commands;

    #[test]
    fn no_line_is_a_command() {
        assert_eq!(without_commands("a\n  ::error::b\n3 | :: x\n"), "a\n  : :error::b\n3 | :: x\n");
        assert_eq!(without_commands("5 | /* ##[add-mask]a */"), "5 | /* # #[add-mask]a */");
    }
}
