//! Comments at the ends of neighbouring lines start in one column.
//!
//! What a line is padded to depends on the code of its run of lines only, never on the blanks that were there, so a
//! text that is formatted already stays as it is.

use std::ops::Range;

/// Lines whose code differs more in width are not put together (nor those of different indent, nor heads of blocks): the comment would stand lost on the right.
const FARTHEST: usize = 24;

/// The text with its trailing comments aligned. Each range starts where the code of a line ends and ends with the
/// comment; the ranges are in order.
pub(super) fn align(text: &str, trailing: &[Range<usize>]) -> String {
    let mut aligned = String::with_capacity(text.len() + text.len() / 8);
    // The run being gathered: lines as (whole line, length of its code in bytes, its width).
    let mut run: Vec<(&str, usize, usize)> = Vec::new();
    let mut marks = trailing.iter().peekable();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.trim_end().len();
        let mut code = None;
        while let Some(mark) = marks.next_if(|mark| mark.start < start + line.len()) {
            if mark.end == end && mark.start > start {
                code = Some(mark.start - start);
            }
        }
        start += line.len();
        let Some(code) = code else {
            flush(&mut run, &mut aligned);
            aligned.push_str(line);
            continue;
        };
        let width = line[..code].chars().count();
        let apart = run.last().is_some_and(|&(above, above_code, above_width)| {
            let indent = |line: &str| line.len() - line.trim_start().len();
            indent(above) != indent(line)
                || above_width.abs_diff(width) > FARTHEST
                || above[..above_code].ends_with('{')
                || line[..code].ends_with('{')
        });
        if apart {
            flush(&mut run, &mut aligned);
        }
        run.push((line, code, width));
    }
    flush(&mut run, &mut aligned);
    aligned
}

fn flush(run: &mut Vec<(&str, usize, usize)>, aligned: &mut String) {
    let column = run.iter().map(|&(_, _, width)| width).max().unwrap_or(0);
    for (line, code, width) in run.drain(..) {
        aligned.push_str(&line[..code]);
        aligned.extend(std::iter::repeat_n(' ', column - width));
        aligned.push_str(&line[code..]);
    }
}
