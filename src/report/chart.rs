//! Message sequence charts as SVG: one lifeline for each process, an arrow for each message from the moment it was sent to
//! the moment it was received, small marks for local steps, a bracket around the cycle of a lasso.
//!
//! The input is a plain list of [`ChartEvent`]s; every event that is drawn takes a row of its own, so labels cannot
//! collide. A long run is cut into panels that stand side by side like columns of a page, each with its own heads; a
//! message that crosses from one panel to another leaves with a number and arrives with the same number. Colours are
//! explicit for light and dark viewers; print is always light.

pub(crate) mod text;

use super::number::thousands;
use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

/// Something that happened, in order. Processes are numbered by birth, not by pid: pids are used again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ChartEvent {
    /// A process exists from here on.
    Start {
        /// Its number.
        process: usize,
        /// `sender(1)`.
        name: String,
        /// Who started it; `None` for those of the initial state.
        by: Option<usize>,
    },
    /// A process dies.
    End {
        /// Its number.
        process: usize,
    },
    /// A message goes into a channel.
    Send {
        /// Who sends.
        process: usize,
        /// Number of the message, which its receive repeats.
        message: usize,
        /// `q!data,1`.
        label: String,
    },
    /// A message leaves a channel.
    Receive {
        /// Who receives.
        process: usize,
        /// Number of the message; `None` if nobody in the chart sent it.
        message: Option<usize>,
        /// `q?data,1`.
        label: String,
    },
    /// Two processes shake hands.
    Rendezvous {
        /// Who sends.
        from: usize,
        /// Who receives.
        to: usize,
        /// `q: data,1`.
        label: String,
    },
    /// A step that concerns no other process.
    Local {
        /// Who.
        process: usize,
        /// The statement.
        text: String,
        /// The statement does something; one that only waits or goes elsewhere does not matter.
        matters: bool,
    },
    /// What follows belongs to this step of the run.
    Step {
        /// From 1.
        number: usize,
        /// Its line in the source.
        line: Option<u32>,
    },
    /// What follows repeats for ever.
    CycleStart,
    /// The run ends with an error here.
    Error {
        /// Who made the step that fails, if somebody did.
        process: Option<usize>,
        /// What is wrong.
        text: String,
    },
}

/// Rows of a panel before it is cut: about the height of a page.
const PANEL_ROWS: f64 = 1000.0;
/// Panels stand side by side up to this width, then further ones go below.
const PAGE_WIDTH: f64 = 1700.0;
/// A chart with more events than this shows only the first and the last ones: nobody reads more, and viewers choke.
const MOST_EVENTS: usize = 3000;

const MESSAGE_ROW: f64 = 26.0;
const LOCAL_ROW: f64 = 9.0;
const HEAD: f64 = 52.0;
const FOOT: f64 = 26.0;
const MARGIN: f64 = 24.0;
/// Room for the number and the line of a step.
const GUTTER: f64 = 62.0;
const TITLE: f64 = 44.0;
/// Average width of a character of the label font, in pixels.
const LETTER: f64 = 6.3;

/// Draws the chart. `title` stands above it (the model), `caption` below the title (the error).
pub(crate) fn render(events: &[ChartEvent], title: &str, caption: &str) -> String {
    let (events, left_out) = shorten(events, MOST_EVENTS);
    let chart = Chart::lay_out(&events);
    chart.draw(title, caption, left_out)
}

/// The chart in the language that the ending of the file names: `.mmd` and `.puml` are text, anything else is SVG.
pub(crate) fn render_for(path: &Path, events: &[ChartEvent], title: &str, caption: &str) -> String {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("mmd" | "mermaid") => text::render(text::Language::Mermaid, events, title, caption),
        Some("puml" | "plantuml") => text::render(text::Language::PlantUml, events, title, caption),
        _ => render(events, title, caption),
    }
}

/// Leaves out the middle of a run that has more events than `most`, and says how many. The births stay, so that every lifeline has its
/// name. The numbers of steps are no events of their own.
fn shorten(events: &[ChartEvent], most: usize) -> (Vec<ChartEvent>, usize) {
    let is_event = |event: &&ChartEvent| !matches!(event, ChartEvent::Step { .. });
    let all = events.iter().filter(is_event).count();
    if all <= most {
        return (events.to_vec(), 0);
    }
    let middle = most / 3..all - most * 2 / 3;
    let (mut kept, mut seen, mut left_out) = (Vec::new(), 0, 0);
    for event in events {
        let stays = !middle.contains(&seen) || matches!(event, ChartEvent::Start { .. } | ChartEvent::CycleStart);
        if stays {
            kept.push(event.clone());
        }
        if is_event(&event) {
            seen += 1;
            left_out += usize::from(!stays);
        }
    }
    (kept, left_out)
}

