//! `pv check --certificate`: what the searches of a check have seen, put together into one file.
//!
//! A file is written only if every search was complete. Of a property that holds it has all states, of one that does not the
//! counterexample. For a formula it has the states of the system, which a search of their own finds: the states of the product
//! with pv's automaton would prove nothing to somebody who does not believe in that automaton.

use crate::certificate::{
    Certificate, Checked, Ends, Error, ErrorKind, Evidence, Names, Section, Subject, Table, file,
};
use crate::exec::{Machine, Program};
use crate::model::Model;
use crate::report::reason;
use crate::report::trail::write_atomically;
use crate::search::outcome::{About, Outcome, Verdict, Violation, ViolationKind};
use crate::search::plan::{Assertions, CycleProperty, DepthFirst, EndStates, Plan, Property, Reductions, Search};
use crate::search::walk::replay;
use crate::source::visible::visible;
use crate::witness::Witness;
use std::path::{Path, PathBuf};

/// What one property's search sees.
pub(super) struct Testimony {
    subject: Subject,
    witness: Option<Witness>,
    model: Model,
    /// The claim that is a part of the states.
    claim: Option<usize>,
}

impl Testimony {
    /// Somebody to look at the search of this plan, if it is to be certified.
    pub(super) fn new(plan: &Plan, model: &Model) -> Option<Testimony> {
        if !plan.certifies {
            return None;
        }
        let subject = subject(plan.property(), model);
        let claim = plan.property().claim().filter(|_| subject == Subject::Never);
        Some(Testimony { subject, witness: None, model: model.clone(), claim })
    }

    /// Writes down what a search sees. What an earlier search has seen is forgotten.
    pub(super) fn witness(&mut self) -> Option<Witness> {
        Some(Witness::new(&self.model, self.claim))
    }

    /// The search has ended.
    pub(super) fn take_back(&mut self, witness: Witness) {
        self.witness = Some(witness);
    }

    /// A search for the states of the system alone, where those of the first search, which has come to this outcome, prove nothing.
    pub(super) fn system_plan(&self, plan: &Plan, outcome: &Outcome) -> Option<Plan> {
        is_proved(&self.subject, outcome).then(|| Plan {
            assertions: Assertions::Ignore,
            end_states: EndStates::Ignore,
            all_errors: true,
            statics: Reductions::NONE,
            claim: None,
            search: Search::Depth(DepthFirst::default()),
            ..plan.clone()
        })
    }
}

/// Is a formula proved by a search that has found other errors?
fn is_proved(subject: &Subject, outcome: &Outcome) -> bool {
    matches!(subject, Subject::Formula(_)) && matches!(outcome.of_property(), Verdict::Verified(_))
}

/// What a plan checks beside this property, as far as the property's proof is about it.
fn checked(subject: Subject, plan: &Plan) -> Checked {
    let errors = subject == Subject::Errors;
    let formula = matches!(subject, Subject::Formula(_));
    Checked {
        subject,
        fair: !errors && plan.search.is_fair(),
        assertions: !formula && plan.assertions == Assertions::Report,
        ends: match plan.end_states {
            EndStates::Judge if errors => Ends::Judged,
            EndStates::JudgeChannels if errors => Ends::JudgedWithChannels,
            _ => Ends::Ignored,
        },
    }
}

fn subject(property: Property, model: &Model) -> Subject {
    match property {
        Property::Safety => Subject::Errors,
        Property::Cycles(CycleProperty::AcceptLabels) => Subject::AcceptLabels,
        Property::Cycles(CycleProperty::Progress) => Subject::Progress,
        Property::Cycles(CycleProperty::Claim(number)) => match model.claims.get(number) {
            Some(claim) if claim.formula.is_some() => Subject::Formula(claim.name.to_string()),
            _ => Subject::Never,
        },
    }
}

/// The certificate of a check.
pub(super) struct CertificateFile {
    path: Option<PathBuf>,
    certificate: Certificate,
    /// Why there can be no certificate.
    missing: Option<String>,
}

impl CertificateFile {
    /// Nothing is certified yet. That a file cannot be written is known before any search.
    pub(super) fn new(path: Option<&Path>, model: &Model) -> Result<CertificateFile, String> {
        if let Some(path) = path
            && let Err(error) = can_be_written(path)
        {
            return Err(format!("the certificate cannot be written to {}: {error}", path.display()));
        }
        let mut names = Names::default();
        if path.is_some() {
            let never = model.claims.iter().position(|claim| claim.formula.is_none());
            names = Witness::new(model, never).names().clone();
        }
        let (model, fingerprint) = (model.name.clone(), model.fingerprint);
        let certificate = Certificate { model, fingerprint, names, sections: Vec::new() };
        Ok(CertificateFile { path: path.map(Path::to_path_buf), certificate, missing: None })
    }

