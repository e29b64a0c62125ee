//! Charts as text for the tools that draw them: Mermaid (also inside Markdown) and PlantUML. Arrows of these languages are level, so a
//! channel with a buffer has a line of its own: a message goes to it when it is sent and leaves it when it is received.

use super::{ChartEvent, shorten};
use std::fmt::Write;

/// More events than this are too many for the tools (Mermaid reads 50,000 characters).
const MOST_EVENTS: usize = 800;

/// The language of a chart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Language {
    /// `.mmd`.
    Mermaid,
    /// `.puml`.
    PlantUml,
}

/// The chart as text. `title` and `caption` as for the drawing.
pub(crate) fn render(language: Language, events: &[ChartEvent], title: &str, caption: &str) -> String {
    let (events, left_out) = shorten(events, MOST_EVENTS);
    let lines = Lines::of(&events);
    let mut writer = Writer { language, out: String::new(), indent: 1, step: None };
    writer.begin(&format!("{title}: {caption}"), &lines);
    if left_out > 0 {
        writer.note(&lines.all(), &format!("{left_out} events in the middle are left out"));
    }
    let mut loops = false;
    for event in &events {
        match event {
            ChartEvent::Step { number, line } => writer.step = Some((*number, *line)),
            ChartEvent::CycleStart => {
                loops = true;
                writer.line("loop for ever");
                writer.indent += 1;
            }
            event => writer.event(event, &lines),
        }
    }
    if loops {
        writer.indent -= 1;
        writer.line("end");
    }
    if language == Language::PlantUml {
        writer.out.push_str("@enduml\n");
    }
    writer.out
}

/// What has a line: processes by number, channels with a buffer by name.
struct Lines {
    processes: Vec<(usize, String)>,
    channels: Vec<String>,
}

impl Lines {
    fn of(events: &[ChartEvent]) -> Lines {
        let mut lines = Lines { processes: Vec::new(), channels: Vec::new() };
        for event in events {
            match event {
                ChartEvent::Start { process, name, .. } => lines.processes.push((*process, name.clone())),
                ChartEvent::Send { label, .. } | ChartEvent::Receive { label, .. } => {
                    let (channel, _) = parts(label);
                    if !lines.channels.iter().any(|known| known == channel) {
                        lines.channels.push(channel.into());
                    }
                }
                _ => {}
            }
        }
        lines
    }

    fn channel(&self, name: &str) -> String {
        format!("c{}", self.channels.iter().position(|known| known == name).unwrap_or(0))
    }

    /// The first and the last line, for what concerns all.
    fn all(&self) -> String {
        let first = self.processes.first().map_or(0, |(number, _)| *number);
        match (self.channels.len(), self.processes.last()) {
            (0, Some((last, _))) if *last != first => format!("p{first},p{last}"),
            (0, _) => format!("p{first}"),
            (count, _) => format!("p{first},c{}", count - 1),
        }
    }
}

/// Channel and message of a label: `q!data,1`.
fn parts(label: &str) -> (&str, &str) {
    label.split_once(['!', '?']).unwrap_or((label, ""))
}

struct Writer {
    language: Language,
    out: String,
    indent: usize,
    /// The step that what follows belongs to, and its line in the source.
    step: Option<(usize, Option<u32>)>,
}

impl Writer {
    fn line(&mut self, text: &str) {
        let indent = self.indent * 2;
        let _ = writeln!(self.out, "{:indent$}{text}", "");
    }

    fn begin(&mut self, title: &str, lines: &Lines) {
        let (title, mermaid) = (self.text(title), self.language == Language::Mermaid);
        self.out.push_str(if mermaid { "sequenceDiagram\n" } else { "@startuml\n" });
        self.line(&if mermaid { format!("accTitle: {title}") } else { format!("title {title}") });
        for (number, name) in &lines.processes {
            let name = self.text(name);
            self.line(&if mermaid {
                format!("participant p{number} as {name}")
            } else {
                format!("participant \"{name}\" as p{number}")
            });
        }
        for (number, name) in lines.channels.iter().enumerate() {
            let name = self.text(name);
            self.line(&if mermaid {
                format!("participant c{number} as {name}")
            } else {
                format!("queue \"{name}\" as c{number}")
            });
        }
    }