/// A lifeline: rows from birth to death.
struct Lifeline {
    name: String,
    born: f64,
    died: Option<f64>,
}

/// What is drawn, with its height in the run (panels not yet cut).
enum Mark {
    /// From process and height to process and height; the heights are equal for a rendezvous.
    Message { from: (usize, f64), to: Option<(usize, f64)>, label: String, straight: bool },
    /// A message that came from nowhere.
    Found { to: (usize, f64), label: String },
    /// A small mark, with its text beside it if that matters.
    Local { process: usize, at: f64, text: String, matters: bool },
    /// Number and line of a step, at the left.
    Step { at: f64, text: String },
    /// A birth: arrow from the parent to the head.
    Birth { parent: usize, child: usize, at: f64 },
    /// The error.
    Error { process: Option<usize>, at: f64, text: String },
}

struct Chart {
    lifelines: Vec<Lifeline>,
    marks: Vec<Mark>,
    cycle: Option<f64>,
    height: f64,
    spacing: f64,
    /// The step whose events come next, until it stands beside one of them.
    step: Option<String>,
    has_steps: bool,
}

impl Chart {
    fn lay_out(events: &[ChartEvent]) -> Chart {
        let (lifelines, marks) = (Vec::new(), Vec::new());
        let has_steps = events.iter().any(|event| matches!(event, ChartEvent::Step { .. }));
        let mut chart = Chart { lifelines, marks, cycle: None, height: 0.0, spacing: 0.0, step: None, has_steps };
        let mut column = HashMap::new();
        let mut sent: HashMap<usize, usize> = HashMap::new();
        let mut last: Option<(usize, bool)> = None;
        for event in events {
            let before = chart.height;
            chart.place(event, &mut column, &mut sent, &mut last);
            // Steps that follow each other closely have no room for their numbers.
            if chart.height - before >= MESSAGE_ROW
                && let Some(text) = chart.step.take()
            {
                chart.marks.push(Mark::Step { at: before + MESSAGE_ROW, text });
            }
        }
        chart.height += LOCAL_ROW;
        let name = chart.lifelines.iter().map(|line| text_width(&line.name) + 30.0).fold(0.0, f64::max);
        let label = chart.marks.iter().map(|mark| match mark {
            Mark::Message { label, .. } | Mark::Found { label, .. } => text_width(label) + 26.0,
            Mark::Local { text, matters: true, .. } => text_width(text) + 26.0,
            _ => 0.0,
        });
        // Wide enough for nearly all labels; a very long one may run across a neighbour's line.
        chart.spacing = label.fold(name, f64::max).clamp(90.0, 230.0);
        chart
    }

