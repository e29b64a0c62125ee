//! What editors need: the files are whole, and they know the keywords that the lexer knows.

use pv::syntax::token::KEYWORDS;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("grammar").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn json(name: &str) -> Value {
    serde_json::from_str(&text(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn keywords() -> BTreeSet<String> {
    KEYWORDS.iter().map(|&word| word.to_owned()).collect()
}

#[test]
fn the_colours_know_the_keywords() {
    let grammar = json("promela.tmLanguage.json");
    let patterns = grammar["repository"]["keywords"]["patterns"].as_array().expect("the keywords");
    let words = patterns.iter().filter_map(|pattern| pattern["match"].as_str()).flat_map(|list| {
        let inside = list.strip_prefix("\\b(").and_then(|list| list.strip_suffix(")\\b")).expect("a list of words");
        inside.split('|').map(str::to_owned)
    });
    assert_eq!(words.collect::<BTreeSet<String>>(), keywords());
    // What is included is there, and what is there is included.
    let included: BTreeSet<&str> = grammar["patterns"]
        .as_array()
        .expect("patterns")
        .iter()
        .filter_map(|pattern| pattern["include"].as_str()?.strip_prefix('#'))
        .collect();
    let defined: BTreeSet<&str> =
        grammar["repository"].as_object().expect("parts").keys().map(String::as_str).collect();
    assert_eq!(included, defined);
}

#[test]
fn emacs_knows_the_keywords() {
    let text = text("emacs/promela-pv.el");
    let lists = text.split("(defconst ").skip(1).map(|list| list.split(")\n").next().unwrap_or_default());
    let words = lists.flat_map(|list| list.split('(').nth(1).unwrap_or_default().split('"').skip(1).step_by(2));
    assert_eq!(words.map(str::to_owned).collect::<BTreeSet<String>>(), keywords());
}

#[test]
fn the_extension_is_whole() {
    let package = json("vscode/package.json");
    json("vscode/language-configuration.json");
    let grammar = &package["contributes"]["grammars"][0];
    assert_eq!(grammar["scopeName"], json("promela.tmLanguage.json")["scopeName"]);
    let code = text("vscode/extension.js");
    for command in package["contributes"]["commands"].as_array().expect("commands") {
        let name = command["command"].as_str().expect("a name");
        assert!(code.contains(&format!("registerCommand(\"{name}\"")), "{name}");
    }
    for name in ["vscode/extension.js", "neovim/pv.lua", "emacs/promela-pv.el"] {
        assert!(text(name).contains("\"lsp\""), "{name} does not start the server");
    }
    for name in ["pv.verify", "pv.replay"] {
        assert!(text("neovim/pv.lua").contains(name), "{name}");
    }
}