    fn event(&mut self, event: &ChartEvent, lines: &Lines) {
        match event {
            ChartEvent::Start { process, by: Some(parent), .. } => {
                self.arrow(&format!("p{parent}"), &format!("p{process}"), "run")
            }
            ChartEvent::Start { by: None, .. }
            | ChartEvent::End { .. }
            | ChartEvent::CycleStart
            | ChartEvent::Step { .. } => {}
            ChartEvent::Send { process, label, .. } => {
                let (channel, message) = parts(label);
                self.arrow(&format!("p{process}"), &lines.channel(channel), message);
            }
            ChartEvent::Receive { process, label, .. } => {
                let (channel, message) = parts(label);
                self.arrow(&lines.channel(channel), &format!("p{process}"), message);
            }
            ChartEvent::Rendezvous { from, to, label } => {
                self.arrow(&format!("p{from}"), &format!("p{to}"), label);
            }
            // As in the picture: what only looks or jumps has no words.
            ChartEvent::Local { matters: false, .. } => {}
            ChartEvent::Local { process, text, .. } => self.note(&format!("p{process}"), text),
            ChartEvent::Error { process, text } => {
                let over = process.map_or_else(|| lines.all(), |number| format!("p{number}"));
                // The step was told already.
                self.step = None;
                self.note(&over, &format!("error: {text}"));
            }
        }
    }

    fn arrow(&mut self, from: &str, to: &str, text: &str) {
        let text = self.numbered(text);
        let arrow = if self.language == Language::Mermaid { "->>" } else { " -> " };
        self.line(&format!("{from}{arrow}{to}: {text}"));
    }

    fn note(&mut self, over: &str, text: &str) {
        let text = self.numbered(text);
        let word = if self.language == Language::Mermaid { "Note" } else { "note" };
        self.line(&format!("{word} over {over}: {text}"));
    }

    /// The text with the number of its step, as `pv replay` counts, and the line in the source.
    fn numbered(&self, text: &str) -> String {
        match self.step {
            Some((number, Some(line))) => format!("{number} · l.{line} · {}", self.text(text)),
            Some((number, None)) => format!("{number} · {}", self.text(text)),
            None => self.text(text),
        }
    }

    /// Text that means itself.
    fn text(&self, text: &str) -> String {
        let mut out = String::new();
        let mut last = '\0';
        for c in text.chars() {
            let code = u32::from(c);
            match (self.language, c) {
                (_, '\n' | '\r' | '\t') => out.push(' '),
                (Language::Mermaid, '#' | ';' | '<' | '>' | '&' | '%' | '"') => {
                    let _ = write!(out, "#{code};");
                }
                (Language::PlantUml, '<' | '>' | '\\' | '%' | '"' | '~' | '&') => {
                    let _ = write!(out, "<U+{code:04X}>");
                }
                // Twice in a row they would be markup.
                (Language::PlantUml, '*' | '_' | '/' | '-' | '[' | ']' | '\'') if c == last => {
                    let _ = write!(out, "<U+{code:04X}>");
                }
                (_, c) if c.is_control() => out.push('\u{fffd}'),
                (_, c) => out.push(c),
            }
            last = c;
        }
        // Nothing behind a colon is no message.
        if out.is_empty() { " ".into() } else { out }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events() -> Vec<ChartEvent> {
        let start = |process, name: &str, by| ChartEvent::Start { process, name: name.into(), by };
        vec![
            start(0, "a(0)", None),
            ChartEvent::Step { number: 1, line: Some(7) },
            start(1, "b(1)", Some(0)),
            ChartEvent::Step { number: 3, line: None },
            ChartEvent::Send { process: 0, message: 0, label: "q!data,1".into() },
            ChartEvent::Rendezvous { from: 0, to: 1, label: "r: <x>".into() },
            ChartEvent::CycleStart,
            ChartEvent::Step { number: 6, line: Some(9) },
            ChartEvent::Receive { process: 1, message: Some(0), label: "q?data,1".into() },
            ChartEvent::Local { process: 1, text: "x = 1;\n#".into(), matters: true },
        ]
    }

    #[test]
    fn mermaid() {
        insta::assert_snapshot!(render(Language::Mermaid, &events(), "m.pml", "wrong"), @r"
        sequenceDiagram
          accTitle: m.pml: wrong
          participant p0 as a(0)
          participant p1 as b(1)
          participant c0 as q
          p0->>p1: 1 · l.7 · run
          p0->>c0: 3 · data,1
          p0->>p1: 3 · r: #60;x#62;
          loop for ever
            c0->>p1: 6 · l.9 · data,1
            Note over p1: 6 · l.9 · x = 1#59; #35;
          end
        ");
    }

    #[test]
    fn plantuml() {
        let mut events = events();
        events.truncate(6);
        events.push(ChartEvent::Error { process: None, text: "a--b".into() });
        insta::assert_snapshot!(render(Language::PlantUml, &events, "m.pml", "wrong"), @r#"
        @startuml
          title m.pml: wrong
          participant "a(0)" as p0
          participant "b(1)" as p1
          queue "q" as c0
          p0 -> p1: 1 · l.7 · run
          p0 -> c0: 3 · data,1
          p0 -> p1: 3 · r: <U+003C>x<U+003E>
          note over p0,c0: error: a-<U+002D>b
        @enduml
        "#);
    }
}
