//! From a file name to a model: read, preprocess, parse, analyse; diagnostics go to standard error.

use super::console::{Console, WRONG};
use super::options::ModelArgs;
use crate::model::Model;
use crate::source::SourceMap;
use std::io::Read;

/// A model and the text it came from.
pub struct Loaded {
    /// Files and expansions.
    pub map: SourceMap,
    /// The model.
    pub model: Model,
    /// How long it took.
    pub seconds: f64,
}

/// Reads and compiles a model; what is wrong with it has been printed when this gives an exit code.
pub fn load_model(console: &Console, args: &ModelArgs) -> Result<Loaded, u8> {
    let start = std::time::Instant::now();
    let (_name, _text) = read(console, &args.model)?;
    let _ = start;
    Err(console.wrong("reading models is not available in this build"))
}

/// The text of a file (or of standard input, shown as `<stdin>`). Bytes that are not UTF-8 are replaced: they can only
/// stand in comments and strings of a right model, and a wrong one gets its diagnostic.
pub fn read(console: &Console, path: &str) -> Result<(String, String), u8> {
    let (name, bytes) = if path == "-" {
        let mut bytes = Vec::new();
        ("<stdin>", std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes))
    } else {
        (path, std::fs::read(path))
    };
    match bytes {
        Ok(bytes) if bytes.len() > u32::MAX as usize / 2 => {
            Err(console.wrong(format!("{name}: the file is larger than 2 GB")))
        }
        Ok(bytes) => Ok((name.into(), String::from_utf8(bytes).unwrap_or_else(|e| lossy(e.as_bytes())))),
        Err(error) => {
            console.wrong(format!("cannot read {name}: {error}"));
            Err(WRONG)
        }
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
