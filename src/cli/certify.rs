//! `pv certify`: check a certificate with the reference executor. The front end reads the model once for its diagnostics and its
//! fingerprint; everything that is said about the certificate comes from [`crate::certify`].

use super::console::Console;
use super::load::load_for_replay;
use super::options::ModelArgs;
use crate::certificate::{Certificate, Checked, Ends, ErrorKind, Evidence, Section, Subject, file};
use crate::certify::check::{Proved, Refusal, check, left_out};
use crate::report::number::counted;
use crate::report::place;
use crate::search::monitor::available;
use crate::source::preprocess::PreprocessOptions;
use crate::source::visible::visible;
use crate::source::{FileId, SourceMap};
use clap::Args;
use std::fmt::Write;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Larger files are no certificates that a reference executor could check: 1 GiB.
const LARGEST: u64 = 1 << 30;
/// The exit code of a check that has no answer.
const INCOMPLETE: u8 = 3;

/// Arguments of `pv certify`.
#[derive(Args, Debug)]
pub(crate) struct CertifyArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// The file that `pv check --certificate` wrote.
    #[arg(value_name = "CERTIFICATE")]
    certificate: PathBuf,
}

/// Runs the command; gives the exit code: 0 if all that the certificate says holds is proved, 1 if a counterexample is
/// proved, 2 if the certificate is refused, 3 if it is too much for the reference executor or for
/// the memory that is free.
pub(crate) fn run(console: &Console, args: &CertifyArgs) -> u8 {
    let certificate = match read(&args.certificate) {
        Ok(certificate) => certificate,
        Err((message, too_much)) => {
            let code = console.wrong(message);
            return if too_much { INCOMPLETE } else { code };
        }
    };
    let loaded = match load_for_replay(console, &args.model, None) {
        Ok(loaded) => loaded,
        Err(code) => return code,
    };
    let name = args.certificate.display();
    if certificate.fingerprint != loaded.model.fingerprint {
        return console.wrong(format!(
            "{name} is a certificate of another model: of `{}` with fingerprint {:016x}, while this model has {:016x} \
             (the text has changed since, or -D was different)",
            certificate.model, certificate.fingerprint, loaded.model.fingerprint
        ));
    }
    // The text as it was read: standard input can be read once only. The model is the first file of its map.
    let mut map = loaded.map;
    let options =
        PreprocessOptions { defines: args.model.defines.clone(), include_dirs: args.model.include_dirs.clone() };
    let definition = match crate::certify::read(&mut map, FileId(0), &options) {
        Ok(definition) => definition,
        Err(unclear) => {
            return console.wrong(format!("the reference executor does not understand the model: {unclear}"));
        }
    };
    let (needed, free) = (memory_for(&certificate), available());
    if free.is_some_and(|free| free < needed) {
        console.wrong(format!(
            "{name} cannot be checked: its states need about {}, and less is free",
            crate::report::number::bytes(needed)
        ));
        return INCOMPLETE;
    }
    match check(&definition, &certificate) {
        Ok(proved) => {
            let holds = proved.iter().all(|section| section.holds);
            let left = left_out(&definition, &certificate);
            console.print(&report(&certificate, &proved, &left), u8::from(!holds))
        }
        Err(refusal) => {
            let code = console.wrong(format!("{name} is refused: {}", told(&map, &refusal)));
            if refusal.incomplete { INCOMPLETE } else { code }
        }
    }
}

/// Bytes that the states of the largest section will take, about, and some for the rest. The reference executor asks for memory without
/// asking whether there is any.
fn memory_for(certificate: &Certificate) -> u64 {
    let table = |section: &Section| match &section.evidence {
        Evidence::Holds(table) | Evidence::Broken(_, table) => (table.memory() * 6 + table.len() * 600) as u64,
    };
    (16 << 20) + certificate.sections.iter().map(table).max().unwrap_or(0)
}

