//! One HTML page that needs nothing but itself: no network, no scripts. It reads like a short report, in a light and a
//! dark theme and in print.

use super::plot;
use std::fmt::Write;

/// A part of a page, in order.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Block {
    /// A heading.
    Heading(String),
    /// A paragraph of plain text.
    Text(String),
    /// The paragraph that says what the page has to say.
    Lead(String),
    /// A paragraph that is less important.
    Note(String),
    /// Plots side by side where there is room, with a caption that says what they show.
    Figure {
        /// SVG elements, made by [`plot::render`].
        plots: Vec<String>,
        /// Under them.
        caption: String,
    },
    /// A table.
    Table(Table),
    /// A command line to copy.
    Command(String),
    /// Names and values.
    Facts(Vec<(String, String)>),
    /// What is of use to few: shown when it is opened, and in print.
    Details(String, Vec<Block>),
}

/// A table; the first column is text, the others are numbers, to the right.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Table {
    /// Above it.
    pub caption: String,
    /// Heads of the columns.
    pub head: Vec<String>,
    /// Cells.
    pub rows: Vec<Vec<String>>,
    /// Columns of text at the start.
    pub text_columns: usize,
}

/// A page.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Page {
    /// Title and first heading.
    pub title: String,
    /// Below the title: model, version.
    pub subtitle: String,
    /// All else.
    pub blocks: Vec<Block>,
}

