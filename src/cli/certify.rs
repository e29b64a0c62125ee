//! `pv certify`: check a certificate with the reference executor. The front end reads the model once for its diagnostics and its
//! fingerprint; everything that is said about the certificate comes from [`crate::certify`].

use super::console::Console;
use super::load::load_for_replay;
use super::options::ModelArgs;
use crate::certificate::{Certificate, Evidence, Section, Subject, file};
use crate::certify::check::{Proved, Refusal, check};
use crate::report::number::counted;
use crate::report::place;
use crate::search::monitor::available;
use crate::source::preprocess::PreprocessOptions;
use crate::source::visible::visible;
use crate::source::{FileId, SourceMap};
use clap::Args;
use std::fmt::Write;
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
        Err(message) => return console.wrong(message),
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
            console.print(&report(&certificate, &proved), u8::from(!holds))
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

fn read(path: &Path) -> Result<Certificate, String> {
    let name = path.display();
    let metadata = std::fs::metadata(path).map_err(|error| format!("cannot read {name}: {error}"))?;
    if metadata.len() > LARGEST {
        return Err(format!("{name} is not a certificate that can be checked: it is larger than 1 GiB"));
    }
    let bytes = std::fs::read(path).map_err(|error| format!("cannot read {name}: {error}"))?;
    file::decode(&bytes).map_err(|damage| format!("{name} is not a certificate that can be checked: {damage}"))
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

fn report(certificate: &Certificate, proved: &[Proved]) -> String {
    let mut text = String::new();
    for (section, proved) in certificate.sections.iter().zip(proved) {
        let subject = match &section.checked.subject {
            Subject::Errors => "assertions, run-time errors and end states".to_string(),
            Subject::AcceptLabels => "accept labels".to_string(),
            Subject::Progress => "progress".to_string(),
            Subject::Never => "the never claim".to_string(),
            Subject::Formula(name) => format!("the formula {}", visible(name)),
        };
        let states = counted(proved.states as u64, "state", "states");
        let _ = match proved.holds {
            true => writeln!(text, "certified: {subject}: no error in {states}"),
            false => writeln!(text, "certified: {subject}: violated, shown by {states}"),
        };
    }
    text
}
