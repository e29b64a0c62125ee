//! Where lines end, and how far they are indented.
//!
//! One pass over the elements with a stack of what is open. At statement level we break behind `;`, around blocks
//! and in front of `::`; inside parentheses, lists and formulas the author's line ends are kept. A comment stays on
//! the line of the token it follows, or on its own line if it had one. The state is saved at `#if` and taken up
//! again at `#else`, so that branches which open the same block twice do not drift to the right.

use super::align;
use super::element::{Element, Kind};
use super::spacing::{Piece, Place, Role, blank_between, role};
use crate::source::lexer::RawKind;
use std::ops::Range;

/// Columns of one step.
const STEP: usize = 4;

/// Statements of an option stand behind its `:: `.
const OPTION: usize = 3;

/// No line is indented further, or a file of open braces would be written out in quadratic size.
const FURTHEST: usize = 120;

/// Open brackets remembered at all open `#if`s together.
const MOST_SAVED: usize = 1 << 20;

/// Something open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Open {
    /// A block of statements; the indent around it.
    Block(usize),
    /// `if` or `do`; the indent around it.
    Choice(usize),
    /// `(`, `[`, a list or a formula: no statements inside.
    Group,
}

/// What the layout knows at a place.
#[derive(Clone, Debug)]
struct State<'t> {
    open: Vec<Open>,
    /// Of statements.
    indent: usize,
    /// The next token starts a statement.
    fresh: bool,
    /// First word of the statement.
    head: &'t str,
    /// Token before.
    before: Option<Piece<'t>>,
    angle: bool,
}

pub(super) struct Layout<'t> {
    source: &'t [Element<'t>],
    out: String,
    state: State<'t>,
    /// At the `#if`s now open.
    saved: Vec<Option<State<'t>>>,
    saved_size: usize,
    /// The next token goes on a new line.
    pending: bool,
    /// Nothing may follow on this line.
    must: bool,
    /// Line ends and blanks in the source since the last token, comments between them counted in.
    newlines: u32,
    space: bool,
    /// Comments behind code: where the code ends, and where the comment does.
    trailing: Vec<Range<usize>>,
    /// The line so far is a comment with a line to itself.
    after_comment: bool,
}

