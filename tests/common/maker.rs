//! Random models. [`Maker::model`] makes small ones for claims; [`Maker::rich`] uses what the language has: channels that are handed on,
//! escapes, timeouts, `provided`, births and deaths, typedefs, inlines, sorted and random operations, blocks.

#![allow(dead_code)]

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

/// Formulas of each model.
pub(crate) const FORMULAS: usize = 3;

pub(crate) struct Maker(SmallRng);

impl Maker {
    pub(crate) fn new(seed: u64) -> Maker {
        Maker(SmallRng::seed_from_u64(seed))
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from.choose(&mut self.0).copied().unwrap_or("skip")
    }

    /// A statement of a process; `depth` bounds how deep choices and loops are nested.
    fn statement(&mut self, depth: u32) -> String {
        match self.0.random_range(0..if depth == 0 { 6 } else { 10 }) {
            0 => self.pick(&["x = 1", "x = 0", "y = 1 - y", "x = y", "y = 0"]).to_string(),
            1 | 2 => self.pick(&["i = 1", "i = 0", "j = !j", "i = i + 1", "skip", "j = i > 0"]).to_string(),
            3 => self.pick(&["q!1", "q?i", "q?_", "c!x", "c?x", "c?i", "d!j", "d?j", "d?_", "c!1"]).to_string(),
            4 => self.pick(&["x == 0", "y == 1", "i < 2", "len(q) > 0", "nempty(d)", "(x == 1 || y == 0)"]).to_string(),
            5 => self.pick(&["x = 1 - x", "skip", "x = 2", "y = i"]).to_string(),
            6 => format!(
                "do :: skip; {} :: {} -> break od",
                self.sequence(depth - 1),
                self.pick(&["true", "x == 1", "else", "i > 1"])
            ),
            7 => format!("do :: i < 2 -> skip; {}; i++ :: else -> break od; i = 0", self.sequence(depth - 1)),
            8 => format!("if :: skip; {} :: skip; {} fi", self.sequence(depth - 1), self.sequence(depth - 1)),
            _ => format!("atomic {{ {} }}", self.sequence(depth - 1)),
        }
    }

    fn sequence(&mut self, depth: u32) -> String {
        let count = self.0.random_range(1..4);
        (0..count).map(|_| self.statement(depth)).collect::<Vec<_>>().join("; ")
    }

    fn formula(&mut self, depth: u32) -> String {
        if depth == 0 || self.0.random_bool(0.2) {
            return self
                .pick(&[
                    "(x == 1)",
                    "(y == 1)",
                    "(x == 0)",
                    "(len(q) > 0)",
                    "(x != y)",
                    "(len(d) == 0)",
                    "(P@S)",
                    "(Q@S)",
                ])
                .to_string();
        }
        let (a, b) = (self.formula(depth - 1), self.formula(depth - 1));
        match self.0.random_range(0..9) {
            0 => format!("([] {a})"),
            1 => format!("(<> {a})"),
            2 => format!("({a} U {b})"),
            3 => format!("({a} && {b})"),
            4 => format!("({a} || {b})"),
            5 => format!("({a} -> {b})"),
            6 => format!("([] <> {a})"),
            7 => format!("(<> [] {a})"),
            _ => format!("(! {a})"),
        }
    }

    /// The body of a process, with a label that formulas name.
    fn body(&mut self) -> String {
        let text = format!("{}; S: {}", self.sequence(2), self.pick(&["skip", "i = 1", "x = 1 - x"]));
        if self.0.random_bool(0.5) { format!("do :: skip; {text} od") } else { text }
    }

    pub(crate) fn model(&mut self) -> String {
        let mut text = String::from(
            "byte x, y; chan q = [1] of { byte }; chan c = [0] of { byte }; chan d = [2] of { bit }; proctype C() { bit i; i = 1; i = 0 } ",
        );
        for name in ["P", "Q", "R"].iter().take(self.0.random_range(2..4)) {
            text += &format!("active proctype {name}() {{ unsigned i : 2; bit j; {} }} ", self.body());
        }
        if self.0.random_bool(0.3) {
            text += "init { run C(); x = 1 } ";
        }
        for number in 0..FORMULAS {
            let depth = self.0.random_range(1..4);
            text += &format!("ltl f{number} {{ {} }} ", self.formula(depth));
        }
        text
    }

