//! The language server from outside: a client that starts `pv lsp` and speaks the protocol with it.

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// Notifications that came while an answer was waited for.
    notes: VecDeque<Value>,
    next: i64,
    folder: tempfile::TempDir,
}

impl Client {
    fn start() -> Client {
        Client::start_with(Value::Null)
    }

    fn start_with(options: Value) -> Client {
        let mut child = Command::new(env!("CARGO_BIN_EXE_pv"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("pv lsp starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let folder = tempfile::tempdir().expect("a folder");
        let mut client = Client { child, input, output, notes: VecDeque::new(), next: 0, folder };
        let root = format!("file://{}", client.folder.path().display());
        let params = json!({ "capabilities": {}, "rootUri": root, "initializationOptions": options });
        let answer = client.ask("initialize", params);
        assert_eq!(answer["result"]["capabilities"]["positionEncoding"], "utf-16");
        client.tell("initialized", json!({}));
        client
    }

    fn write(&mut self, body: &str) {
        let input = self.input.as_mut().expect("open");
        write!(input, "Content-Length: {}\r\n\r\n{body}", body.len()).expect("written");
        input.flush().expect("flushed");
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.write(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }

    fn read(&mut self) -> Option<Value> {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).expect("readable") == 0 {
                return None;
            }
            match line.trim_end() {
                "" => break,
                header => {
                    if let Some(value) = header.strip_prefix("Content-Length: ") {
                        length = value.parse().expect("a length");
                    }
                }
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).expect("a body");
        Some(serde_json::from_slice(&body).expect("JSON"))
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
        loop {
            let message = self.read().expect("an answer");
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.notes.push_back(message);
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn uri(&self, name: &str) -> String {
        format!("file://{}", self.path(name).display())
    }

    fn open(&mut self, name: &str, text: &str) {
        let document = json!({ "uri": self.uri(name), "languageId": "promela", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    fn change(&mut self, name: &str, version: i32, text: &str) {
        let document = json!({ "uri": self.uri(name), "version": version });
        self.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": [{ "text": text }] }));
    }

    /// The next diagnostics of a file.
    fn diagnostics(&mut self, name: &str) -> Vec<Value> {
        let uri = self.uri(name);
        loop {
            let note = self.notes.pop_front().or_else(|| self.read()).expect("diagnostics");
            if note["method"] == "textDocument/publishDiagnostics" && note["params"]["uri"] == uri {
                return note["params"]["diagnostics"].as_array().expect("a list").clone();
            }
        }
    }

    fn at(&mut self, method: &str, name: &str, line: u32, character: u32, more: Value) -> Value {
        let mut params =
            json!({ "textDocument": { "uri": self.uri(name) }, "position": { "line": line, "character": character } });
        for (key, value) in more.as_object().into_iter().flatten() {
            params[key] = value.clone();
        }
        self.ask(&format!("textDocument/{method}"), params)
    }

    fn about(&mut self, method: &str, name: &str) -> Value {
        let params =
            json!({ "textDocument": { "uri": self.uri(name) }, "options": { "tabSize": 4, "insertSpaces": false } });
        self.ask(&format!("textDocument/{method}"), params)
    }

    fn end(mut self) {
        assert_eq!(self.ask("shutdown", Value::Null)["result"], Value::Null);
        self.tell("exit", Value::Null);
        assert_eq!(self.child.wait().expect("ended").code(), Some(0));
    }
}

#[test]
fn a_model_is_read_with_macros_folders_and_open_documents() {
    let mut client = Client::start_with(json!({ "defines": ["N=3", "FLAG", "no name"], "includes": ["parts"] }));
    std::fs::create_dir(client.path("parts")).expect("a folder");
    std::fs::write(client.path("parts/defs.h"), "byte x = N;\n").expect("a part");
    let model = "#ifndef FLAG\n#error needs it\n#endif\n#include \"defs.h\"\ninit { assert(x == 3) }\n";
    std::fs::write(client.path("m.pml"), model).expect("a model");
    let told = client.notes.pop_front().expect("a message");
    assert_eq!(told["params"]["message"], "pv: `no name` in `defines` is not NAME or NAME=VALUE");
    client.open("m.pml", model);
    assert_eq!(client.diagnostics("m.pml"), Vec::<Value>::new());
    // A check has them as well.
    let verify = json!({ "command": "pv.verify", "arguments": [client.uri("m.pml")] });
    assert_eq!(client.ask("workspace/executeCommand", verify)["result"]["verdict"], "verified");
    // The part as it stands in the editor counts, not as it was saved; and the model is told of at once.
    client.notes.clear();
    client.open("parts/defs.h", "byte y = N;\n");
    let wrong = client.diagnostics("m.pml");
    assert!(wrong[0]["message"].as_str().is_some_and(|text| text.contains("unknown variable `x`")), "{wrong:?}");
    let uri = client.uri("parts/defs.h");
    client.tell("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(client.diagnostics("m.pml"), Vec::<Value>::new());
    client.tell("workspace/didChangeConfiguration", json!({ "settings": { "pv": { "defines": [] } } }));
    let wrong = client.diagnostics("m.pml");
    assert!(wrong[0]["message"].as_str().is_some_and(|text| text.contains("needs it")), "{wrong:?}");
    client.end();
}

fn range(line: u32, from: u32, to: u32) -> Value {
    json!({ "start": { "line": line, "character": from }, "end": { "line": line, "character": to } })
}

/// Edits of one line each, made on a text.
fn edited(text: &str, edits: &Value) -> String {
    let mut lines: Vec<Vec<u16>> = text.split('\n').map(|line| line.encode_utf16().collect()).collect();
    for edit in edits.as_array().expect("edits").iter().rev() {
        let number = |end: &str, part: &str| edit["range"][end][part].as_u64().expect("a number") as usize;
        let new: Vec<u16> = edit["newText"].as_str().expect("a text").encode_utf16().collect();
        lines[number("start", "line")].splice(number("start", "character")..number("end", "character"), new);
    }
    let lines: Vec<String> = lines.iter().map(|line| String::from_utf16(line).expect("a text")).collect();
    lines.join("\n")
}

const MODEL: &str = "#define N 3
/* \u{1f600} */ byte count; chan q = [1] of { byte };
inline step(x) { x = x + 1 }
active proctype P() {
    do
    :: count < N -> step(count)
    :: else -> break
    od;
    q!count
}
active proctype R() { byte got; q?got; done: assert(got == N) }
ltl ends { <> R@done }
";

#[test]
fn diagnostics_follow_the_text() {
    let mut client = Client::start();
    client.open("m.pml", "init { x = 1 }\n");
    let found = client.diagnostics("m.pml");
    assert_eq!(found.len(), 1);
    assert_eq!((&found[0]["code"], &found[0]["severity"]), (&json!("unknown-name"), &json!(1)));
    assert_eq!(found[0]["range"], range(0, 7, 8));
    // Behind a character that takes two units, with line ends of Windows.
    client.change("m.pml", 2, "byte x;\r\n/* \u{1f600} */ init { x = 256; assert(x == 0) }\r\n");
    let found = client.diagnostics("m.pml");
    assert_eq!((&found[0]["code"], &found[0]["severity"]), (&json!("cut-off"), &json!(2)));
    assert_eq!(found[0]["range"], range(1, 20, 23));
    assert!(found[0]["message"].as_str().is_some_and(|text| text.contains("pv explain cut-off")));
    assert_eq!(found[0]["relatedInformation"][0]["location"]["range"], range(0, 5, 6));
    client.change("m.pml", 3, "init { skip }\n");
    assert_eq!(client.diagnostics("m.pml"), [] as [Value; 0]);
    client.end();
}

#[test]
fn parts_are_read_from_the_disk_and_told_of_there() {
    let mut client = Client::start();
    std::fs::write(client.path("part.h"), "byte x;\nbyte x;\n").expect("written");
    client.open("m.pml", "#include \"part.h\"\ninit { x = 1; assert(x == 1) }\n");
    assert_eq!(client.diagnostics("m.pml"), [] as [Value; 0]);
    assert_eq!(client.diagnostics("part.h").len(), 1);
    std::fs::write(client.path("part.h"), "byte x;\n").expect("written");
    let uri = client.uri("part.h");
    client.tell("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(client.diagnostics("part.h"), [] as [Value; 0]);
    // `x` is declared in the other file, and what stands there is not renamed behind its back.
    let place = client.at("definition", "m.pml", 1, 7, json!({}))["result"][0].clone();
    assert_eq!((&place["uri"], &place["range"]), (&json!(uri), &range(0, 5, 6)));
    let refused = client.at("rename", "m.pml", 1, 7, json!({ "newName": "y" }));
    assert!(refused["error"]["message"].as_str().is_some_and(|text| text.contains("part.h")), "{refused}");
    client.end();
}

#[test]
fn names_are_known() {
    let mut client = Client::start();
    client.open("m.pml", MODEL);
    assert_eq!(client.diagnostics("m.pml"), [] as [Value; 0]);
    let hover = client.at("hover", "m.pml", 5, 8, json!({}));
    let text = hover["result"]["contents"]["value"].as_str().expect("a text").to_owned();
    assert!(text.contains("global variable, a byte (0 to 255)") && text.contains("written by `P`"), "{text}");
    let hover = client.at("hover", "m.pml", 5, 15, json!({}));
    assert!(hover["result"]["contents"]["value"].as_str().is_some_and(|text| text.contains("#define N 3")), "{hover}");
    assert_eq!(client.at("hover", "m.pml", 4, 4, json!({}))["result"], Value::Null);
    // The variable, the macro, the inline, the label.
    for (line, character, place) in
        [(5, 8, range(1, 14, 19)), (5, 15, range(0, 8, 9)), (5, 22, range(2, 7, 11)), (11, 16, range(10, 39, 43))]
    {
        let found = client.at("definition", "m.pml", line, character, json!({}));
        assert_eq!(found["result"][0]["range"], place, "{line}:{character}: {found}");
    }
    let found = client.at("references", "m.pml", 5, 8, json!({ "context": { "includeDeclaration": true } }));
    let places: Vec<&Value> = found["result"].as_array().expect("a list").iter().map(|place| &place["range"]).collect();
    assert_eq!(places, [&range(1, 14, 19), &range(5, 7, 12), &range(5, 25, 30), &range(8, 6, 11)]);
    client.end();
}

/// Parameters of macros and inlines, which the tree does not know.
#[test]
fn parameters_of_macros_and_inlines_are_names() {
    let text = "byte x, y;\n#define twice(v) (v + \\\n  v)\ninline set(a, b) {\n  a = b;\n  assert(a == b)\n}\ninline idle(z) { z = 1 }\n\
                active proctype P() { set(x, twice(y)); y = 1 }\n";
    let mut client = Client::start();
    client.open("m.pml", text);
    assert_eq!(client.diagnostics("m.pml").len(), 0);
    let said = |hover: &Value| hover["result"]["contents"]["value"].as_str().unwrap_or_default().to_owned();
    // An inline with all of its lines, at a call and at its definition; a macro too, and one that is not used.
    for (line, character, wanted) in [
        (8, 23, "inline set(a, b) {\n  a = b;\n  assert(a == b)\n}"),
        (3, 8, "inline set(a, b) {\n  a = b;\n  assert(a == b)\n}"),
        (8, 31, "#define twice(v) (v + \\\n  v)"),
        (7, 9, "inline idle(z) { z = 1 }"),
    ] {
        let hover = client.at("hover", "m.pml", line, character, json!({}));
        assert!(said(&hover).contains(wanted), "{line}:{character}: {hover}");
    }
    // `a` in the body, `b` where it is declared, `v` on the second line.
    let (a, b) = ("parameter of the inline `set`", "parameter of the inline `set`");
    for (line, character, word, declared, places) in [
        (4, 2, a, range(3, 11, 12), vec![range(3, 11, 12), range(4, 2, 3), range(5, 9, 10)]),
        (3, 14, b, range(3, 14, 15), vec![range(3, 14, 15), range(4, 6, 7), range(5, 14, 15)]),
        (
            2,
            2,
            "parameter of the macro `twice`",
            range(1, 14, 15),
            vec![range(1, 14, 15), range(1, 18, 19), range(2, 2, 3)],
        ),
    ] {
        let hover = client.at("hover", "m.pml", line, character, json!({}));
        assert!(said(&hover).contains(word), "{hover}");
        let found = client.at("definition", "m.pml", line, character, json!({}));
        assert_eq!(found["result"][0]["range"], declared, "{found}");
        let found =
            client.at("references", "m.pml", line, character, json!({ "context": { "includeDeclaration": true } }));
        let found: Vec<Value> =
            found["result"].as_array().expect("a list").iter().map(|place| place["range"].clone()).collect();
        assert_eq!(found, places);
        let prepared = client.at("prepareRename", "m.pml", line, character, json!({}));
        assert!(prepared["result"].is_object(), "{prepared}");
    }
    let rename = |client: &mut Client, line: u32, character: u32, new: &str| {
        let answer = client.at("rename", "m.pml", line, character, json!({ "newName": new }));
        let edits = &answer["result"]["changes"][client.uri("m.pml")];
        if edits.is_array() { Ok(edited(text, edits)) } else { Err(answer["error"]["message"].to_string()) }
    };
    let renamed = rename(&mut client, 4, 2, "target").expect("edits");
    assert_eq!(
        renamed,
        text.replace(
            "set(a, b) {\n  a = b;\n  assert(a == b)",
            "set(target, b) {\n  target = b;\n  assert(target == b)"
        )
    );
    let renamed = rename(&mut client, 1, 14, "value").expect("edits");
    assert_eq!(renamed, text.replace("twice(v) (v + \\\n  v)", "twice(value) (value + \\\n  value)"));
    for (line, character, new, why) in [
        (4, 2, "b", "taken"),
        (4, 2, "set", "taken"),
        (4, 2, "twice", "taken"),
        (4, 2, "do", "word of the language"),
        (7, 12, "w", "nothing uses"),
    ] {
        let refused = rename(&mut client, line, character, new).expect_err("no edits");
        assert!(refused.contains(why), "{new}: {refused}");
    }
    client.end();
}

#[test]
fn renaming_changes_all_or_nothing() {
    let mut client = Client::start();
    client.open("m.pml", MODEL);
    for (line, character, old, new) in
        [(8, 7, "count", "total"), (5, 15, "N", "LIMIT"), (5, 22, "step", "advance"), (10, 40, "done", "ready")]
    {
        let answer = client.at("rename", "m.pml", line, character, json!({ "newName": new }));
        let uri = client.uri("m.pml");
        let text = edited(MODEL, &answer["result"]["changes"][uri]);
        let mut words = MODEL.split_inclusive(|c: char| !c.is_alphanumeric()).collect::<Vec<_>>().join("");
        for end in [" ", ";", ")", "\n", ":", "("] {
            for begin in [" ", "(", "!", "@"] {
                words = words.replace(&format!("{begin}{old}{end}"), &format!("{begin}{new}{end}"));
            }
        }
        assert_eq!(text, words, "{answer}");
    }
    for (line, character, new, reason) in [
        (8, 7, "q", "`q` is taken"),
        (8, 7, "N", "`N` is taken"),
        (8, 7, "if", "a word of the language"),
        (8, 7, "a b", "is not a name"),
        (8, 7, "", "is not a name"),
        (4, 5, "x", "a word of the language"),
        (1, 4, "x", "no name here"),
    ] {
        let answer = client.at("rename", "m.pml", line, character, json!({ "newName": new }));
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains(reason), "{new}: {answer}");
    }
    // Text that another `-D` would switch on is not left behind silently.
    client.change("m.pml", 2, "byte x;\n#ifdef MORE\nbyte y = x;\n#endif\ninit { x = 1; assert(x == 1) }\n");
    let answer = client.at("rename", "m.pml", 0, 5, json!({ "newName": "z" }));
    assert!(answer["error"]["message"].as_str().is_some_and(|text| text.contains("line 3")), "{answer}");
    assert!(client.at("prepareRename", "m.pml", 4, 0, json!({}))["error"].is_object());
    assert_eq!(client.at("prepareRename", "m.pml", 4, 7, json!({}))["result"], range(4, 7, 8));
    client.end();
}

#[test]
fn a_new_name_that_changes_the_meaning_is_refused() {
    let mut client = Client::start();
    client.open("m.pml", "");
    let label = |name: &str| format!("byte x;\nactive proctype P() {{\n{name}: x = 1 - x; goto {name} }}\n");
    let (ending, plain) = (label("end1"), label("foo"));
    let marked = label("accept_all");
    let other = "#define N 3\n#define M 4\ninit { assert(N == 3) }\n";
    let branch = "#define N 3\nbyte x;\n#ifdef FOO\nbyte y = 1;\n#else\nbyte y;\n#endif\ninit { x = N; y = x; assert(y == 3) }\n";
    let dead = "#define N 3\n#if 0\n# define MORE N + \\\nLESS\n#endif\ninit { assert(N == 3) }\n";
    let text = "#define N 3\n#define SHOW(x) #x\nbyte v;\ninit { v = N; printf(SHOW(N)); assert(v == 3) }\n";
    let calls = "byte x;\ninline f(a) { a = 1 }\nactive proctype P() {\n  byte y; f(y); assert(y > x); x = 1\n}\n";
    for (model, line, character, new, reason) in [
        (&*ending, 2, 0, "foo", "would be a plain label"),
        (&*ending, 2, 0, "progress1", "would be a progress label"),
        (&*plain, 2, 0, "end_foo", "would be an end label"),
        (&*plain, 2, 0, "progress_foo", "would be a progress label"),
        (&*plain, 2, 0, "accept", "would be an accept label"),
        (&*marked, 2, 0, "all", "would be a plain label"),
        (other, 2, 14, "M", "`M` is named by a directive in line 2"),
        (branch, 7, 11, "FOO", "`FOO` is named by a directive in line 3"),
        // A variable would become the macro as soon as somebody says `-D FOO`.
        (branch, 7, 7, "FOO", "`FOO` is named by a directive in line 3"),
        (dead, 5, 14, "MORE", "`MORE` is named by a directive in line 3"),
        (dead, 5, 14, "LESS", "`LESS` is named by a directive in line 4"),
        (text, 3, 11, "L", "would mean something else"),
        // The name of an inline is that of nothing else.
        (calls, 3, 27, "f", "`f` is taken"),
        (calls, 1, 7, "P", "`P` is taken"),
        (calls, 2, 16, "f", "`f` is taken"),
    ] {
        client.change("m.pml", 2, model);
        let answer = client.at("rename", "m.pml", line, character, json!({ "newName": new }));
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains(reason), "{new}: {answer}");
    }
    for (model, line, character, new, count) in [
        (&*ending, 2, 0, "end_of_all", 2),
        (&*plain, 2, 0, "bar", 2),
        (&*marked, 2, 0, "accept", 2),
        (other, 2, 14, "L", 2),
        (branch, 7, 11, "BAR", 2),
        (branch, 7, 7, "z", 3),
        // The parameter of a macro is nobody's name outside of it.
        (text, 2, 5, "x", 3),
    ] {
        client.change("m.pml", 3, model);
        let answer = client.at("rename", "m.pml", line, character, json!({ "newName": new }));
        let uri = client.uri("m.pml");
        let edits = answer["result"]["changes"][uri].as_array().map(Vec::len);
        assert_eq!(edits, Some(count), "{new}: {answer}");
    }
    // A macro that a part uses, though not now.
    std::fs::write(client.path("part.h"), "#ifdef MORE\nbyte x = N;\n#endif\n").expect("written");
    client.change("m.pml", 4, "#define N 3\n#include \"part.h\"\ninit { assert(N == 3) }\n");
    let answer = client.at("rename", "m.pml", 0, 8, json!({ "newName": "L" }));
    assert!(answer["error"]["message"].as_str().is_some_and(|text| text.contains("part.h")), "{answer}");
    client.end();
}

#[test]
fn outline_lenses_and_layout() {
    let mut client = Client::start();
    client.open("m.pml", MODEL);
    let symbols = client.about("documentSymbol", "m.pml")["result"].clone();
    let names: Vec<&str> = symbols.as_array().expect("a list").iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names, ["N", "count", "q", "step", "P", "R", "ends"]);
    assert_eq!(symbols[5]["children"][0]["name"], "got");
    let lenses = client.about("codeLens", "m.pml")["result"].clone();
    let titles: Vec<&str> =
        lenses.as_array().expect("a list").iter().filter_map(|lens| lens["command"]["title"].as_str()).collect();
    assert_eq!(titles, ["Verify", "Replay", "Verify ends"]);
    assert_eq!(lenses[2]["command"]["arguments"], json!([client.uri("m.pml"), "ends"]));
    let text = "init   {\r\nskip  }\r\n";
    client.change("m.pml", 2, text);
    let edits = client.about("formatting", "m.pml")["result"].clone();
    assert_eq!(edits[0]["newText"], "init {\r\n    skip\r\n}\r\n");
    client.change("m.pml", 3, "init {\r\n    skip\r\n}\r\n");
    assert_eq!(client.about("formatting", "m.pml")["result"], json!([]));
    client.end();
}

#[test]
fn commands_run_a_check() {
    let mut client = Client::start();
    let text = "byte x;\ninit { x = 1;\nassert(x == 2) }\n";
    std::fs::write(client.path("m.pml"), text).expect("written");
    client.open("m.pml", text);
    let run = |client: &mut Client, command: &str| {
        let arguments = json!([client.uri("m.pml")]);
        client.ask("workspace/executeCommand", json!({ "command": command, "arguments": arguments }))
    };
    assert!(run(&mut client, "pv.replay")["error"]["message"].as_str().is_some_and(|text| text.contains("verify")));
    assert_eq!(client.diagnostics("m.pml"), [] as [Value; 0]);
    let answer = run(&mut client, "pv.verify");
    assert_eq!((&answer["result"]["code"], &answer["result"]["verdict"]), (&json!(1), &json!("violated")));
    let found = client.diagnostics("m.pml");
    assert_eq!(
        (&found[0]["source"], &found[0]["range"]["start"]["line"]),
        (&json!("pv check"), &json!(2)),
        "{found:?}"
    );
    let answer = run(&mut client, "pv.replay");
    assert!(answer["result"]["text"].as_str().is_some_and(|text| text.contains("x = 1")), "{answer}");
    client.change("m.pml", 2, "init { skip }\n");
    let answer = run(&mut client, "pv.verify");
    assert!(answer["error"]["message"].as_str().is_some_and(|text| text.contains("save")), "{answer}");
    assert_eq!(run(&mut client, "rm")["error"]["message"], "there is no command `rm`");
    let nothing = client.ask("workspace/executeCommand", json!({ "arguments": [] }));
    assert_eq!(nothing["error"]["message"], "the request names no command");
    client.end();
}

#[test]
fn a_closed_document_leaves_no_version_behind() {
    let mut client = Client::start();
    let text = "byte x;\ninit { x = 1;\nassert(x == 2) }\n";
    std::fs::write(client.path("m.pml"), text).expect("written");
    client.open("m.pml", text);
    assert_eq!(client.diagnostics("m.pml"), [] as [Value; 0]);
    let uri = client.uri("m.pml");
    client.tell("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(client.diagnostics("m.pml"), [] as [Value; 0]);
    // The file is checked as one that was never open, and its error is shown.
    let answer = client.ask("workspace/executeCommand", json!({ "command": "pv.verify", "arguments": [uri] }));
    assert_eq!(answer["result"]["verdict"], "violated", "{answer}");
    let published = client.notes.iter().find(|note| note["method"] == "textDocument/publishDiagnostics");
    let published = &published.expect("published")["params"];
    assert_eq!(published["diagnostics"][0]["source"], "pv check");
    assert_eq!(published.get("version"), None);
    client.end();
}

#[test]
fn broken_input_kills_nothing() {
    let mut client = Client::start();
    client.write("{ this is no JSON");
    assert_eq!(client.ask("textDocument/nonsense", json!({}))["error"]["code"], -32601);
    let refused = client.notes.pop_front().expect("an answer");
    assert_eq!((&refused["jsonrpc"], &refused["error"]["code"]), (&json!("2.0"), &json!(-32700)));
    // Nobody knows which request it was: 0 could be another one.
    assert_eq!(refused.get("id"), Some(&Value::Null));
    assert!(client.at("hover", "closed.pml", 0, 0, json!({}))["error"].is_object());
    assert!(client.ask("textDocument/hover", json!([1, 2]))["error"].is_object());
    client.tell("textDocument/didChange", json!(null));
    // Every prefix of a model, and every place in it.
    for (at, _) in MODEL.char_indices() {
        client.change("m.pml", at as i32, &MODEL[..at]);
        client.about("documentSymbol", "m.pml");
        client.at("hover", "m.pml", at as u32 % 13, at as u32 % 40, json!({}));
        client.at("definition", "m.pml", at as u32 % 13, at as u32 % 40, json!({}));
        client.about("codeLens", "m.pml");
    }
    client.change("m.pml", 9999, &"(".repeat(100_000));
    assert!(client.about("documentSymbol", "m.pml")["result"].is_array());
    client.end();
}

#[test]
fn it_ends_with_its_client() {
    let mut client = Client::start();
    assert_eq!(client.ask("shutdown", Value::Null)["result"], Value::Null);
    assert!(client.ask("textDocument/hover", json!({}))["error"].is_object());
    // The client disappears after it has shut the server down, and before.
    client.input = None;
    assert_eq!(client.child.wait().expect("ended").code(), Some(0));
    let mut client = Client::start();
    client.input = None;
    assert_eq!(client.child.wait().expect("ended").code(), Some(1));
    // `exit` without `shutdown`.
    let mut client = Client::start();
    client.tell("exit", Value::Null);
    assert_eq!(client.child.wait().expect("ended").code(), Some(1));
}

#[test]
fn nothing_is_answered_before_the_beginning() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pv"))
        .args(["lsp", "--stdio"])
        .current_dir(Path::new("."))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("pv lsp starts");
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{}}"#;
    let mut input = child.stdin.take().expect("a pipe");
    write!(input, "Content-Length: {}\r\n\r\n{body}", body.len()).expect("written");
    drop(input);
    let output = child.wait_with_output().expect("ended");
    assert!(String::from_utf8_lossy(&output.stdout).contains("-32002"));
    assert_eq!(output.status.code(), Some(1));
}