impl<'t> Layout<'t> {
    pub(crate) fn new(text: &str, source: &'t [Element<'t>]) -> Layout<'t> {
        let state = State { open: Vec::new(), indent: 0, fresh: true, head: "", before: None, angle: false };
        Layout {
            source,
            out: String::with_capacity(text.len() + text.len() / 4),
            state,
            saved: Vec::new(),
            saved_size: 0,
            pending: false,
            must: false,
            newlines: 0,
            space: false,
            trailing: Vec::new(),
            after_comment: false,
        }
    }

    pub(crate) fn run(mut self) -> String {
        for index in 0..self.source.len() {
            let element = self.source[index];
            self.newlines += element.newlines;
            self.space |= element.space;
            match element.kind {
                Kind::Code(kind) => self.code(index, kind),
                Kind::Verbatim => self.code(index, RawKind::Word),
                Kind::Block | Kind::Line => self.comment(index),
                Kind::Directive => self.directive(index),
                Kind::Skipped => self.skipped(index),
            }
        }
        self.end_line();
        align::align(&self.out, &self.trailing)
    }

    /// Ends the line, if something stands on it.
    fn end_line(&mut self) {
        let length = self.out.trim_end_matches(' ').len();
        self.out.truncate(length);
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
        (self.pending, self.must, self.after_comment) = (false, false, false);
    }

    /// Goes to a new line at a column, with a blank line before it if one is wanted.
    fn new_line(&mut self, column: usize, blank: bool) {
        self.end_line();
        if blank && !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
        self.out.extend(std::iter::repeat_n(' ', column.min(FURTHEST)));
    }

    fn at_line_start(&self) -> bool {
        self.out.is_empty() || self.out.ends_with('\n')
    }

    /// Was the last token one behind which a blank line would look odd?
    fn behind_opening(&self) -> bool {
        self.state.before.is_some_and(|before| matches!(before.text, "{" | "if" | "do" | "::" | "->" | "-->"))
    }

    /// The token behind an element, comments and directives passed over.
    fn code_behind(&self, index: usize) -> Option<&'t str> {
        self.source[index + 1..].iter().find_map(Element::code)
    }

    /// Text that no model consists of: as it is, line by line.
    fn skipped(&mut self, index: usize) {
        self.end_line();
        self.out.push_str(self.source[index].text.trim_end());
        self.out.push('\n');
        self.must = true;
        (self.newlines, self.space) = (0, true);
    }

    fn directive(&mut self, index: usize) {
        let element = self.source[index];
        let blank = element.newlines > 1;
        self.new_line(0, blank);
        let text = element.text.trim_end();
        self.out.push_str(text);
        if text.ends_with('\\') {
            // It takes an empty line in.
            self.out.push_str("\n\n");
        }
        self.must = true;
        (self.newlines, self.space) = (0, true);
        let word = text[1..].trim_start_matches([' ', '\t']);
        if word.starts_with("if") {
            self.save();
        } else if word.starts_with("el") {
            if let Some(Some(state)) = self.saved.last() {
                self.state = state.clone();
            }
        } else if word.starts_with("endif") {
            let left = self.saved.pop().flatten();
            self.saved_size -= left.map_or(0, |state| state.open.len());
        }
    }

    /// Remembers the state at an `#if`, unless all that is remembered is out of proportion.
    fn save(&mut self) {
        let size = self.saved_size + self.state.open.len();
        let fits = size <= MOST_SAVED;
        self.saved.push(fits.then(|| self.state.clone()));
        if fits {
            self.saved_size = size;
        }
    }

    fn comment(&mut self, index: usize) {
        let element = self.source[index];
        let own_line = element.newlines > 0 || self.at_line_start() || self.must;
        if own_line {
            let column = match self.code_behind(index) {
                Some("::") if self.at_statements() => self.option_column(),
                Some("}" | "fi" | "od") if self.at_statements() => self.state.indent,
                Some(next) if self.at_statements() && self.starts_statement(next) => self.state.indent,
                _ if self.in_group() || !self.state.fresh => self.state.indent + STEP,
                _ => self.state.indent,
            };
            let pending = self.pending;
            let blank = element.newlines > 1 && !self.behind_opening();
            self.new_line(column, blank);
            self.pending = pending;
            self.write_block(element, column);
            self.after_comment = true;
        } else {
            let code_end = self.out.trim_end_matches(' ').len();
            self.out.truncate(code_end);
            self.out.push(' ');
            let column = self.out.len() - self.out.rfind('\n').map_or(0, |at| at + 1);
            self.write_block(element, column);
            if !self.after_comment && !element.text.contains('\n') {
                self.trailing.push(code_end..self.out.len());
            }
        }
        self.must = element.kind == Kind::Line;
        // What follows is measured from here.
        if own_line {
            self.newlines = 0;
        }
        let next = self.source.get(index + 1).map_or(1, |next| next.newlines);
        if own_line && next > 0 {
            self.pending = true;
        }
    }

    /// A comment; the lines of one with a star on each are aligned.
    fn write_block(&mut self, element: Element<'t>, column: usize) {
        let aligned = element.text.lines().skip(1).all(|line| line.trim_start().starts_with('*'));
        for (number, line) in element.text.split('\n').enumerate() {
            let line = line.trim_end();
            if number == 0 {
                self.out.push_str(line);
            } else {
                self.out.push('\n');
                if aligned && element.kind == Kind::Block {
                    self.out.extend(std::iter::repeat_n(' ', column.min(FURTHEST) + 1));
                    self.out.push_str(line.trim_start());
                } else {
                    self.out.push_str(line);
                }
            }
        }
        if element.kind == Kind::Line && element.text.trim_end().ends_with('\\') {
            // A backslash at the end takes the next line in, which is empty.
            self.out.push_str(if self.out.ends_with('\n') { "\n" } else { "\n\n" });
        }
    }

    fn in_group(&self) -> bool {
        self.state.open.last() == Some(&Open::Group)
    }

    fn at_statements(&self) -> bool {
        !self.in_group()
    }

    fn option_column(&self) -> usize {
        match self.state.open.last() {
            Some(Open::Choice(around)) => around + STEP,
            _ => self.state.indent.saturating_sub(OPTION),
        }
    }

    fn code(&mut self, index: usize, kind: RawKind) {
        let element = self.source[index];
        let text = element.text;
        let statements = self.at_statements();
        let is_label = statements && self.state.fresh && kind == RawKind::Word && self.is_label(index);
        let ends_label = text == ":" && statements && self.state.head == "\0label";
        let place = Place {
            before: self.state.before,
            formula: self.state.head == "ltl" && !statements,
            angle: self.state.angle,
            label: ends_label,
            space: self.space || (index > 0 && self.source[index - 1].is_comment()),
        };
        let role = role(text, kind, place);
        let piece = Piece { text, kind, role };

        let broken = self.breaks(text, kind, is_label);
        let boundary = self.ends_without_mark(role);
        if statements && broken && boundary {
            self.state.fresh = true;
        }
        self.close(text);
        if broken || self.at_line_start() {
            let column = self.column(text, is_label, statements);
            let closes = matches!(text, "}" | "fi" | "od");
            let blank = self.newlines > 1 && !closes && !self.behind_opening();
            self.new_line(column, blank);
        } else if let Some(before) = self.state.before {
            let glued = before.text == "{" && text == "}" && !self.after_comment && !self.out.ends_with('/');
            let blank = match self.source[index - 1].is_comment() {
                true => role != Role::Separator,
                false => !glued && blank_between(before, piece, self.space),
            };
            if blank {
                self.out.push(' ');
            }
        } else if self.after_comment {
            self.out.push(' ');
        }
        self.out.push_str(text);
        (self.pending, self.must, self.after_comment) = (false, false, false);
        (self.newlines, self.space) = (0, false);
        self.advance(piece, statements, is_label, ends_label);
        self.state.before = Some(piece);
    }

    fn is_label(&self, index: usize) -> bool {
        let text = self.source[index].text;
        let mut behind = self.source[index + 1..].iter().filter(|element| !element.is_comment());
        !matches!(text, "mtype" | "else") && behind.next().is_some_and(|next| next.code() == Some(":"))
    }

    /// Does a new line start with this token?
    fn breaks(&self, text: &str, kind: RawKind, is_label: bool) -> bool {
        if self.must || self.at_line_start() {
            return true;
        }
        let Some(before) = self.state.before else { return self.pending || self.newlines > 0 };
        if self.in_group() {
            let closes_formula = self.pending;
            return self.newlines > 0 || closes_formula;
        }
        match text {
            "}" => return !(before.text == "{" && !self.after_comment && !self.out.ends_with('/')),
            "::" => return true,
            "fi" | "od" if kind == RawKind::Word => return true,
            ";" | "," => return self.pending && (self.after_comment || before.text == "{"),
            "{" if !self.after_comment => return self.pending || (self.newlines > 0 && !self.head_goes_on()),
            "->" | "-->" | "unless" if !self.after_comment => return before.text == ";",
            _ => {}
        }
        if self.pending {
            return true;
        }
        match before.text {
            "::" if self.newlines > 0 => self.after_comment,
            "->" | "-->" if matches!(text, "if" | "do") => true,
            _ => self.newlines > 0 || (is_label && !matches!(before.text, "::" | "->" | "-->")),
        }
    }

    /// May a `{` be fetched up to the line before? Not if what stands there can end a statement: SPIN takes the line
    /// end behind it for a `;`.
    fn head_goes_on(&self) -> bool {
        let heads = ["active", "proctype", "D_proctype", "inline", "typedef", "never", "trace", "notrace", "for"];
        heads.contains(&self.state.head) || !self.ends_without_mark(Role::Operand)
    }

    /// Is the next token, behind a line end, the first of a statement although no `;` came before?
    fn starts_statement(&self, next: &str) -> bool {
        next.starts_with(|c: char| c == '_' || c.is_ascii_alphanumeric()) && self.ends_without_mark(Role::Operand)
    }

    /// Two operands on two lines: a statement ended without `;` (a macro may hold it).
    fn ends_without_mark(&self, role: Role) -> bool {
        let ended = self.state.before.is_none_or(|before| {
            matches!(before.role, Role::Operand | Role::Close | Role::Postfix) || before.text == "}"
        });
        ended && matches!(role, Role::Operand | Role::Keyword | Role::Open | Role::Prefix)
    }

    /// Leaves what a closing token closes, so that it is indented like what opened it.
    fn close(&mut self, text: &str) {
        let group = self.in_group();
        match text {
            ")" | "]" if group => {
                self.state.open.pop();
            }
            "}" if group => {
                self.state.open.pop();
                if self.state.head == "ltl" && self.at_statements() {
                    self.state.head = "\0formula";
                }
            }
            // A choice that is not closed ends with its block.
            "}" => {
                if let Some(at) = self.state.open.iter().rposition(|open| matches!(open, Open::Block(_))) {
                    if let Open::Block(around) = self.state.open[at] {
                        self.state.indent = around;
                    }
                    self.state.open.truncate(at);
                }
            }
            "fi" | "od" if !group => {
                if let Some(&Open::Choice(around)) = self.state.open.last() {
                    self.state.indent = around;
                    self.state.open.pop();
                }
            }
            _ => {}
        }
    }

    /// Where a line starts that starts with this token.
    fn column(&self, text: &str, is_label: bool, statements: bool) -> usize {
        let indent = self.state.indent;
        match text {
            "}" | "fi" | "od" | ")" | "]" => indent,
            "::" if statements => self.option_column(),
            "{" if statements => indent,
            _ if is_label => indent.saturating_sub(STEP),
            _ if !statements || !self.state.fresh => indent + STEP,
            _ => indent,
        }
    }

    /// What is open and what comes next, behind a token.
    fn advance(&mut self, piece: Piece<'t>, statements: bool, is_label: bool, ends_label: bool) {
        let text = piece.text;
        let was_fresh = self.state.fresh;
        let word = piece.kind == RawKind::Word;
        if statements && was_fresh && word {
            self.state.head = if is_label { "\0label" } else { text };
        }
        if piece.role == Role::Open && text == "<" {
            self.state.angle = true;
        } else if text == ">" {
            self.state.angle = false;
        }
        match text {
            "(" | "[" => self.state.open.push(Open::Group),
            "{" => {
                let list = !statements
                    || matches!(self.state.head, "ltl" | "mtype")
                    || self.state.before.is_some_and(|before| matches!(before.text, "=" | "of"));
                if list {
                    self.state.open.push(Open::Group);
                } else {
                    self.state.open.push(Open::Block(self.state.indent));
                    self.state.indent += STEP;
                    self.pending = true;
                    self.state.fresh = true;
                    return;
                }
            }
            "if" | "do" if word && statements => {
                self.state.open.push(Open::Choice(self.state.indent));
                self.state.indent += STEP;
                self.pending = true;
                self.state.fresh = true;
                return;
            }
            "::" if statements => {
                self.state.indent = self.option_column() + OPTION;
                self.state.fresh = true;
                return;
            }
            ";" if statements => {
                self.pending = true;
                self.state.fresh = true;
                self.state.angle = false;
                return;
            }
            "->" | "-->" if statements => {
                self.state.fresh = true;
                return;
            }
            "fi" | "od" if word && statements => {
                self.pending = true;
                self.state.fresh = true;
                return;
            }
            "}" if statements || self.state.head == "\0formula" => {
                self.pending = true;
                self.state.fresh = true;
                self.state.head = "";
                return;
            }
            _ => {}
        }
        if ends_label {
            self.state.fresh = true;
            self.state.head = "";
            // A label behind `::` or `->` stays with its statement.
            self.pending = self.label_has_its_line();
            return;
        }
        self.state.fresh = false;
    }

    /// Is the label just written alone on its line?
    fn label_has_its_line(&self) -> bool {
        let line = &self.out[self.out.rfind('\n').map_or(0, |at| at + 1)..];
        !line.contains("::") && !line.contains("->")
    }
}
