//! Plots as SVG, written by hand: lines, points and bars over linear or logarithmic axes.
//!
//! A plot must be readable on a light and on a dark screen, in print without colours, and by people who see few colours:
//! every series has its own colour (after Okabe and Ito), its own marker and its own dashes. The legend stands in rows
//! below the axes, where it can overlap nothing. What a search did not finish is drawn as a hollow marker with an
//! arrow: "at least this much". Colours are CSS variables that [`STYLE`] sets; a page includes it once, a file of its
//! own carries it along.

pub(crate) mod axis;

pub(crate) use axis::{Axis, Scale, Unit, format_value};

use super::html::escape;
use axis::Fitted;
use std::fmt::Write;

/// How a series is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Mark {
    /// Markers joined by a line.
    #[default]
    Line,
    /// Markers only.
    Points,
    /// A line without markers, for many points.
    Curve,
    /// Bars from the bottom.
    Bars,
}

/// One set of points.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Series {
    /// Name in the legend.
    pub name: String,
    /// How it is drawn.
    pub mark: Mark,
    /// Measured.
    pub points: Vec<(f64, f64)>,
    /// Lower bounds: the search was stopped there.
    pub gave_up: Vec<(f64, f64)>,
}

impl Series {
    /// Markers joined by a line.
    pub(crate) fn line(name: impl Into<String>, points: Vec<(f64, f64)>) -> Series {
        Series { name: name.into(), points, ..Series::default() }
    }

    /// Another way to draw it.
    pub(crate) fn drawn_as(self, mark: Mark) -> Series {
        Series { mark, ..self }
    }
}

/// A plot.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Plot {
    /// Above the axes.
    pub title: String,
    /// Across.
    pub x: Axis,
    /// Up.
    pub y: Axis,
    /// What is drawn, in the order of the legend.
    pub series: Vec<Series>,
    /// A level worth a dashed line across: its value and what it is, for the legend.
    pub level: Option<(f64, String)>,
}

/// Width of every plot, in pixels of the drawing; the page scales it.
const WIDTH: f64 = 640.0;
/// Height of the axes.
const HEIGHT: f64 = 260.0;
const TOP: f64 = 40.0;
const RIGHT: f64 = 22.0;
/// Between the axis and its label: tick labels and label.
const BOTTOM: f64 = 48.0;
const LEGEND_ROW: f64 = 22.0;
/// Mean width of a letter of the small font; generous, so that nothing is cut.
const LETTER: f64 = 7.5;
/// Of an entry of the legend, beside its letters: the sample and the gap to the next.
const ENTRY: f64 = 50.0;
/// Colours, markers and dashes.
const SHAPES: usize = 7;
/// Series have this many distinct looks: each shape filled, then each open.
const LOOKS: usize = 2 * SHAPES;
/// Dashes of the lines, by shape.
const DASHES: [&str; SHAPES] = ["", "7 3", "2 3", "9 3 2 3", "12 4", "4 2 1 2 1 2", "1 4"];

/// Colours and fonts. The colours are those of Okabe and Ito, lightened on dark ground; print is always light.
pub(crate) const STYLE: &str = "
.pv-plot { --ink: #1b1f24; --soft: #59636e; --grid: #d8dee4; --ground: #ffffff;
  --s0: #0072b2; --s1: #d55e00; --s2: #00795a; --s3: #aa4485; --s4: #000000; --s5: #8a6d00; --s6: #5b6670;
  font: 13px system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif; background: var(--ground); }