/// The file, or what is wrong with it, and whether that is only its size. Neither the file nor what it stands for may take more than a part
/// of the memory that is free.
fn read(path: &Path) -> Result<Certificate, (String, bool)> {
    let name = path.display();
    let cannot = |error| (format!("cannot read {name}: {error}"), false);
    let free = available().unwrap_or(u64::MAX);
    let most = LARGEST.min(free / 8);
    let file = std::fs::File::open(path).map_err(cannot)?;
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 > most {
        let most = crate::report::number::bytes(most);
        return Err((format!("{name} is not a certificate that can be checked here: it is larger than {most}"), true));
    }
    file::decode_within(&bytes, usize::try_from(free / 3).unwrap_or(usize::MAX))
        .map_err(|damage| (format!("{name} is not a certificate that can be checked: {damage}"), damage.too_much))
}

fn told(map: &SourceMap, refusal: &Refusal) -> String {
    let mut text = refusal.what.clone();
    if let Some((file, line)) = refusal.fault.and_then(|fault| place(map, fault.span)) {
        let _ = write!(text, " at {file}:{line}");
    }
    if let Some(state) = &refusal.state {
        let _ = write!(text, "\n{state}");
    }
    text
}

fn report(certificate: &Certificate, proved: &[Proved], left: &[Subject]) -> String {
    let mut text = String::new();
    for (section, proved) in certificate.sections.iter().zip(proved) {
        let states = counted(proved.states as u64, "state", "states");
        let _ = match &section.evidence {
            Evidence::Holds(table) => {
                let (judged, not) = judged(&section.checked);
                let open = if table.open.is_empty() { "" } else { ", in which what nobody reads is left open" };
                let besides = if not.is_empty() { String::new() } else { format!("; not judged: {}", not.join(", ")) };
                writeln!(text, "certified: {}: no error in {states}{open}{besides}", listed(&judged))
            }
            Evidence::Broken(error, _) => {
                let broken = broken(&section.checked, error.kind, proved.unclear);
                writeln!(text, "certified: {broken}, shown by {states}")
            }
        };
    }
    if !left.is_empty() {
        let left: Vec<String> = left.iter().filter_map(called).collect();
        let _ = writeln!(text, "not part of this certificate: {}", listed(&left));
    }
    text
}

/// What a proof is about, and which errors it passes over.
fn judged(checked: &Checked) -> (Vec<String>, Vec<&'static str>) {
    let (mut judged, mut not) = (Vec::new(), Vec::new());
    judged.extend(property(checked));
    if checked.assertions {
        judged.push("assertions".to_string());
    } else {
        not.push("assertions");
    }
    // The proof of a formula is about the formula alone.
    match checked.subject {
        Subject::Formula(_) => not.push("run-time errors"),
        _ => judged.push("run-time errors".to_string()),
    }
    match checked.ends {
        Ends::Ignored => not.push("end states"),
        Ends::Judged => judged.push("end states".to_string()),
        Ends::JudgedWithChannels => judged.push("end states, with channels that must be empty".to_string()),
    }
    (judged, not)
}

/// The property in words; none if there are only errors of the model.
fn property(checked: &Checked) -> Option<String> {
    let name = called(&checked.subject)?;
    Some(if checked.fair { format!("{name} on weakly fair runs") } else { name })
}

/// What a property is called; errors of the model are none.
fn called(subject: &Subject) -> Option<String> {
    match subject {
        Subject::Errors => None,
        Subject::AcceptLabels => Some("accept labels".to_string()),
        Subject::Progress => Some("progress".to_string()),
        Subject::Never => Some("the never claim".to_string()),
        Subject::Formula(name) => Some(format!("the formula {}", visible(name))),
    }
}

fn broken(checked: &Checked, kind: ErrorKind, unclear: bool) -> String {
    match (kind, checked.ends) {
        (ErrorKind::Assertion, _) => "an assertion is violated".to_string(),
        (ErrorKind::RunTime, _) => "an error at run time".to_string(),
        (ErrorKind::EndState, Ends::JudgedWithChannels) => {
            "an invalid end state (channels must be empty, too)".to_string()
        }
        (ErrorKind::EndState, _) => "an invalid end state".to_string(),
        (ErrorKind::Property, _) => {
            let what = if unclear { "cannot be evaluated in every state" } else { "violated" };
            format!("{}: {what}", property(checked).unwrap_or_default())
        }
    }
}

fn listed(things: &[String]) -> String {
    match things {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