    /// Gives an event its row.
    fn place(
        &mut self,
        event: &ChartEvent,
        column: &mut HashMap<usize, usize>,
        sent: &mut HashMap<usize, usize>,
        last: &mut Option<(usize, bool)>,
    ) {
        let mut of = |lifelines: &mut Vec<Lifeline>, process: usize| {
            *column.entry(process).or_insert_with(|| {
                lifelines.push(Lifeline { name: format!("process {process}"), born: 0.0, died: None });
                lifelines.len() - 1
            })
        };
        // Local steps of one process follow each other closely; any other event starts a full row.
        let mut row = |height: &mut f64, who: usize, local: bool| {
            *height += if local && *last == Some((who, true)) { LOCAL_ROW } else { MESSAGE_ROW };
            *last = Some((who, local));
            *height
        };
        match event {
            ChartEvent::Start { process, name, by } => {
                let child = of(&mut self.lifelines, *process);
                self.lifelines[child].name.clone_from(name);
                if let Some(parent) = by {
                    let parent = of(&mut self.lifelines, *parent);
                    let at = row(&mut self.height, parent, false);
                    self.lifelines[child].born = at;
                    self.marks.push(Mark::Birth { parent, child, at });
                    // The head of the child stands in this row and needs more of it.
                    self.height += LOCAL_ROW;
                }
            }
            ChartEvent::End { process } => {
                let who = of(&mut self.lifelines, *process);
                let at = row(&mut self.height, who, true);
                self.lifelines[who].died = Some(at);
            }
            ChartEvent::Send { process, message, label } => {
                let who = of(&mut self.lifelines, *process);
                let at = row(&mut self.height, who, false);
                sent.insert(*message, self.marks.len());
                self.marks.push(Mark::Message { from: (who, at), to: None, label: label.clone(), straight: false });
            }
            ChartEvent::Receive { process, message, label } => {
                let who = of(&mut self.lifelines, *process);
                let at = row(&mut self.height, who, false);
                let open =
                    message.and_then(|message| sent.remove(&message)).and_then(|index| self.marks.get_mut(index));
                match open {
                    Some(Mark::Message { to, .. }) => *to = Some((who, at)),
                    _ => self.marks.push(Mark::Found { to: (who, at), label: label.clone() }),
                }
            }
            ChartEvent::Rendezvous { from, to, label } => {
                let (from, to) = (of(&mut self.lifelines, *from), of(&mut self.lifelines, *to));
                let at = row(&mut self.height, from, false);
                let (from, to) = ((from, at), Some((to, at)));
                self.marks.push(Mark::Message { from, to, label: label.clone(), straight: true });
            }
            ChartEvent::Local { process, text, matters } => {
                let process = of(&mut self.lifelines, *process);
                let at = row(&mut self.height, process, !matters);
                self.marks.push(Mark::Local { process, at, text: text.clone(), matters: *matters });
            }
            ChartEvent::Step { number, line } => {
                let line = line.map_or(String::new(), |line| format!(" · l.{line}"));
                self.step = Some(format!("{number}{line}"));
            }
            ChartEvent::CycleStart => {
                self.height += MESSAGE_ROW / 2.0;
                self.cycle = Some(self.height);
                *last = None;
            }
            ChartEvent::Error { process, text } => {
                let process = process.map(|process| of(&mut self.lifelines, process));
                self.height += MESSAGE_ROW;
                *last = None;
                self.marks.push(Mark::Error { process, at: self.height, text: text.clone() });
            }
        }
    }

    fn draw(&self, title: &str, caption: &str, left_out: usize) -> String {
        let gutter = if self.has_steps { GUTTER } else { 0.0 };
        let bracket = gutter + if self.cycle.is_some() { 28.0 } else { 0.0 };
        let lines = self.lifelines.len().max(1) as f64;
        let panel_width = bracket + self.spacing * lines + MARGIN;
        let needed = ((self.height / PANEL_ROWS).ceil() as usize).max(1);
        let across = ((PAGE_WIDTH / panel_width) as usize).clamp(1, needed);
        let down = needed.div_ceil(across);
        // All panels are equally high, so that the last one is no stump.
        let panels = across * down;
        let rows = self.height / panels as f64;
        let panel_height = HEAD + rows + FOOT;
        let width = (MARGIN * 2.0 + panel_width * across as f64).max(360.0);
        let height = TITLE + (panel_height + MARGIN) * down as f64 + MARGIN;
        let mut svg = Svg { text: String::new() };
        svg.open(width, height);
        svg.line(&format!(r#"<rect class="bg" width="{width:.0}" height="{height:.0}"/>"#));
        svg.label(MARGIN, 22.0, "title", "start", title);
        let fits = ((width - MARGIN * 2.0) / LETTER) as usize;
        let mut caption = short(caption, fits.max(40));
        if left_out > 0 {
            let _ = write!(caption, "; {} events of the middle are left out", thousands(left_out as u64));
        }
        svg.label(MARGIN, 39.0, "caption", "start", &caption);
        for panel in 0..panels {
            let sheet = Sheet {
                chart: self,
                from: panel as f64 * rows,
                to: (panel + 1) as f64 * rows,
                x: MARGIN + (panel % across) as f64 * panel_width + bracket,
                y: TITLE + (panel / across) as f64 * (panel_height + MARGIN) + HEAD,
                last: panel + 1 == panels,
            };
            sheet.draw(&mut svg);
        }
        svg.line("</svg>");
        svg.text
    }
}

/// One panel: the rows `from..to` of the chart, with their origin at `x`, `y`.
struct Sheet<'a> {
    chart: &'a Chart,
    from: f64,
    to: f64,
    x: f64,
    y: f64,
    last: bool,
}

impl Sheet<'_> {
    fn draw(&self, svg: &mut Svg) {
        self.lifelines(svg);
        self.cycle(svg);
        for (number, mark) in self.chart.marks.iter().enumerate() {
            match mark {
                Mark::Message { from, to, label, straight } => self.message(svg, number, *from, *to, label, *straight),
                Mark::Found { to, label } if self.holds(to.1) => self.stub(svg, to.0, to.1, label, None, true),
                Mark::Local { process, at, text, matters } if self.holds(*at) => {
                    self.local(svg, *process, *at, text, *matters);
                }
                Mark::Step { at, text } if self.holds(*at) => {
                    let x = self.x - if self.chart.cycle.is_some() { 28.0 } else { 0.0 };
                    svg.label(x, self.row(*at) + 3.5, "step", "end", text);
                }
                Mark::Birth { parent, child, at } if self.holds(*at) => {
                    let (x, y) = (self.column(*parent), self.row(*at));
                    let side = if child > parent { -1.0 } else { 1.0 };
                    let half = self.head_width(*child) / 2.0;
                    svg.arrow((x, y), (self.column(*child) + side * half, y), "birth");
                }
                Mark::Error { process, at, text } if self.holds(*at) => self.error(svg, *process, *at, text),
                _ => {}
            }
        }
    }