@media screen and (prefers-color-scheme: dark) { .pv-plot { --ink: #e6edf3; --soft: #9ea7b1; --grid: #3a424d;
  --ground: #14181d; --s0: #4fb3f0; --s1: #ff9248; --s2: #2fd3a2; --s3: #f09cd0; --s4: #ffffff; --s5: #f2c14e;
  --s6: #b3bcc6; } }
.pv-plot text { fill: var(--ink); stroke: none; }
.pv-plot .soft { fill: var(--soft); }
.pv-plot .title { font-size: 15px; font-weight: 600; }
.pv-plot .grid { stroke: var(--grid); stroke-width: 1; }
.pv-plot .axis { stroke: var(--soft); stroke-width: 1; fill: none; }
.pv-plot .level { stroke: var(--soft); stroke-width: 1.4; stroke-dasharray: 5 4; fill: none; }
.pv-plot .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
.pv-plot .open { fill: var(--ground); stroke-width: 1.8; }
";

/// A plot as an SVG element for a page that has [`STYLE`].
pub(crate) fn render(plot: &Plot) -> String {
    Drawing::new(plot).draw(plot, "")
}

/// Several plots below each other as one file.
pub(crate) fn standalone_column(plots: &[Plot]) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let drawn: Vec<(f64, String)> = plots
        .iter()
        .map(|plot| {
            let drawing = Drawing::new(plot);
            (drawing.height, drawing.draw(plot, ""))
        })
        .collect();
    let height: f64 = drawn.iter().map(|(height, _)| height + 16.0).sum();
    let _ = writeln!(
        text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"pv-plot\" viewBox=\"0 0 {WIDTH} {height:.0}\" \
         width=\"{WIDTH}\" height=\"{height:.0}\"><style>{}</style>",
        style_rules()
    );
    let mut y = 0.0;
    for (height, svg) in drawn {
        let _ = writeln!(text, "<g transform=\"translate(0 {y:.0})\">\n{svg}</g>");
        y += height + 16.0;
    }
    text.push_str("</svg>\n");
    text
}

/// [`STYLE`] and one rule for each look of a series.
pub(crate) fn style_rules() -> String {
    let mut rules = String::from(STYLE);
    for look in 0..LOOKS {
        let (shape, dashes) = (look % SHAPES, DASHES[look % SHAPES]);
        let fill = if look < SHAPES { format!("var(--s{shape})") } else { "var(--ground)".into() };
        let _ = writeln!(rules, ".pv-plot .l{look} {{ stroke: var(--s{shape}); }}");
        let _ = writeln!(rules, ".pv-plot .f{look} {{ fill: {fill}; stroke: var(--s{shape}); stroke-width: 1.4; }}");
        if !dashes.is_empty() {
            let _ = writeln!(rules, ".pv-plot .line.l{look} {{ stroke-dasharray: {dashes}; }}");
        }
    }
    rules
}

/// A plot with its axes fitted and its parts placed.
struct Drawing {
    x: Fitted,
    y: Fitted,
    left: f64,
    /// Rows of the legend: for each entry its series and place.
    legend: Vec<(Entry, f64, usize)>,
    height: f64,
}

#[derive(Clone, PartialEq)]
enum Entry {
    Series(usize),
    Level,
    GaveUp,
}

impl Drawing {
    fn new(plot: &Plot) -> Drawing {
        let all = || plot.series.iter().flat_map(|series| series.points.iter().chain(&series.gave_up));
        let level = plot.level.iter().map(|(value, _)| *value);
        let shown = || all().filter(|(x, y)| plot.x.admits(*x) && plot.y.admits(*y));
        let bars = plot.series.iter().any(|series| series.mark == Mark::Bars);
        let y_axis =
            if bars && plot.y.scale == Scale::Linear { plot.y.clone().starting_at_zero() } else { plot.y.clone() };
        let y = y_axis.fit(shown().map(|point| point.1).chain(level));
        let x = plot.x.fit(shown().map(|point| point.0));
        let longest = y.ticks.iter().map(|&tick| y.label(tick).chars().count()).max().unwrap_or(1);
        let left = (longest as f64 * LETTER + 38.0).max(58.0);
        let mut drawing = Drawing { x, y, left, legend: Vec::new(), height: 0.0 };
        let rows = drawing.lay_out_legend(plot);
        drawing.height = TOP + HEIGHT + BOTTOM + rows as f64 * LEGEND_ROW + 8.0;
        drawing
    }

    fn lay_out_legend(&mut self, plot: &Plot) -> usize {
        let mut entries: Vec<(Entry, usize)> = plot
            .series
            .iter()
            .enumerate()
            .filter(|(_, series)| !series.name.is_empty())
            .map(|(index, series)| (Entry::Series(index), series.name.chars().count()))
            .collect();
        if let Some((value, name)) = &plot.level
            && plot.y.admits(*value)
        {
            entries.push((Entry::Level, name.chars().count()));
        }
        if plot.series.iter().any(|series| !series.gave_up.is_empty()) {
            entries.push((Entry::GaveUp, GAVE_UP.chars().count()));
        }
        let (mut at, mut row) = (self.left, 0);
        for (entry, letters) in entries {
            let width = ENTRY + letters as f64 * LETTER;
            if at > self.left && at + width > WIDTH - 8.0 {
                (at, row) = (self.left, row + 1);
            }
            self.legend.push((entry, at, row));
            at += width;
        }
        if self.legend.is_empty() { 0 } else { row + 1 }
    }

    fn width(&self) -> f64 {
        WIDTH - self.left - RIGHT
    }

    fn px(&self, x: f64) -> f64 {
        self.left + self.x.place(x) * self.width()
    }

    fn py(&self, y: f64) -> f64 {
        TOP + HEIGHT - self.y.place(y) * HEIGHT
    }

    fn draw(&self, plot: &Plot, style: &str) -> String {
        let mut svg = String::new();
        let _ = writeln!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"pv-plot\" viewBox=\"0 0 {WIDTH} {0:.0}\" \
             width=\"{WIDTH}\" height=\"{0:.0}\" role=\"img\" aria-label=\"{1}\">\n{style}<title>{1}</title>",
            self.height,
            escape(&plot.title)
        );
        let _ = writeln!(
            svg,
            "<rect width=\"{WIDTH}\" height=\"{:.0}\" style=\"fill: var(--ground)\"/>\n\
             <text class=\"title\" x=\"{:.1}\" y=\"22\">{}</text>",
            self.height,
            self.left,
            escape(&plot.title)
        );
        self.draw_axes(plot, &mut svg);
        for (index, series) in plot.series.iter().enumerate() {
            self.draw_series(plot, index, series, &mut svg);
        }
        self.draw_legend(plot, &mut svg);
        svg.push_str("</svg>\n");
        svg
    }

    fn draw_axes(&self, plot: &Plot, svg: &mut String) {
        let (right, bottom) = (WIDTH - RIGHT, TOP + HEIGHT);
        for &tick in &self.y.ticks {
            let y = self.py(tick);
            let _ = writeln!(
                svg,
                "<path class=\"grid\" d=\"M{:.1} {y:.1}H{right:.1}\"/>\
                 <text class=\"soft\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                self.left,
                self.left - 7.0,
                y + 4.0,
                escape(&self.y.label(tick))
            );
        }
        // Labels across are left out where they would touch.
        let mut free = f64::NEG_INFINITY;
        for &tick in &self.x.ticks {
            let (x, label) = (self.px(tick), self.x.label(tick));
            let half = label.chars().count() as f64 * LETTER / 2.0;
            let _ = writeln!(svg, "<path class=\"grid\" d=\"M{x:.1} {TOP}V{:.1}\"/>", bottom + 4.0);
            // The last one stays inside the drawing.
            let x = x.min(WIDTH - half - 2.0);
            if x - half < free {
                continue;
            }
            free = x + half + 6.0;
            let _ = writeln!(
                svg,
                "<text class=\"soft\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                bottom + 18.0,
                escape(&label)
            );
        }
        let _ = writeln!(
            svg,
            "<path class=\"axis\" d=\"M{0:.1} {TOP}V{bottom:.1}H{right:.1}\"/>\n\
             <text x=\"{1:.1}\" y=\"{2:.1}\" text-anchor=\"middle\">{3}</text>\n\
             <text x=\"14\" y=\"{4:.1}\" text-anchor=\"middle\" transform=\"rotate(-90 14 {4:.1})\">{5}</text>",
            self.left,
            self.left + self.width() / 2.0,
            bottom + 38.0,
            escape(&label(&plot.x)),
            TOP + HEIGHT / 2.0,
            escape(&label(&plot.y))
        );
        if let Some((value, _)) = plot.level.as_ref().filter(|(value, _)| plot.y.admits(*value)) {
            let y = self.py(*value);
            let _ = writeln!(svg, "<path class=\"level\" d=\"M{:.1} {y:.1}H{right:.1}\"/>", self.left);
        }
    }

    fn draw_series(&self, plot: &Plot, index: usize, series: &Series, svg: &mut String) {
        let look = index % LOOKS;
        let admitted = |&&(x, y): &&(f64, f64)| plot.x.admits(x) && plot.y.admits(y);
        let points: Vec<(f64, f64)> =
            series.points.iter().filter(admitted).map(|&(x, y)| (self.px(x), self.py(y))).collect();
        match series.mark {
            Mark::Bars => self.draw_bars(plot, index, &points, svg),
            Mark::Line | Mark::Curve if points.len() > 1 => {
                let mut path = String::new();
                for (number, (x, y)) in points.iter().enumerate() {
                    let _ = write!(path, "{}{x:.1} {y:.1}", if number == 0 { 'M' } else { 'L' });
                }
                let _ = writeln!(svg, "<path class=\"line l{look}\" d=\"{path}\"/>");
            }
            _ => {}
        }
        // A curve of one point would be invisible.
        if matches!(series.mark, Mark::Line | Mark::Points) || (series.mark == Mark::Curve && points.len() == 1) {
            for &(x, y) in &points {
                let _ = writeln!(svg, "<path class=\"f{look}\" d=\"{}\"/>", marker(look, x, y));
            }
        }
        for &(x, y) in series.gave_up.iter().filter(admitted) {
            let (x, y) = (self.px(x), self.py(y).max(TOP + 16.0));
            let _ = writeln!(svg, "<path class=\"open l{look}\" d=\"{}{}\"/>", marker(look, x, y), arrow(x, y));
        }
    }

    /// Bars of several series stand side by side at the same place.
    fn draw_bars(&self, plot: &Plot, index: usize, points: &[(f64, f64)], svg: &mut String) {
        let sets: Vec<usize> = (0..plot.series.len()).filter(|&s| plot.series[s].mark == Mark::Bars).collect();
        let places = plot.series.iter().map(|series| series.points.len()).max().unwrap_or(1).max(1);
        let group = (self.width() / (places as f64 + 1.0) * 0.8).max(1.0);
        let width = (group / sets.len().max(1) as f64).min(48.0);
        let own = sets.iter().position(|&set| set == index).unwrap_or(0) as f64;
        let look = index % LOOKS;
        let bottom = TOP + HEIGHT;
        for &(x, y) in points {
            let from = x + (own - sets.len() as f64 / 2.0) * width;
            // A bar reaches neither over the axis nor out of the plot.
            let (from, to) = (from.max(self.left), (from + width).min(WIDTH - RIGHT));
            if to > from {
                let _ = writeln!(
                    svg,
                    "<rect class=\"f{look}\" x=\"{from:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" \
                     fill-opacity=\"0.75\"/>",
                    to - from,
                    (bottom - y).max(0.0)
                );
            }
        }
    }

    fn draw_legend(&self, plot: &Plot, svg: &mut String) {
        for (entry, x, row) in &self.legend {
            let y = TOP + HEIGHT + BOTTOM + *row as f64 * LEGEND_ROW + 8.0;
            let name = match entry {
                Entry::Series(index) => {
                    let (series, look) = (&plot.series[*index], index % LOOKS);
                    if matches!(series.mark, Mark::Line | Mark::Curve) {
                        let _ = writeln!(svg, "<path class=\"line l{look}\" d=\"M{x:.1} {y:.1}h28\"/>");
                    }
                    let middle = x + 14.0;
                    if series.mark == Mark::Bars {
                        let _ = writeln!(
                            svg,
                            "<rect class=\"f{look}\" x=\"{:.1}\" y=\"{:.1}\" width=\"16\" height=\"10\" \
                             fill-opacity=\"0.75\"/>",
                            x + 6.0,
                            y - 5.0
                        );
                    } else if series.mark != Mark::Curve {
                        let _ = writeln!(svg, "<path class=\"f{look}\" d=\"{}\"/>", marker(look, middle, y));
                    }
                    series.name.as_str()
                }
                Entry::Level => {
                    let _ = writeln!(svg, "<path class=\"level\" d=\"M{x:.1} {y:.1}h28\"/>");
                    plot.level.as_ref().map_or("", |(_, name)| name.as_str())
                }
                Entry::GaveUp => {
                    let (x, y) = (x + 14.0, y + 3.0);
                    let _ = writeln!(svg, "<path class=\"open l6\" d=\"{}{}\"/>", marker(0, x, y), arrow(x, y));
                    GAVE_UP
                }
            };
            let _ = writeln!(svg, "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>", x + 34.0, y + 4.0, escape(name));
        }
    }
}

