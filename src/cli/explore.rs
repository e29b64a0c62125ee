//! `pv explore`: the model in the browser. A server on the loopback address, whose page steps through runs, branches and
//! looks; see [`crate::explore`].

use super::console::Console;
use super::load::{Loaded, load_expression, load_for_replay};
use super::options::ModelArgs;
use super::replay::property_of;
use super::signals::on_signals;
use super::steps::base_name;
use crate::explore::server::Server;
use crate::explore::session::{Known, Session};
use crate::explore::tell::{Subject, Teller, error_of, moves_of};
use crate::report::trail::Trail;
use crate::search::plan::Property;
use clap::Args;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Arguments of `pv explore`.
#[derive(Args, Debug)]
pub(crate) struct ExploreArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// A trail file that `pv check` wrote: the exploration starts with this counterexample.
    #[arg(value_name = "TRAIL")]
    trail: Option<PathBuf>,
    /// Port of the server, on the loopback address only [default: any free one].
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Do not open a browser; the address is printed.
    #[arg(long)]
    no_open: bool,
    /// Seed of the steps by chance, 0 to 2^64-1 [default: 1].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

/// Runs the command; gives the exit code.
pub(crate) fn run(console: &Console, args: &ExploreArgs) -> u8 {
    let trail = match args.trail.as_deref().map(Trail::read).transpose() {
        Ok(trail) => trail,
        Err(message) => return console.wrong(message),
    };
    let outside = trail.as_ref().and_then(|trail| trail.outside.as_ref());
    let loaded = match load_for_replay(console, &args.model, outside) {
        Ok(loaded) => loaded,
        Err(code) => return code,
    };
    match explore(console, args, &loaded, trail.as_ref()) {
        Ok(code) => code,
        Err(message) => console.wrong(message),
    }
}

fn explore(console: &Console, args: &ExploreArgs, loaded: &Loaded, trail: Option<&Trail>) -> Result<u8, String> {
    let (property, claim) = match (trail, &args.trail) {
        (Some(trail), Some(path)) => {
            trail.must_be_of(loaded.model.fingerprint, path)?;
            property_of(trail, &loaded.model)?
        }
        _ => (Property::Safety, None),
    };
    let (own, program) = property.compile(&loaded.model);
    let model = own.as_ref().unwrap_or(&loaded.model);
    let subject = Subject { model, map: &loaded.map, program: &program, claim };
    // An initial state that cannot be made is an error of the model, before anybody looks.
    Teller::new(subject).map_err(|what| format!("{what} (while the initial state is made)"))?;
    let known = trail.map(|trail| known(subject, trail)).transpose()?;
    let compile = |text: &str| load_expression(loaded, &args.model, text);
    let server = Server::listen(args.port.unwrap_or(0))
        .map_err(|error| format!("cannot listen on 127.0.0.1, port {}: {error}", args.port.unwrap_or(0)))?;
    let stop = on_signals();
    let address = server.address();
    let code = console.print(&format!("{address}\n"), 0);
    if code != 0 {
        return Ok(code);
    }
    // The file is gone when the exploration ends.
    let _door = (!args.no_open && std::io::stdout().is_terminal()).then(|| open_browser(console, &address));
    let mut session = Session::new(subject, property, known, &compile, args.seed.unwrap_or(1), &stop);
    server
        .serve(&mut session, base_name(&loaded.model.name), &stop)
        .map_err(|error| format!("the server cannot start: {error}"))?;
    Ok(0)
}

fn known(subject: Subject<'_>, trail: &Trail) -> Result<Known, String> {
    let (moves, cycle) = moves_of(subject, trail)?;
    Ok(Known { moves, cycle, error: error_of(subject, trail), name: trail.property.clone() })
}

/// Opens the page. The token must not stand on a command line, where every user can read it: the browser gets a file that only
/// this user can read and that leads to the page.
fn open_browser(console: &Console, address: &str) -> Option<tempfile::NamedTempFile> {
    let mut door = tempfile::Builder::new().prefix("pv-explore-").suffix(".html").tempfile().ok()?;
    let text =
        format!("<!DOCTYPE html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0; url={address}\">");
    door.write_all(text.as_bytes()).and_then(|()| door.flush()).ok()?;
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let started =
        Command::new(program).arg(door.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    match started {
        Ok(mut child) => {
            std::thread::spawn(move || child.wait());
        }
        Err(_) => console.warn("no browser could be opened; open the address by hand"),
    }
    Some(door)
}