    fn holds(&self, at: f64) -> bool {
        self.from < at && at <= self.to
    }

    fn column(&self, process: usize) -> f64 {
        self.x + (process as f64 + 0.5) * self.chart.spacing
    }

    fn row(&self, at: f64) -> f64 {
        self.y + at - self.from
    }

    fn head_width(&self, process: usize) -> f64 {
        (text_width(&self.chart.lifelines[process].name) + 18.0).min(self.chart.spacing - 8.0)
    }

    fn lifelines(&self, svg: &mut Svg) {
        for (process, line) in self.chart.lifelines.iter().enumerate() {
            let died_before = line.died.is_some_and(|at| at <= self.from);
            if line.born > self.to || died_before {
                continue;
            }
            let x = self.column(process);
            // A process that is born inside the panel gets its head there.
            let top = if self.holds(line.born) { self.row(line.born) } else { self.y - 26.0 };
            let end = line.died.filter(|&at| self.holds(at));
            let bottom = end.map_or(self.row(self.to) + 8.0, |at| self.row(at));
            svg.line(&format!(r#"<line class="life" x1="{x:.1}" y1="{top:.1}" x2="{x:.1}" y2="{bottom:.1}"/>"#));
            if end.is_some() {
                let (a, b) = (x - 5.0, x + 5.0);
                let (c, d) = (bottom - 5.0, bottom + 5.0);
                svg.line(&format!(
                    r#"<path class="death" d="M{a:.1} {c:.1}L{b:.1} {d:.1}M{a:.1} {d:.1}L{b:.1} {c:.1}"/>"#
                ));
            } else if !self.last {
                svg.label(x, bottom + 12.0, "more", "middle", "⋮");
            }
            let half = self.head_width(process) / 2.0;
            svg.line(&format!(
                r#"<rect class="head" x="{:.1}" y="{:.1}" width="{:.1}" height="22" rx="3"/>"#,
                x - half,
                top - 11.0,
                half * 2.0
            ));
            let fits = ((half * 2.0 - 8.0) / LETTER) as usize;
            svg.titled(x, top + 4.0, "name", "middle", &short(&line.name, fits), &line.name);
        }
    }

    fn cycle(&self, svg: &mut Svg) {
        let Some(start) = self.chart.cycle.filter(|&start| start <= self.to) else { return };
        let x = self.x - 12.0;
        let top = self.row(start.max(self.from));
        let bottom = self.row(self.to) + 4.0;
        let upper = if start >= self.from { "h8" } else { "" };
        let lower = if self.last { "h8" } else { "" };
        svg.line(&format!(
            r#"<path class="cycle" d="M{:.1} {top:.1}{}"/>"#,
            x + if upper.is_empty() { 0.0 } else { 8.0 },
            if upper.is_empty() { format!("V{bottom:.1}{lower}") } else { format!("h-8V{bottom:.1}{lower}") }
        ));
        let middle = (top + bottom) / 2.0;
        svg.line(&format!(
            r#"<text class="cyclename" transform="translate({:.1} {middle:.1}) rotate(-90)" text-anchor="middle">repeats for ever</text>"#,
            x - 6.0
        ));
    }

    fn message(
        &self,
        svg: &mut Svg,
        number: usize,
        (sender, sent): (usize, f64),
        to: Option<(usize, f64)>,
        label: &str,
        straight: bool,
    ) {
        let Some((receiver, received)) = to else {
            if self.holds(sent) {
                self.stub(svg, sender, sent, label, None, false);
            }
            return;
        };
        match (self.holds(sent), self.holds(received)) {
            (true, true) => {}
            (true, false) => return self.stub(svg, sender, sent, label, Some(number), false),
            (false, true) => return self.stub(svg, receiver, received, label, Some(number), true),
            (false, false) => return,
        }
        let (from, to) = ((self.column(sender), self.row(sent)), (self.column(receiver), self.row(received)));
        if sender == receiver {
            // A message to oneself: a loop to the right.
            let bend = from.0 + 26.0;
            svg.line(&format!(
                r#"<path class="message" marker-end="url(#tip)" d="M{:.1} {:.1}C{bend:.1} {:.1} {bend:.1} {:.1} {:.1} {:.1}"/>"#,
                from.0, from.1, from.1, to.1, to.0, to.1
            ));
            svg.dot(from);
            return svg.titled(from.0 + 8.0, from.1 - 5.0, "label", "start", &self.fitted(label), label);
        }
        let class = if straight { "rendezvous" } else { "message" };
        svg.arrow(from, to, class);
        if !straight {
            svg.dot(from);
        }
        // Near the sender: other messages cross the middle.
        let right = to.0 > from.0;
        let (x, anchor) = if straight {
            ((from.0 + to.0) / 2.0, "middle")
        } else if right {
            (from.0 + 8.0, "start")
        } else {
            (from.0 - 8.0, "end")
        };
        svg.titled(x, from.1 - 5.0, "label", anchor, &self.fitted(label), label);
    }

    /// One end of a message whose other end is not in this panel, or nowhere.
    fn stub(&self, svg: &mut Svg, process: usize, at: f64, label: &str, number: Option<usize>, arriving: bool) {
        let (x, y) = (self.column(process), self.row(at));
        let end = x + 22.0;
        svg.titled(x + 8.0, y - 7.0, "label", "start", &self.fitted(label), label);
        if arriving {
            svg.arrow((end, y), (x, y), "message");
        } else {
            svg.arrow((x, y), (end, y), "message");
            svg.dot((x, y));
        }
        svg.line(&format!(r#"<circle class="open" cx="{:.1}" cy="{y:.1}" r="3.5"/>"#, end + 4.0));
        if let Some(number) = number {
            svg.label(end + 11.0, y + 4.0, "crossing", "start", &format!("#{number}"));
        }
    }

    fn local(&self, svg: &mut Svg, process: usize, at: f64, text: &str, matters: bool) {
        let (x, y) = (self.column(process), self.row(at));
        if matters {
            let fits = (self.chart.spacing * 0.95 / LETTER) as usize;
            svg.titled(x + 9.0, y + 3.5, "local-name", "start", &short(text, fits), text);
        }
        svg.line(&format!(
            r#"<rect class="local" x="{:.1}" y="{:.1}" width="9" height="4" rx="1.5"><title>{}</title></rect>"#,
            x - 4.5,
            y - 2.0,
            escaped(text)
        ));
    }

    fn error(&self, svg: &mut Svg, process: Option<usize>, at: f64, text: &str) {
        let y = self.row(at);
        let x = process.map_or(self.x + 14.0, |process| self.column(process));
        let (a, b, c, d) = (x - 6.0, x + 6.0, y - 6.0, y + 6.0);
        svg.line(&format!(r#"<path class="error" d="M{a:.1} {c:.1}L{b:.1} {d:.1}M{a:.1} {d:.1}L{b:.1} {c:.1}"/>"#));
        // On the side where there is more room, if it needs it.
        let (left, right) = (x - self.x, self.x + self.chart.spacing * self.chart.lifelines.len() as f64 - x);
        let to_left = text_width(text) * 1.1 > right && left > right;
        let (room, shift, anchor) = if to_left { (left, -11.0, "end") } else { (right, 11.0, "start") };
        let shown = short(text, ((room / LETTER / 1.1) as usize).max(16));
        svg.titled(x + shift, y + 4.0, "errorname", anchor, &shown, text);
    }

    fn fitted(&self, label: &str) -> String {
        short(label, ((self.chart.spacing * 1.6) / LETTER) as usize)
    }
}

/// The text under construction.
struct Svg {
    text: String,
}

impl Svg {
    fn open(&mut self, width: f64, height: f64) {
        let _ = writeln!(
            self.text,
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0}" height="{height:.0}" viewBox="0 0 {width:.0} {height:.0}" font-family="Helvetica, Arial, 'DejaVu Sans', sans-serif">"#
        );
        self.text.push_str(STYLE);
    }

    fn line(&mut self, element: &str) {
        self.text.push_str(element);
        self.text.push('\n');
    }

    fn label(&mut self, x: f64, y: f64, class: &str, anchor: &str, text: &str) {
        self.titled(x, y, class, anchor, text, text);
    }

    /// A text; where it had to be shortened the whole shows on hovering.
    fn titled(&mut self, x: f64, y: f64, class: &str, anchor: &str, text: &str, whole: &str) {
        let title = if text == whole { String::new() } else { format!("<title>{}</title>", escaped(whole)) };
        let text = escaped(text);
        self.line(&format!(
            r#"<text class="{class}" x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{title}{text}</text>"#
        ));
    }

    fn arrow(&mut self, from: (f64, f64), to: (f64, f64), class: &str) {
        self.line(&format!(
            r#"<line class="{class}" marker-end="url(#tip)" x1="{:.1}" y1="{:.1}" x2="{:.1}" y2="{:.1}"/>"#,
            from.0, from.1, to.0, to.1
        ));
    }

    fn dot(&mut self, at: (f64, f64)) {
        self.line(&format!(r#"<circle class="dot" cx="{:.1}" cy="{:.1}" r="2.2"/>"#, at.0, at.1));
    }
}

const STYLE: &str = r##"<style>
.bg{fill:#ffffff}
.title{font-size:15px;font-weight:bold;fill:#1a1a1a}
.caption{font-size:11.5px;fill:#5a5a5a}
.life{stroke:#9a9a9a;stroke-width:1}
.head{fill:#eef2f7;stroke:#33475b;stroke-width:1}
.name{font-size:12px;font-weight:bold;fill:#1a1a1a}
.message,.rendezvous{fill:none;stroke:#0b4f8a;stroke-width:1.3}
.rendezvous{stroke-width:1.8}
.birth{stroke:#5a5a5a;stroke-width:1;stroke-dasharray:4 3}
.tip,.dot{fill:#0b4f8a}
.open{fill:none;stroke:#0b4f8a;stroke-width:1.2}
.label{font-size:11.5px;fill:#1a1a1a;paint-order:stroke;stroke:#ffffff;stroke-width:3px;stroke-linejoin:round}
.crossing,.more{font-size:10.5px;fill:#5a5a5a}
.step{font-size:9.5px;fill:#7a7a7a}
.local-name{font-size:10.5px;fill:#44505c;paint-order:stroke;stroke:#ffffff;stroke-width:3px;stroke-linejoin:round}
.local{fill:#6b7785}
.death{stroke:#33475b;stroke-width:1.6}
.cycle{fill:none;stroke:#8a4b08;stroke-width:1.8}
.cyclename{font-size:11px;fill:#8a4b08}
.error{stroke:#b3131b;stroke-width:2.6}
.errorname{font-size:12px;font-weight:bold;fill:#b3131b;paint-order:stroke;stroke:#ffffff;stroke-width:3px;stroke-linejoin:round}
@media screen and (prefers-color-scheme: dark){
.bg{fill:#16191d}
.title,.name{fill:#eceff3}
.caption,.crossing,.more{fill:#a7b0ba}
.step{fill:#8b97a4}
.local-name{fill:#c3ccd6;stroke:#16191d}
.life{stroke:#5d6670}
.head{fill:#252c35;stroke:#8fa3b8}
.message,.rendezvous,.open{stroke:#74b4f0}
.birth{stroke:#a7b0ba}
.tip,.dot{fill:#74b4f0}
.label{fill:#eceff3;stroke:#16191d}
.local{fill:#8b97a4}
.death{stroke:#8fa3b8}
.cycle{stroke:#e0a45c}
.cyclename{fill:#e0a45c}
.error{stroke:#ff7b72}
.errorname{fill:#ff7b72;stroke:#16191d}
}
</style>
<defs><marker id="tip" viewBox="0 0 10 10" refX="9.5" refY="5" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path class="tip" d="M0 1L10 5L0 9z"/></marker></defs>
"##;

fn text_width(text: &str) -> f64 {
    text.chars().count() as f64 * LETTER
}

fn short(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        text.into()
    } else {
        text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML has no way to write most control characters.
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests;
