//! What a client says about models that need more than their text: macros and folders for included files, as `-D` and `-I` of `pv check`; and the
//! texts of open documents, which stand for their files where another document includes them.

use super::position::path_of;
use crate::source::preprocess::PreprocessOptions;
use serde_json::Value;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// See the module.
#[derive(Clone, Default)]
pub(super) struct Settings {
    pub options: PreprocessOptions,
    /// By the path that the system knows the file by.
    pub unsaved: Arc<HashMap<PathBuf, String>>,
    /// Folders are named from here.
    root: Option<PathBuf>,
}

impl Settings {
    /// What `initialize` says; and what of it is no definition, or no folder, in words.
    pub(super) fn of(params: &Value) -> (Settings, Vec<String>) {
        let folder = &params["workspaceFolders"][0]["uri"];
        let uri = folder.as_str().or_else(|| params["rootUri"].as_str());
        let root = uri.and_then(path_of).or_else(|| params["rootPath"].as_str().map(PathBuf::from));
        let mut settings = Settings { root, ..Settings::default() };
        let wrong = settings.take(&params["initializationOptions"]);
        (settings, wrong)
    }

    /// Takes `defines` and `includes` where they stand; what is not there stays.
    pub(super) fn take(&mut self, given: &Value) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut words = |name: &str| {
            let value = &given[name];
            let list = value.as_array().map(|list| list.iter().map(|word| word.as_str().map(str::to_owned)).collect());
            let words: Option<Option<Vec<String>>> = list;
            if words.as_ref().is_some_and(Option::is_none) || (words.is_none() && !value.is_null()) {
                wrong.push(format!("`{name}` has to be a list of texts"));
            }
            words.flatten()
        };
        let (defines, includes) = (words("defines"), words("includes"));
        if let Some(defines) = defines {
            self.options.defines.clear();
            for text in defines {
                let (name, value) = text.split_once('=').unwrap_or((&text, "1"));
                let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
                if starts && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
                    self.options.defines.push((name.into(), value.into()));
                } else {
                    wrong.push(format!("`{text}` in `defines` is not NAME or NAME=VALUE"));
                }
            }
        }
        if let Some(includes) = includes {
            let root = self.root.clone().unwrap_or_default();
            self.options.include_dirs = includes.iter().map(|folder| root.join(folder)).collect();
        }
        wrong
    }

    /// The same for a command line.
    pub(super) fn arguments(&self) -> Vec<std::ffi::OsString> {
        let defines = self.options.defines.iter().map(|(name, value)| format!("-D{name}={value}").into());
        let folders = self.options.include_dirs.iter().flat_map(|folder| ["-I".into(), folder.into()]);
        defines.chain(folders).collect()
    }
}
