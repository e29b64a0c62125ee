//! What every plot must keep to, whatever the data: sound numbers, all ticks, everything in its frame.

use super::*;

fn sample() -> Plot {
    Plot {
        title: "Transitions & <time>".into(),
        x: Axis::log("cache size (states)"),
        y: Axis::log("transitions"),
        series: vec![
            Series { gave_up: vec![(600.0, 9e6)], ..Series::line("depth first", vec![(2000.0, 3e5), (1000.0, 4e6)]) },
            Series::line("with sleep sets", vec![(2000.0, 2e5), (1000.0, 2.2e5), (500.0, 4e5)]),
        ],
        level: Some((2.5e5, "full search".into())),
    }
}

/// Every number of the drawing's attributes.
fn numbers(svg: &str) -> Vec<f64> {
    let parts = svg.split(['"', ' ', 'M', 'L', 'H', 'V', '(', ')']);
    parts.filter_map(|part| part.parse::<f64>().ok()).collect()
}

fn is_sound(svg: &str) {
    for wrong in ["NaN", "inf", "Infinity"] {
        assert!(!svg.contains(wrong), "{wrong} in {svg}");
    }
    assert!(numbers(svg).iter().all(|n| n.is_finite() && n.abs() < 2000.0), "{svg}");
    assert_eq!(svg.matches("<svg").count(), svg.matches("</svg>").count());
}

#[test]
fn has_axes_ticks_and_legend() {
    let svg = render(&sample());
    is_sound(&svg);
    for text in ["cache size (states), log scale", "500", "1k", "2k", "200k", "10M", "depth first", "full search"] {
        assert!(svg.contains(&format!(">{text}<")), "{text} is missing in {svg}");
    }
    assert!(svg.contains("Transitions &amp; &lt;time&gt;"));
    assert!(svg.contains("gave up"));
}

#[test]
fn odd_data_makes_a_sound_plot() {
    let odd = [f64::NAN, f64::INFINITY, 0.0, -1.0, 1e300, 1e-300, 5.0];
    for mark in [Mark::Line, Mark::Points, Mark::Curve, Mark::Bars] {
        for scale in [Scale::Linear, Scale::Log] {
            for count in 0..odd.len() {
                let points: Vec<(f64, f64)> =
                    odd[..count].iter().flat_map(|&x| odd.iter().map(move |&y| (x, y))).collect();
                let axis = Axis { scale, ..Axis::linear("v") };
                let plot = Plot {
                    x: axis.clone(),
                    y: axis,
                    series: vec![
                        Series { gave_up: points.clone(), ..Series::line("a", points.clone()).drawn_as(mark) },
                        Series::line("b", points).drawn_as(mark),
                    ],
                    level: Some((f64::NAN, "n".into())),
                    ..Plot::default()
                };
                is_sound(&render(&plot));
            }
        }
    }
    is_sound(&render(&Plot::default()));
}

#[test]
fn a_legend_of_many_series_wraps_and_keeps_apart() {
    let mut plot = sample();
    plot.series = (0..9).map(|n| Series::line(format!("series with a long name {n}"), vec![(1.0, 1.0)])).collect();
    let drawing = Drawing::new(&plot);
    let width = |entry: &Entry| match entry {
        Entry::Series(index) => ENTRY + plot.series[*index].name.len() as f64 * LETTER,
        Entry::Level | Entry::GaveUp => 0.0,
    };
    for pair in drawing.legend.windows(2) {
        let ((first, x1, row1), (_, x2, row2)) = (&pair[0], &pair[1]);
        assert!(row2 > row1 || x1 + width(first) <= *x2);
    }
    for (entry, x, _) in &drawing.legend {
        assert!(x + width(entry) <= WIDTH, "an entry leaves the plot");
    }
    assert!(drawing.legend.iter().map(|entry| entry.2).max() > Some(1));
    is_sound(&render(&plot));
}

#[test]
fn a_file_of_its_own_carries_its_style_for_both_themes() {
    let column = standalone_column(&[sample(), sample()]);
    assert!(column.starts_with("<?xml"));
    assert!(column.contains("prefers-color-scheme: dark"));
    assert_eq!(column.matches("<style>").count(), 1);
    is_sound(&column.replace("0 2000", ""));
}