const STYLE: &str = "
:root { color-scheme: light dark; --page: #ffffff; --text: #1b1f24; --dim: #59636e; --rule: #d8dee4; --box: #f4f6f8; }
@media screen and (prefers-color-scheme: dark) {
  :root { --page: #14181d; --text: #e6edf3; --dim: #9ea7b1; --rule: #3a424d; --box: #1d232a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1100px; padding: 2rem 1.5rem 4rem; background: var(--page); color: var(--text);
  font: 16px/1.55 system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif; }
h1 { font-size: 1.8rem; line-height: 1.2; margin: 0 0 .2rem; overflow-wrap: anywhere; }
h2 + p.lead { font-size: 1.15rem; font-weight: 600; }
h2 { font-size: 1.25rem; overflow-wrap: anywhere; margin: 2.6rem 0 .6rem; padding-top: .8rem; border-top: 1px solid var(--rule); }
p { max-width: 46rem; margin: .5rem 0; overflow-wrap: anywhere; }
p + pre { margin-top: .3rem; }
@media (max-width: 480px) { body { padding: 1.2rem 1rem 3rem; } h1 { font-size: 1.35rem; } h2 { margin-top: 1.6rem; } }
.dim, figcaption .dim { color: var(--dim); }
.note { color: var(--dim); font-size: .92rem; }
figure { margin: 1rem 0 1.4rem; }
.plots { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1rem; }
@media (max-width: 760px) { .plots { grid-template-columns: 1fr; } }
.plots svg { width: 100%; height: auto; border: 1px solid var(--rule); border-radius: 6px; }
figcaption { max-width: 46rem; margin-top: .6rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .88rem; margin: .8rem 0; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--dim); padding-bottom: .3rem; }
th, td { padding: .28rem .7rem; border-bottom: 1px solid var(--rule); text-align: right; white-space: nowrap; }
th { white-space: normal; }
th { font-weight: 600; border-bottom-width: 2px; vertical-align: bottom; }
th.text, td.text { text-align: left; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1.2rem; margin: .8rem 0; }
dt { color: var(--dim); }
dd { margin: 0; overflow-wrap: anywhere; }
pre { background: var(--box); border: 1px solid var(--rule); border-radius: 6px; padding: .6rem 1rem; overflow-x: auto; overflow-wrap: anywhere;
  font: .9rem/1.5 ui-monospace, 'SFMono-Regular', Consolas, 'Liberation Mono', monospace; white-space: pre-wrap; }
pre .word { display: inline-block; max-width: 100%; }
code { font: .92em ui-monospace, Consolas, 'Liberation Mono', monospace; }
summary { cursor: pointer; color: var(--dim); margin-top: 1rem; }
@media print {
  :root { color-scheme: light; }
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  h2 { break-after: avoid; }
  figure, tr, pre { break-inside: avoid; }
  .plots { grid-template-columns: 1fr 1fr; }
  .wide { overflow: visible; }
  table { font-size: 8pt; }
  th, td { padding: .15rem .35rem; }
  th, td.text { white-space: normal; }
  details::details-content { content-visibility: visible; display: block; height: auto; }
}
";

/// The page as text.
pub(crate) fn render(page: &Page) -> String {
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{0}</title>\n<style>{STYLE}{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
        escape(&page.title),
        plot::style_rules()
    );
    if !page.subtitle.is_empty() {
        let _ = writeln!(html, "<p class=\"dim\">{}</p>", escape(&page.subtitle));
    }
    for block in &page.blocks {
        write_block(block, &mut html);
    }
    html.push_str("</body>\n</html>\n");
    html
}

fn write_block(block: &Block, html: &mut String) {
    // Writing to a string cannot fail.
    let _ = match block {
        Block::Heading(text) => writeln!(html, "<h2>{}</h2>", escape(text)),
        Block::Text(text) => writeln!(html, "<p>{}</p>", escape(text)),
        Block::Lead(text) => writeln!(html, "<p class=\"lead\">{}</p>", escape(text)),
        Block::Note(text) => writeln!(html, "<p class=\"note\">{}</p>", escape(text)),
        Block::Command(text) => writeln!(html, "<pre>{}</pre>", unbroken(text)),
        Block::Figure { plots, caption } => writeln!(
            html,
            "<figure>\n<div class=\"plots\">\n{}</div>\n<figcaption>{}</figcaption>\n</figure>",
            plots.concat(),
            escape(caption)
        ),
        Block::Facts(facts) => {
            html.push_str("<dl>\n");
            for (name, value) in facts {
                let _ = writeln!(html, "<dt>{}</dt><dd>{}</dd>", escape(name), escape(value));
            }
            writeln!(html, "</dl>")
        }
        Block::Table(table) => {
            write_table(table, html);
            Ok(())
        }
        Block::Details(summary, blocks) => {
            let _ = writeln!(html, "<details>\n<summary>{}</summary>", escape(summary));
            for block in blocks {
                write_block(block, html);
            }
            writeln!(html, "</details>")
        }
    };
}

/// A command whose options are not broken behind their dashes where a line ends.
fn unbroken(command: &str) -> String {
    let word = |word: &str| match word.starts_with('-') {
        true => format!("<span class=\"word\">{}</span>", escape(word)),
        false => escape(word),
    };
    let line = |line: &str| line.split(' ').map(word).collect::<Vec<_>>().join(" ");
    command.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn write_table(table: &Table, html: &mut String) {
    let class = |column: usize| if column < table.text_columns { " class=\"text\"" } else { "" };
    html.push_str("<div class=\"wide\"><table>\n");
    if !table.caption.is_empty() {
        let _ = writeln!(html, "<caption>{}</caption>", escape(&table.caption));
    }
    html.push_str("<thead><tr>");
    for (column, head) in table.head.iter().enumerate() {
        let _ = write!(html, "<th scope=\"col\"{}>{}</th>", class(column), escape(head));
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        html.push_str("<tr>");
        for (column, cell) in row.iter().enumerate() {
            let _ = write!(html, "<td{}>{}</td>", class(column), escape(cell));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody></table></div>\n");
}

/// Text for HTML and SVG. Characters that XML forbids become a question mark.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(letter),
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => escaped.push('?'),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_whole_and_alone() {
        let page = Page {
            title: "a <b> & c".into(),
            subtitle: "m.pml".into(),
            blocks: vec![
                Block::Heading("One".into()),
                Block::Text("x < y".into()),
                Block::Facts(vec![("seed".into(), "1".into())]),
                Block::Figure { plots: vec![plot::render(&plot::Plot::default())], caption: "shows".into() },
                Block::Details("more".into(), vec![Block::Command("pv check 'm.pml'".into())]),
                Block::Table(Table {
                    caption: "t".into(),
                    head: vec!["name".into(), "states".into()],
                    rows: vec![vec!["<s>".into(), "3".into()]],
                    text_columns: 1,
                }),
            ],
        };
        let html = render(&page);
        assert!(html.contains("<title>a &lt;b&gt; &amp; c</title>"));
        assert!(html.contains("<td class=\"text\">&lt;s&gt;</td><td>3</td>"));
        for tag in ["html", "body", "figure", "table", "details", "dl", "div", "svg", "style"] {
            assert_eq!(html.matches(&format!("<{tag}")).count(), html.matches(&format!("</{tag}>")).count(), "{tag}");
        }
        for foreign in ["<script", "src=", "href=", "@import", "url("] {
            assert!(!html.contains(foreign), "{foreign}");
        }
        assert_eq!(html.matches("http").count(), html.matches("http://www.w3.org/2000/svg").count());
    }

    #[test]
    fn text_cannot_break_out() {
        assert_eq!(escape("<a b='\"&\u{0}\">"), "&lt;a b=&#39;&quot;&amp;?&quot;&gt;");
    }
}