const GAVE_UP: &str = "gave up (at least this)";

/// The label of an axis; a logarithmic one says so.
fn label(axis: &Axis) -> String {
    match axis.scale {
        Scale::Linear => axis.label.clone(),
        Scale::Log => format!("{}, log scale", axis.label),
    }
}

/// A marker around a point, by look: circle, square, triangle, diamond, triangle down, cross, bar.
fn marker(look: usize, x: f64, y: f64) -> String {
    match look % SHAPES {
        0 => format!("M{:.1} {y:.1}a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0 -7.2 0z", x - 3.6),
        1 => format!("M{:.1} {:.1}h6.6v6.6h-6.6z", x - 3.3, y - 3.3),
        2 => format!("M{x:.1} {:.1}l4.3 7.4h-8.6z", y - 4.6),
        3 => format!("M{x:.1} {:.1}l4.6 4.6l-4.6 4.6l-4.6 -4.6z", y - 4.6),
        4 => format!("M{x:.1} {:.1}l4.3 -7.4h-8.6z", y + 4.6),
        5 => {
            let (x, y) = (x - 4.0, y - 1.2);
            format!("M{x:.1} {y:.1}h2.8v-2.8h2.4v2.8h2.8v2.4h-2.8v2.8h-2.4v-2.8h-2.8z")
        }
        _ => format!("M{:.1} {:.1}h2.6v8h-2.6z", x - 1.3, y - 4.0),
    }
}

/// An arrow up from a marker.
fn arrow(x: f64, y: f64) -> String {
    format!("M{x:.1} {:.1}v-8m-3 3l3 -3.4l3 3.4", y - 5.0)
}

#[cfg(test)]
mod tests;
