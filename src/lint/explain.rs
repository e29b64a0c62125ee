//! What each code means: a sentence, a wrong model and a right one. `pv explain` prints this, the language server shows it, and
//! `docs/lints.md` is made from it. A test runs the models: the wrong one is told of with its code and no other, the
//! right one with none.

use crate::source::code::Code;
use std::fmt::Write;

/// What is to be said about a code.
pub struct Explanation {
    /// A few words.
    pub summary: &'static str,
    /// What it means and what to do.
    pub text: &'static str,
    /// A model that is told of; empty where it cannot be shown as text.
    pub wrong: &'static str,
    /// A model that is not.
    pub right: &'static str,
}

/// What a code means.
pub fn explanation(code: Code) -> Explanation {
    let (summary, text, wrong, right) = match code {
        Code::Preprocessor => (
            "a directive or macro that cannot be obeyed",
            "`#include`, `#define`, `#if` and their kin work as in `cpp`. The message names the directive and what it needs.",
            "#if 1\ninit { skip }\n",
            "#if 1\ninit { skip }\n#endif\n",
        ),
        Code::Syntax => (
            "a text that is no Promela",
            "The message says what was expected at the place, and for the usual slips what to write instead. Statements are separated by `;` or `->`; a line end serves too.",
            "init { if :: skip }\n",
            "init { if :: skip fi }\n",
        ),
        Code::Meaning => (
            "names, types, places or sizes that make no sense",
            "Each part can be read, but not together: a name that is declared twice, a field of a number, a `break` outside of a loop.",
            "byte x;\nbyte x;\ninit { x = 1; assert(x == 1) }\n",
            "byte x;\ninit { x = 1; assert(x == 1) }\n",
        ),
        Code::Formula => (
            "a property that cannot be read",
            "Only this property cannot be checked; the rest of the model can. Temporal operators stand outside of comparisons and arithmetic.",
            "byte x;\ninit { x = 1 }\nltl p { [] x == 1 }\n",
            "byte x;\ninit { x = 1 }\nltl p { [] (x == 1) }\n",
        ),
        Code::UnknownName => (
            "a name that nothing declares",
            "A name is known behind its declaration, in its block and the blocks inside it.",
            "init { count = 1 }\n",
            "byte count;\ninit { count = 1; assert(count == 1) }\n",
        ),
        Code::MisspeltKeyword => (
            "a keyword with a slip of the pen",
            "A word that is nearly a keyword and stands where one belongs, as in `esle` or `proctpye`.",
            "byte x;\ninit { if :: x == 1 -> x = 2 :: esle -> skip fi }\n",
            "byte x;\ninit { if :: x == 1 -> x = 2 :: else -> skip fi }\n",
        ),
        Code::AtMost => (
            "`=<` for `<=`",
            "\"At most\" is written `<=`.",
            "byte x;\ninit { x++; (x =< 3) }\n",
            "byte x;\ninit { x++; (x <= 3) }\n",
        ),
        Code::AssignedGuard => (
            "an assignment where a comparison was meant",
            "`x = 1` as the first statement of an option can always be taken, so an `else` beside it never is. pv is silent where it looks meant: in a choice at random every option may begin with an assignment, and `x = 1; …` is a step, where `x = 1 -> …` beside `x == 2 -> …` or `x < 1 -> …` looks like a guard.",
            "byte x;\ninit { if :: x = 1 -> skip :: else -> x = 2 fi; assert(x < 3) }\n",
            "byte x;\ninit { if :: x == 1 -> skip :: else -> x = 2 fi; assert(x < 3) }\n",
        ),
        Code::MacroAsName => (
            "a macro where a name was meant",
            "A macro is replaced wherever its name stands, also in a declaration: what is declared is what the macro stands for.",
            "#define limit 3\nbyte limit;\ninit { skip }\n",
            "#define LIMIT 3\nbyte limit;\ninit { limit = LIMIT; assert(limit == LIMIT) }\n",
        ),
        Code::MessageFields => (
            "a message with too few or too many fields",
            "A send with another number of fields than the channel has is an error when it is reached. A receive with fewer fields throws the last ones away; write `_` for those. (pv says nothing of a receive that asks for a constant, as in `q?ack`.)",
            "chan q = [1] of { byte, bool };\ninit { byte x; q!1, true; q?x; assert(x == 1) }\n",
            "chan q = [1] of { byte, bool };\ninit { byte x; q!1, true; q?x, _; assert(x == 1) }\n",
        ),
        Code::CutOff => (
            "a constant that does not fit its type",
            "Only the low bits of the number are kept: 256 in a `byte` is 0, -1 is 255. Where a `for` counts with a variable that cannot hold the last value plus one, the loop never ends. Where a value that was computed does not fit, `pv simulate`, `pv replay` and `pv explore` say so at the step.",
            "byte x = 256;\ninit { assert(x == 0) }\n",
            "short x = 256;\ninit { assert(x == 256) }\n",
        ),
        Code::NeverRead => (
            "a variable that nothing reads",
            "No statement and no property looks at the value, so it only makes states differ. A `hidden` variable, one that takes a message or counts a loop, and one whose name begins with `_` are left alone.",
            "byte count;\ninit { count = 1 }\n",
            "byte count;\ninit { count = 1; assert(count == 1) }\n",
        ),
        Code::NeverWritten => (
            "a variable that nothing writes",
            "It has no initialiser and nothing gives it a value, so it is 0 for ever. A constant is said with an initialiser or a `#define`.",
            "bool ready;\ninit { ready }\n",
            "bool ready = true;\ninit { ready }\n",
        ),
        Code::NeverReceived => (
            "a channel from which nothing receives",
            "Messages only go in: the channel fills up and the senders block, or lose their messages. A channel that is passed on is left alone.",
            "chan q = [1] of { byte };\ninit { q!1 }\n",
            "chan q = [1] of { byte };\ninit { q!1; q?_ }\n",
        ),
        Code::NeverSent => (
            "a channel to which nothing sends",
            "Whoever receives from it waits for ever. A channel that is passed on is left alone.",
            "chan q = [1] of { byte };\ninit { end: q?_ }\n",
            "chan q = [1] of { byte };\ninit { q!1; end: q?_ }\n",
        ),
        Code::UnusedLabel => (
            "a label that nothing names",
            "No `goto` and no remote reference names it. Labels that begin with `end`, `progress` or `accept` have a meaning of their own.",
            "init { start: skip }\n",
            "byte x;\ninit { start: x = 1 - x; goto start }\n",
        ),
        Code::ProcessCount => (
            "`_nr_pr` in a property",
            "pv counts the processes of the model. SPIN counts the claim as one more, so the same property means another thing there.",
            "init { skip }\nltl p { [] (_nr_pr <= 1) }\n",
            "bool done;\ninit { done = true }\nltl p { <> done }\n",
        ),
        Code::ElseBesideChannel => (
            "`else` beside a send or receive",
            "The `else` is taken whenever no message passes at this moment, also when one would a step later.",
            "chan q = [1] of { byte };\ninit { q!1; if :: q?_ :: else fi }\n",
            "chan q = [1] of { byte };\ninit { q!1; if :: nempty(q) -> q?_ :: empty(q) fi }\n",
        ),
        Code::LabelOnGuard => (
            "a label on a guard",
            "The guard belongs to the state of the whole choice: a jump to the label takes this option only. Put the label in front of the `if` or `do`.",
            "byte x;\ninit { do :: again: x < 3 -> x++; goto again :: else -> break od }\n",
            "byte x;\ninit { again: if :: x < 3 -> x++; goto again :: else fi }\n",
        ),
        Code::UnlessOnGuard => (
            "`unless` on a guard",
            "Only this option has the escape, not the choice. Put the whole `if` or `do` under the `unless`.",
            "bool stop, x;\nactive proctype Q() { stop = true }\nactive proctype P() { if :: { x == 0 } unless { stop } :: x == 1 fi; x = 1 }\n",
            "bool stop, x;\nactive proctype Q() { stop = true }\nactive proctype P() { { if :: x == 0 :: x == 1 fi } unless { stop }; x = 1 }\n",
        ),
        Code::IndexOutside => (
            "a constant index outside of its array",
            "The elements of `a[3]` are 0, 1 and 2. It is an error when the statement is reached.",
            "byte a[3];\ninit { a[0] = 1; assert(a[3] == 0) }\n",
            "byte a[3];\ninit { a[0] = 1; assert(a[2] == 0) }\n",
        ),
        Code::IndexWithoutArray => (
            "an index on something that is no array",
            "`x[0]` of a single variable is the variable itself.",
            "byte x;\ninit { x[0] = 1; assert(x == 1) }\n",
            "byte x;\ninit { x = 1; assert(x == 1) }\n",
        ),
        Code::VariableBound => (
            "the size of an array is a variable",
            "The first value of the variable is taken, as in SPIN. Sizes are constants; give the size a name by `#define`.",
            "byte n = 3;\nbyte a[n];\ninit { a[0] = n; assert(a[0] == 3) }\n",
            "#define N 3\nbyte a[N];\ninit { a[0] = N; assert(a[0] == 3) }\n",
        ),
        Code::NotAChannel => (
            "a number where a channel was meant",
            "The number is taken for the id of a channel, as in SPIN. Declare the variable as `chan`.",
            "chan q = [1] of { byte };\nbyte r;\ninit { q!1; r = q; r?_ }\n",
            "chan q = [1] of { byte };\nchan r;\ninit { q!1; r = q; r?_ }\n",
        ),
        Code::PrintfText => (
            "a `printf` whose text and values do not go together",
            "The conversions are %c %d %e %o %u and %x, each for one value; %% is a percent sign.",
            "init { printf(\"%s\\n\") }\n",
            "init { printf(\"%d\\n\", 1) }\n",
        ),
        Code::NumberTooLarge => (
            "a number that no `int` holds",
            "Numbers have 32 bits with a sign, from -2147483648 to 2147483647.",
            "int x;\ninit { x = 3000000000; assert(x < 0) }\n",
            "int x;\ninit { x = 2000000000; assert(x > 0) }\n",
        ),
        Code::ComplementInFormula => (
            "`~` in a formula",
            "`~` turns the bits of a number around, and what it gives is nearly always true. \"Not\" is `!`.",
            "bool p;\ninit { p = true }\nltl l { <> ~p }\n",
            "bool p;\ninit { p = true }\nltl l { <> !p }\n",
        ),
        Code::ClaimAssigns => (
            "a never claim that assigns",
            "A claim should only look: one that writes changes the system it judges.",
            "byte x;\ninit { x = 1 }\nnever { do :: x = 2; x == 2 od }\n",
            "byte x;\ninit { x = 1 }\nnever { do :: x != 2 od }\n",
        ),
        Code::OnlyInClaims => (
            "a word for claims in a process",
            "`pc_value`, `enabled` and the like look at processes from outside; in a process they may not say what was meant.",
            "byte x;\ninit { x = pc_value(0); assert(x > 0) }\n",
            "byte x;\ninit { x = _pid; assert(x == 0) }\n",
        ),
        Code::OnlyInProcesses => (
            "a word for processes where none runs",
            "`_pid` belongs to the process that asks; a property has none.",
            "byte x;\ninit { x = 1 }\nltl p { [] (x != _pid + 5) }\n",
            "byte x;\ninit { x = 1 }\nltl p { [] (x != 5) }\n",
        ),
        Code::WithoutEffect => (
            "a word that has no effect where it stands",
            "`hidden`, `show` and `local` belong to variables, not to the fields of a structure; a structure has no initialiser of its own.",
            "typedef T { show byte a };\nT t;\ninit { t.a = 1; assert(t.a == 1) }\n",
            "typedef T { byte a };\nT t;\ninit { t.a = 1; assert(t.a == 1) }\n",
        ),
        Code::MacroRedefined => (
            "a macro that is defined again with another body",
            "From the second definition on the new body holds. Write `#undef NAME` first if this is meant.",
            "#define N 1\n#define N 2\ninit { assert(N == 2) }\n",
            "#define N 1\n#undef N\n#define N 2\ninit { assert(N == 2) }\n",
        ),
        Code::EmptyInline => (
            "an inline with an empty body",
            "A call of it is an error, since a block needs a statement; `skip` does nothing.",
            "inline nothing() { }\ninit { skip }\n",
            "inline nothing() { skip }\ninit { nothing() }\n",
        ),
        Code::InlineParameterTwice => (
            "an inline with two parameters of one name",
            "Only the first one is meant where the name stands in the body.",
            "byte x;\ninline set(a, a) { x = a }\ninit { set(1, 2); assert(x == 1) }\n",
            "byte x;\ninline set(a, b) { x = a + b }\ninit { set(1, 2); assert(x == 3) }\n",
        ),
        Code::StandardInput => (
            "`STDIN`",
            "Only the simulator of SPIN reads the terminal through this channel. A verifier has no input: here it is an ordinary channel.",
            "chan STDIN;\nint c;\ninit { STDIN?c; assert(c != 0) }\n",
            "chan input = [1] of { int };\nint c;\ninit { input!1; input?c; assert(c != 0) }\n",
        ),
        Code::NotUtf8 => (
            "a file that is not UTF-8",
            "Odd bytes are read as U+FFFD. They matter in comments and texts only.",
            "",
            "",
        ),
        Code::WarningDirective => (
            "`#warning` of the model",
            "The author of the model warns of something.",
            "#warning \"for three processes only\"\ninit { skip }\n",
            "init { skip }\n",
        ),
        Code::UnknownCode => (
            "a comment that silences a code which does not exist",
            "`/* pv: allow(CODE) */` holds for its line, or, on a line of its own, for the next one. `pv explain` lists all codes.",
            "init { skip } /* pv: allow(never-raed) */\n",
            "byte x; /* pv: allow(never-read) */\ninit { x = 1 }\n",
        ),
    };
    Explanation { summary, text, wrong, right }
}