    /// There is no certificate unless this search, too, came to its end.
    pub(super) fn needs(&mut self, outcome: &Outcome) {
        let limit = match &outcome.verdict {
            Verdict::Incomplete(limit) => Some(limit),
            _ => outcome.stopped.as_ref(),
        };
        if let Some(limit) = limit {
            self.missing = Some(reason(limit));
        }
    }

    /// Adds what came out of a search.
    pub(super) fn add(&mut self, model: &Model, plan: &Plan, outcome: &Outcome, testimony: Option<Testimony>) {
        let Some(testimony) = testimony else { return };
        let checked = checked(testimony.subject, plan);
        let holds = match outcome.verdict {
            Verdict::Verified(_) => true,
            // Behind an assertion that fails a search goes on; the states of the system have had a search of their own.
            Verdict::Violated => is_proved(&checked.subject, outcome),
            _ => false,
        };
        if holds {
            let table = testimony.witness.map(Witness::into_table).unwrap_or_default();
            // Several states of the product with the claim for progress are one of the system.
            let shared = checked.subject == Subject::Progress;
            let table = if shared { table.distinct() } else { table };
            self.certificate.sections.push(Section { checked: checked.clone(), evidence: Evidence::Holds(table) });
        }
        match outcome.verdict {
            Verdict::Verified(_) => {}
            Verdict::Violated => {
                let (own, program) = plan.property().compile(model);
                let model = own.as_ref().unwrap_or(model);
                for violation in &outcome.violations {
                    let error = Error { kind: kind(violation), message: violation.message.clone() };
                    let checked = match error.kind {
                        ErrorKind::Property => checked.clone(),
                        // An error of the model says nothing about the property that was looked for when it was found.
                        _ => self::checked(Subject::Errors, plan),
                    };
                    let (table, closes) = path(model, &program, violation);
                    if !closes {
                        let why = "the cycle counts something that nobody reads and closes without it; --full looks for one that closes";
                        self.missing = Some(why.into());
                    }
                    let evidence = Evidence::Broken(error, table);
                    self.certificate.sections.push(Section { checked, evidence });
                }
            }
            Verdict::NoErrorFound => self.missing = Some("the store may omit states".into()),
            Verdict::Incomplete(_) => self.needs(outcome),
        }
    }

    /// Writes the file, and gives what is to be said about it.
    pub(super) fn write(&self) -> Result<Option<String>, String> {
        let Some(path) = &self.path else { return Ok(None) };
        let name = path.display();
        if let Some(why) = &self.missing {
            return Ok(Some(format!("no certificate was written: {why}")));
        }
        let bytes = file::encode(&self.certificate);
        let written = match path.metadata() {
            // A device stays what it is.
            Ok(old) if !old.is_file() => std::fs::write(path, &bytes),
            _ => write_atomically(path, &bytes),
        };
        written.map_err(|error| format!("the certificate cannot be written to {name}: {error}"))?;
        let (name, size) = (path.display().to_string(), bytes.len());
        Ok(Some(format!("the certificate is in {} ({size} bytes); `pv certify` checks it", visible(&name))))
    }
}

/// Tries whether a file can be made where the certificate is to be.
fn can_be_written(path: &Path) -> std::io::Result<()> {
    if path.is_dir() {
        return Err(std::io::ErrorKind::IsADirectory.into());
    }
    if path.exists() && !path.is_file() {
        return Ok(());
    }
    if path.is_file() && !file::may_be_replaced(std::fs::File::open(path)?)? {
        return Err(std::io::Error::other("there is another file of this name, and it is not a certificate"));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    tempfile::NamedTempFile::new_in(folder).map(|_| ())
}

fn kind(violation: &Violation) -> ErrorKind {
    match violation.kind {
        ViolationKind::InvalidEndState => ErrorKind::EndState,
        ViolationKind::AcceptanceCycle | ViolationKind::NonProgressCycle => ErrorKind::Property,
        ViolationKind::Assertion | ViolationKind::Unhandled => match violation.about {
            About::Property => ErrorKind::Property,
            About::Assertion => ErrorKind::Assertion,
            About::Model => ErrorKind::RunTime,
        },
    }
}

/// The states along the path of a violation, without a claim, and whether its cycle comes back to the state in which it begins. States inside of
/// atomic blocks are among them, which does no harm.
fn path(model: &Model, program: &Program, violation: &Violation) -> (Table, bool) {
    let mut witness = Witness::new(model, None);
    let Ok(mut machine) = Machine::new(program) else { return (Table::default(), true) };
    witness.note(&machine);
    let mut start = None;
    for (number, &step) in violation.path.iter().enumerate() {
        if violation.cycle_start == Some(number) {
            start = Some(machine.saved().to_vec());
        }
        // The path was executed before, when it was described; a step that fails is the last.
        if replay::take(&mut machine, step).is_err() {
            break;
        }
        if !machine.in_handshake() {
            witness.note(&machine);
        }
        machine.forget_journal_if_idle();
    }
    let closes = start.is_none_or(|start| start == machine.saved());
    (witness.into_table().distinct(), closes)
}
