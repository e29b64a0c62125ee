//! Codes of errors and warnings: words that stay the same when a text is made better. `pv explain CODE` tells what a code
//! means, a comment `pv: allow(CODE)` silences a warning, editors and reports show them.

macro_rules! codes {
    ($($(#[$meta:meta])* $code:ident = $text:literal,)*) => {
        /// What kind of fault a diagnostic is about.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Code {
            $($(#[$meta])* $code,)*
        }

        impl Code {
            /// Every code, in the order in which they are listed.
            pub const ALL: &'static [Code] = &[$(Code::$code,)*];

            /// The code as it is written.
            pub const fn text(self) -> &'static str {
                match self {
                    $(Code::$code => $text,)*
                }
            }
        }
    };
}

codes! {
    /// Any error of a directive or a macro.
    Preprocessor = "preprocessor",
    /// A text that is no Promela.
    Syntax = "syntax",
    /// A text that means nothing: types, places, sizes.
    Meaning = "meaning",
    /// A property whose formula cannot be read.
    Formula = "formula",
    /// A name that nobody declares.
    UnknownName = "unknown-name",
    /// A keyword with a slip of the pen.
    MisspeltKeyword = "misspelt-keyword",
    /// `=<`.
    AtMost = "at-most",
    /// An assignment where a condition was meant.
    AssignedGuard = "assigned-guard",
    /// A macro where a name was meant.
    MacroAsName = "macro-as-name",
    /// A message with more or fewer fields than its channel.
    MessageFields = "message-fields",
    /// A constant that does not fit its type.
    CutOff = "cut-off",
    /// A variable that nobody reads.
    NeverRead = "never-read",
    /// A variable that nobody writes.
    NeverWritten = "never-written",
    /// A channel from which nobody receives.
    NeverReceived = "never-received",
    /// A channel to which nobody sends.
    NeverSent = "never-sent",
    /// A label that nobody names.
    UnusedLabel = "unused-label",
    /// `_nr_pr` in a property.
    ProcessCount = "process-count-in-property",
    /// `else` beside a send or receive.
    ElseBesideChannel = "else-beside-channel",
    /// A label on a guard.
    LabelOnGuard = "label-on-guard",
    /// `unless` on a guard.
    UnlessOnGuard = "unless-on-guard",
    /// A constant index outside of its array.
    IndexOutside = "index-outside",
    /// `x[0]` of a variable that is no array.
    IndexWithoutArray = "index-without-array",
    /// The size of an array is a variable.
    VariableBound = "variable-bound",
    /// A number where a channel was meant.
    NotAChannel = "not-a-channel",
    /// A `printf` whose text and arguments do not go together.
    PrintfText = "printf-text",
    /// A number that no `int` holds.
    NumberTooLarge = "number-too-large",
    /// `~` in a formula.
    ComplementInFormula = "complement-in-formula",
    /// A claim that writes.
    ClaimAssigns = "claim-assigns",
    /// A word for claims in a process.
    OnlyInClaims = "only-in-claims",
    /// A word for processes where none runs.
    OnlyInProcesses = "only-in-processes",
    /// A word that has no effect where it stands.
    WithoutEffect = "without-effect",
    /// A macro that is defined twice.
    MacroRedefined = "macro-redefined",
    /// An inline with an empty body.
    EmptyInline = "empty-inline",
    /// An inline with two parameters of one name.
    InlineParameterTwice = "inline-parameter-twice",
    /// `STDIN`.
    StandardInput = "standard-input",
    /// A file that is not UTF-8.
    NotUtf8 = "not-utf8",
    /// `#warning`.
    WarningDirective = "warning-directive",
    /// `pv: allow(…)` with a code that does not exist.
    UnknownCode = "unknown-code",
}

impl Code {
    /// The code that is written so.
    pub fn named(text: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.text() == text)
    }

    /// The code says no more than which part of pv has found the error.
    pub fn is_family(self) -> bool {
        matches!(self, Code::Preprocessor | Code::Syntax | Code::Meaning | Code::Formula)
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.text())
    }
}