    /// A statement of a rich model. The text of a choice that is not taken costs nothing, so each line may be long.
    fn rich_statement(&mut self, depth: u32) -> String {
        match self.0.random_range(0..if depth == 0 { 11 } else { 18 }) {
            0 => self
                .pick(&[
                    "x = 1",
                    "y = (y + 1) % 3",
                    "t.a = x",
                    "t.b[x % 2] = 1 - t.b[0]",
                    "arr[i % 2] = y",
                    "s = s - 1",
                    "y = 3 / (2 - x)",
                    "arr[x] = 1",
                ])
                .to_string(),
            1 => self
                .pick(&[
                    "i = 1",
                    "i = x",
                    "j = !j",
                    "i = (i + 1) % 3",
                    "skip",
                    "i = arr[j]",
                    "x = t.a",
                    "y = _pid",
                    "i = _nr_pr",
                ])
                .to_string(),
            2 => self.pick(&["q!x", "q?i", "q?_", "q?1", "q??1", "q!!i", "q?<i>", "q?eval(i)"]).to_string(),
            3 => self.pick(&["c!x", "c?i", "c?x", "c?1", "c!1", "c?eval(i)", "c?_"]).to_string(),
            4 => self
                .pick(&["d!i,j", "d!!x,1", "d?i,j", "d??1,_", "d?<i,_>", "d?i,1", "d??eval(i),j", "d!!y,j", "d?_,_"])
                .to_string(),
            5 => self.pick(&["h!q", "h!k", "h?k", "h!c", "k!1", "k?i", "k?_", "h?_", "h?<k>"]).to_string(),
            6 => self
                .pick(&[
                    "x == 0",
                    "y == 1",
                    "x < y",
                    "len(q) > 0",
                    "full(q)",
                    "nempty(d)",
                    "empty(d)",
                    "q?[1]",
                    "d??[1,_]",
                ])
                .to_string(),
            7 => self
                .pick(&[
                    "timeout",
                    "_nr_pr < 4",
                    "(x == 1 || y == 0)",
                    "nfull(d)",
                    "i <= x",
                    "(j -> x : y) > 0",
                    "(timeout && 2 % x == 0)",
                ])
                .to_string(),
            8 => "if :: _nr_pr < 4 -> run C(x, k) :: else fi".to_string(),
            9 => self.pick(&["bump(x, 1)", "bump(y, 2)", "both()", "put(q)", "put(k)"]).to_string(),
            10 => self
                .pick(&["assert(x < 3)", "assert(y < 2 || x < 2)", "printf(\"%d\", x)", "t.a = 200 + t.a"])
                .to_string(),
            11 => format!(
                "do :: {}; {} :: {} -> break od",
                self.pick(&["skip", "x < 2", "q?i"]),
                self.rich_sequence(depth - 1),
                self.pick(&["true", "x == 1", "else", "timeout"])
            ),
            12 => format!("if :: {} :: {} fi", self.rich_sequence(depth - 1), self.rich_sequence(depth - 1)),
            13 => format!(
                "if :: {} -> {} :: else -> {} fi",
                self.pick(&["x == 1", "y > 0", "j", "nempty(q)"]),
                self.rich_sequence(depth - 1),
                self.rich_sequence(depth - 1)
            ),
            14 => format!("atomic {{ {} }}", self.rich_sequence(depth - 1)),
            15 => self
                .pick(&[
                    "d_step { x = y; y = 0 }",
                    "d_step { i = x; if :: i == 0 -> x = 1 :: else -> x = 0 fi; i = 0 }",
                    "d_step { q?i; x = i; i = 0 }",
                    "d_step { c?i; y = i }",
                    "d_step { x == 1 -> x = 2; t.a = 0 }",
                    "d_step { assert(x < 2); y = 3 / (2 - x) }",
                    "d_step { i = 0; assert(y > 0); x = arr[y] }",
                    "d_step { assert(x == 1); x == 1; x = 0 }",
                ])
                .to_string(),
            16 => format!(
                "{{ {} }} unless {{ {}; {} }}",
                self.rich_sequence(depth - 1),
                self.pick(&["x == 2", "q?i", "c?i", "c!1", "timeout", "y == 1"]),
                self.rich_sequence(depth - 1)
            ),
            _ => self
                .pick(&["for (i : 0 .. 1) { x = i }", "select (i : 0 .. 2)", "select (x : 0 .. 1)", "i = 0; j = 0"])
                .to_string(),
        }
    }

    fn rich_sequence(&mut self, depth: u32) -> String {
        let count = self.0.random_range(1..4);
        (0..count).map(|_| self.rich_statement(depth)).collect::<Vec<_>>().join("; ")
    }

    /// A model with all that.
    pub(crate) fn rich(&mut self) -> String {
        let mut text = String::from(
            "typedef T { byte a; bit b[2] }; byte x, y; short s; T t; byte arr[2];\n\
             chan q = [1] of { byte }; chan c = [0] of { byte }; chan d = [2] of { byte, bit }; chan h = [1] of { chan };\n\
             inline bump(v, n) { v = (v + n) % 3 }\ninline both() { atomic { x = 1; y = 1 } }\n\
             inline put(z) { if :: z!1 :: z?_ :: skip fi }\n",
        );
        let (last, reply) = (self.pick(&["x = v", "y = i", "skip"]), self.pick(&["k!i", "k?i", "c!1", "skip", "q?_"]));
        text += &format!("proctype C(byte v; chan k) {{ byte i; i = v; if :: {reply} :: skip fi; {last} }}\n");
        for name in ["P", "Q", "R"].iter().take(self.0.random_range(1..4)) {
            let clause =
                if self.0.random_bool(0.15) { self.pick(&["provided (x != 2) ", "provided (y < 2) "]) } else { "" };
            let own = self.pick(&["chan k", "chan k = [1] of { byte }", "chan k = [0] of { byte }"]);
            let body = format!("{}; S: {}", self.rich_sequence(2), self.pick(&["skip", "i = 1", "x = 1 - x"]));
            let label = self.pick(&["", "", "end: ", "progress: ", "accept: "]);
            let body = if self.0.random_bool(0.3) { format!("{label}do :: {body} od") } else { body };
            text += &format!("active proctype {name}() {clause}{{ byte i; bit j; {own}; {body} }}\n");
        }
        if self.0.random_bool(0.3) {
            text += "init { run C(1, q); x = 1; run C(2, c) }\n";
        }
        if self.0.random_bool(0.2) {
            let guard =
                self.pick(&["x == 2", "y == 1 && x == 0", "len(q) > 0", "timeout", "arr[y] == 1", "4 / x == y"]);
            let then = self.pick(&["break", "goto accept"]);
            text += &format!("never {{ do :: {guard} -> {then} :: else od; accept: do :: true od }}\n");
        } else if self.0.random_bool(0.5) {
            for number in 0..2 {
                let depth = self.0.random_range(1..3);
                let fails = self.pick(&["(P@S)", "(P@S)", "(arr[y] == 0)"]);
                let formula = self.formula(depth).replace("(Q@S)", "(y == 2)").replace("(P@S)", fails);
                text += &format!("ltl f{number} {{ {formula} }}\n");
            }
        }
        text
    }
}
