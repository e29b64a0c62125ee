//! Near misses of names: "did you mean `count`?".
//!
//! The distance is Damerau-Levenshtein in its restricted form (insert, delete, replace, swap of neighbours), over
//! characters. A candidate is near if at most a third of the name has to change, so that `x` is never a
//! suggestion for `y`, and a difference in case alone counts as the nearest miss of all.

/// Names longer than this are not compared: the cost is quadratic, and nobody misspells such a name by hand.
const LONGEST: usize = 80;

/// The candidate that `name` was most likely meant to be, if one is near enough. Of equally near ones the first.
pub fn suggest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = name.chars().take(LONGEST + 1).collect();
    if wanted.is_empty() || wanted.len() > LONGEST {
        return None;
    }
    let mut best: Option<(usize, &'a str)> = None;
    for candidate in candidates {
        if candidate == name || candidate.len() > 4 * LONGEST {
            continue;
        }
        let other: Vec<char> = candidate.chars().collect();
        // One letter that is not the same is no likeness, two letters may be swapped.
        let limit = match wanted.len().max(other.len()) {
            0 | 1 => 0,
            2 | 3 => 1,
            length => length / 3,
        };
        let distance = if candidate.eq_ignore_ascii_case(name) { 0 } else { distance(&wanted, &other) };
        let all_replaced = distance >= wanted.len().min(other.len());
        let near = distance == 0 || (distance <= limit && !all_replaced);
        if near && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Edits between two words, kept in three rows: the one being filled, the one before, and the one before that.
fn distance(left: &[char], right: &[char]) -> usize {
    let width = right.len() + 1;
    let mut before = vec![0; width];
    let mut previous: Vec<usize> = (0..width).collect();
    let mut current = vec![0; width];
    for (i, &a) in left.iter().enumerate() {
        current[0] = i + 1;
        for (j, &b) in right.iter().enumerate() {
            let replaced = previous[j] + usize::from(a != b);
            let mut least = replaced.min(previous[j + 1] + 1).min(current[j] + 1);
            if i > 0 && j > 0 && a == right[j - 1] && left[i - 1] == b {
                least = least.min(before[j - 1] + 1);
            }
            current[j + 1] = least;
        }
        std::mem::swap(&mut before, &mut previous);
        std::mem::swap(&mut previous, &mut current);
    }
    previous[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant() {
        let names = ["count", "turn", "N", "in_critical", "ch", "x"];
        assert_eq!(suggest("cuont", names), Some("count"));
        assert_eq!(suggest("trun", names), Some("turn"));
        assert_eq!(suggest("n", names), Some("N"));
        assert_eq!(suggest("hc", names), Some("ch"));
        assert_eq!(suggest("incritical", names), Some("in_critical"));
        assert_eq!(suggest("Turn", names), Some("turn"));
    }

    #[test]
    fn is_silent_when_nothing_is_near() {
        assert_eq!(suggest("y", ["x", "xy", "zebra"]), None);
        assert_eq!(suggest("buffer", ["turn", "count"]), None);
        assert_eq!(suggest("ab", ["cd", "x"]), None);
        assert_eq!(suggest("", ["a"]), None);
        assert_eq!(suggest(&"a".repeat(1000), ["a"]), None);
    }

    #[test]
    fn counts_edits() {
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        assert_eq!(distance(&chars("kitten"), &chars("sitting")), 3);
        assert_eq!(distance(&chars("abcd"), &chars("abdc")), 1);
        assert_eq!(distance(&chars(""), &chars("abc")), 3);
    }
}