/// The whole text about a code, as `pv explain CODE` prints it.
pub fn explain(code: Code) -> String {
    let Explanation { summary, text, wrong, right } = explanation(code);
    let mut out = format!("{code}: {summary}\n\n{text}\n");
    for (title, model) in [("Wrong", wrong), ("Right", right)] {
        if !model.is_empty() {
            let _ = writeln!(out, "\n{title}:");
            model.lines().for_each(|line| _ = writeln!(out, "    {line}"));
        }
    }
    out
}

/// All codes with a few words each, as `pv explain` prints them.
pub fn list() -> String {
    let width = Code::ALL.iter().map(|code| code.text().len()).max().unwrap_or(0);
    Code::ALL.iter().fold(String::new(), |mut out, &code| {
        let _ = writeln!(out, "{:width$}  {}", code.text(), explanation(code).summary);
        out
    })
}

/// The same as a page of the documentation.
pub fn page() -> String {
    let mut out = String::from(HEAD);
    for &code in Code::ALL {
        let Explanation { summary, text, wrong, right } = explanation(code);
        let _ = write!(out, "\n## {code}\n\n{summary}. {text}\n", summary = capital(summary));
        for (title, model) in [("Wrong", wrong), ("Right", right)] {
            if !model.is_empty() {
                let _ = write!(out, "\n{title}:\n\n```promela\n{model}```\n");
            }
        }
    }
    out
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

const HEAD: &str = "# Errors, warnings and lints

Made from `pv explain`, which prints the same in the terminal: `pv explain` lists the codes, `pv explain CODE` tells what one
means. `pv check` and the language server show warnings; the other commands do not repeat them, and `--quiet` shows errors only.

A comment silences a warning: `/* pv: allow(CODE) */` or `// pv: allow(CODE, CODE)` holds for its line; on a line of its own it
holds for the next line. Errors cannot be silenced.
";
