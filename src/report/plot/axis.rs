//! Axes: from data to a range, to ticks at round numbers, to their labels.

/// How values are laid out along an axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Scale {
    /// Equal steps.
    #[default]
    Linear,
    /// Equal factors; values that are not positive have no place on it.
    Log,
}

/// What the numbers of an axis are, which decides how its ticks are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Unit {
    /// A count or ratio: `0.5`, `250k`, `1.2M`.
    #[default]
    Number,
    /// A part of a whole: `25%`.
    Percent,
    /// Seconds: `2 ms`, `0.5 s`, `3 min`.
    Seconds,
    /// Bytes, binary: `64 KiB`, `1.5 MiB`.
    Bytes,
}

/// One axis of a plot.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Axis {
    /// What it shows, with the unit: `cache size (states)`.
    pub label: String,
    /// Layout.
    pub scale: Scale,
    /// How ticks are written.
    pub unit: Unit,
    /// The range starts at zero (linear axes).
    pub starting_at_zero: bool,
    /// Values that the range must cover even if no point is there.
    pub cover: Vec<f64>,
}

impl Axis {
    /// A linear axis of plain numbers.
    pub(crate) fn linear(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), ..Axis::default() }
    }

    /// A logarithmic axis of plain numbers.
    pub(crate) fn log(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), scale: Scale::Log, ..Axis::default() }
    }

    /// The same with another unit.
    pub(crate) fn in_unit(self, unit: Unit) -> Axis {
        Axis { unit, ..self }
    }

    /// The same, from zero on.
    pub(crate) fn starting_at_zero(self) -> Axis {
        Axis { starting_at_zero: true, ..self }
    }

    /// The same, covering these values too.
    pub(crate) fn covering(self, values: &[f64]) -> Axis {
        Axis { cover: values.to_vec(), ..self }
    }

    /// Has this value a place on the axis?
    pub(crate) fn admits(&self, value: f64) -> bool {
        value.is_finite() && (self.scale == Scale::Linear || value > 0.0)
    }

    /// The range and ticks for these values.
    pub(crate) fn fit(&self, values: impl Iterator<Item = f64>) -> Fitted {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.chain(self.cover.iter().copied()).filter(|&value| self.admits(value)) {
            (low, high) = (low.min(value), high.max(value));
        }
        if low > high {
            (low, high) = if self.scale == Scale::Log { (1.0, 10.0) } else { (0.0, 1.0) };
        }
        let (low, high, ticks) = match self.scale {
            Scale::Linear => linear(low, high, self.starting_at_zero, self.unit),
            Scale::Log if self.unit == Unit::Bytes => binary(low, high),
            Scale::Log => logarithmic(low, high),
        };
        Fitted { scale: self.scale, unit: self.unit, low, high, ticks }
    }
}

/// An axis that knows its range.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Fitted {
    scale: Scale,
    unit: Unit,
    /// First value.
    pub low: f64,
    /// Last value, greater than the first.
    pub high: f64,
    /// Where ticks stand, ascending.
    pub ticks: Vec<f64>,
}

impl Fitted {
    /// Where a value lies, 0 at the low end and 1 at the high end; values beyond stay at the ends.
    pub(crate) fn place(&self, value: f64) -> f64 {
        let (value, low, high) = match self.scale {
            Scale::Linear => (value, self.low, self.high),
            Scale::Log => (value.max(f64::MIN_POSITIVE).ln(), self.low.ln(), self.high.ln()),
        };
        let place = (value - low) / (high - low);
        if place.is_finite() { place.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// The text at a tick.
    pub(crate) fn label(&self, tick: f64) -> String {
        format_value(tick, self.unit)
    }
}

/// Ticks on a linear axis are wanted about this often.
const LINEAR_TICKS: f64 = 5.0;

fn linear(low: f64, high: f64, starting_at_zero: bool, unit: Unit) -> (f64, f64, Vec<f64>) {
    let low = if starting_at_zero { low.min(0.0) } else { low };
    // A single value still needs an axis around it.
    let (low, high) = if high - low > f64::EPSILON * high.abs().max(1.0) {
        (low, high)
    } else if starting_at_zero && high > 0.0 {
        (0.0, high)
    } else {
        (low - low.abs().max(1.0) * 0.5, high + high.abs().max(1.0) * 0.5)
    };
    let step = round_step((high - low) / LINEAR_TICKS, if unit == Unit::Bytes { 2.0 } else { 10.0 });
    let first = (low / step).floor();
    let last = (high / step).ceil();
    let count = (last - first).clamp(1.0, 50.0) as u32;
    let ticks: Vec<f64> = (0..=count).map(|index| (first + f64::from(index)) * step).collect();
    (first * step, ticks.last().copied().unwrap_or(high), ticks)
}

/// The nearest step of 1, 2 or 5 times a power of ten (or a power of two) that is not smaller.
fn round_step(raw: f64, base: f64) -> f64 {
    let raw = raw.max(f64::MIN_POSITIVE * 1e10);
    let power = base.powf(raw.log(base).floor());
    if base == 2.0 {
        return if power >= raw * 0.999 { power } else { power * 2.0 };
    }
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * power).find(|&step| step >= raw * 0.999).unwrap_or(power)
}

fn logarithmic(low: f64, high: f64) -> (f64, f64, Vec<f64>) {
    let decades = (high / low).log10();
    let floor = |value: f64, factors: &[f64]| {
        let power = 10f64.powf((value * 1.000_001).log10().floor());
        factors.iter().rev().map(|f| f * power).find(|&v| v <= value * 1.000_001).unwrap_or(power)
    };
    let ceil = |value: f64, factors: &[f64]| {
        let power = 10f64.powf((value * 0.999_999).log10().floor());
        factors.iter().map(|f| f * power).find(|&v| v >= value * 0.999_999).unwrap_or(power * 10.0)
    };
    // Few decades are divided further, many are thinned out.
    let factors: &[f64] = if decades <= 0.7 {
        &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0]
    } else if decades <= 2.5 {
        &[1.0, 2.0, 5.0]
    } else {
        &[1.0]
    };
    let (mut from, mut to) = (floor(low, factors), ceil(high, factors));
    if to / from < 1.2 {
        (from, to) = (floor(from * 0.99, factors), ceil(to * 1.01, factors));
    }
    let (first, last) = ((from * 1.000_001).log10().floor() as i32, (to * 0.999_999).log10().ceil() as i32);
    let every = ((last - first) as u32).div_ceil(8).max(1) as usize;
    let mut ticks = Vec::new();
    for exponent in (first..=last).step_by(every) {
        for factor in factors {
            let tick = factor * 10f64.powi(exponent);
            if tick >= from * 0.999_999 && tick <= to * 1.000_001 {
                ticks.push(tick);
            }
        }
    }
    (from, to, ticks)
}

/// Powers of two, for bytes.
fn binary(low: f64, high: f64) -> (f64, f64, Vec<f64>) {
    let first = (low * 1.000_001).log2().floor() as i32;
    let last = ((high * 0.999_999).log2().ceil() as i32).max(first + 1);
    let every = ((last - first) as u32).div_ceil(7).max(1) as usize;
    let ticks = (first..=last).step_by(every).map(|power| 2f64.powi(power)).collect();
    (2f64.powi(first), 2f64.powi(last), ticks)
}

/// A value as it is written at a tick or in a sentence, with the unit where it is one.
pub(crate) fn format_value(value: f64, unit: Unit) -> String {
    if !value.is_finite() {
        return "–".into();
    }
    match unit {
        Unit::Number => short(value),
        Unit::Percent => format!("{}%", plain(value * 100.0)),
        Unit::Seconds => match value.abs() {
            0.0 => "0 s".into(),
            v if v < 0.001 => format!("{} µs", plain(value * 1e6)),
            v if v < 1.0 => format!("{} ms", plain(value * 1e3)),
            v if v < 600.0 => format!("{} s", plain(value)),
            v if v < 7200.0 => format!("{} min", plain(value / 60.0)),
            _ => format!("{} h", plain(value / 3600.0)),
        },
        Unit::Bytes => {
            let units = ["B", "KiB", "MiB", "GiB", "TiB"];
            let (mut value, mut unit) = (value, 0);
            while value.abs() >= 1024.0 && unit + 1 < units.len() {
                value /= 1024.0;
                unit += 1;
            }
            format!("{} {}", plain(value), units[unit])
        }
    }
}

/// `250k`, `1.2M`, `0.05`, `1e-5`.
fn short(value: f64) -> String {
    match value.abs() {
        v if v >= 1e15 => format!("{value:.0e}"),
        v if v >= 1e9 => format!("{}G", plain(value / 1e9)),
        v if v >= 1e6 => format!("{}M", plain(value / 1e6)),
        v if v >= 1e3 => format!("{}k", plain(value / 1e3)),
        v if v < 1e-4 && v > 0.0 => format!("{value:.0e}"),
        _ => plain(value),
    }
}

/// At most four significant digits, without zeros at the end.
fn plain(value: f64) -> String {
    let digits = match value.abs() {
        v if v == 0.0 || v >= 1000.0 => 0,
        v if v >= 100.0 => 1,
        v if v >= 10.0 => 2,
        v if v >= 1.0 => 3,
        v if v >= 0.1 => 4,
        v if v >= 0.01 => 5,
        _ => 7,
    };
    let text = format!("{value:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(axis: Axis, values: &[f64]) -> Vec<String> {
        let fitted = axis.fit(values.iter().copied());
        fitted.ticks.iter().map(|&tick| fitted.label(tick)).collect()
    }

    #[test]
    fn linear_ticks_are_round() {
        assert_eq!(ticks(Axis::linear("x"), &[0.0, 1.0]), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(ticks(Axis::linear("x").starting_at_zero(), &[90_000.0, 251_409.0]), ["0", "100k", "200k", "300k"]);
        assert_eq!(
            ticks(Axis::linear("x").in_unit(Unit::Percent).starting_at_zero(), &[1.0]),
            ["0%", "20%", "40%", "60%", "80%", "100%"]
        );
        assert_eq!(ticks(Axis::linear("x").starting_at_zero(), &[3.0, 7.0]), ["0", "2", "4", "6", "8"]);
    }

    #[test]
    fn logarithmic_ticks_are_round_and_cover_the_data() {
        assert_eq!(ticks(Axis::log("x"), &[3.0, 8000.0]), ["1", "10", "100", "1k", "10k"]);
        assert_eq!(ticks(Axis::log("x"), &[500.0, 9_000.0]), ["500", "1k", "2k", "5k", "10k"]);
        assert_eq!(ticks(Axis::log("x"), &[1e-9, 1.0]).len(), 5);
        let bytes = Axis::log("x").in_unit(Unit::Bytes);
        assert_eq!(ticks(bytes, &[3000.0, 20_000.0]), ["2 KiB", "4 KiB", "8 KiB", "16 KiB", "32 KiB"]);
        let one = Axis::log("x").fit([5.0].into_iter());
        assert!(one.low < one.high && one.ticks.len() >= 2, "{one:?}");
    }

    #[test]
    fn no_range_is_empty_and_no_place_is_outside() {
        for axis in [
            Axis::linear("x"),
            Axis::log("x"),
            Axis::log("x").in_unit(Unit::Bytes),
            Axis::linear("x").starting_at_zero().in_unit(Unit::Bytes),
        ] {
            for values in [&[][..], &[0.0], &[-3.0], &[7.0, 7.0], &[f64::NAN, f64::INFINITY], &[1e-300, 1e300]] {
                let fitted = axis.fit(values.iter().copied());
                assert!(fitted.low < fitted.high, "{axis:?} {values:?} {fitted:?}");
                assert!(fitted.ticks.iter().all(|tick| tick.is_finite()));
                for value in [-1.0, 0.0, 7.0, 1e300, f64::NAN] {
                    assert!((0.0..=1.0).contains(&fitted.place(value)), "{value}");
                }
            }
        }
    }

    #[test]
    fn values_carry_their_unit() {
        assert_eq!(format_value(0.0125, Unit::Seconds), "12.5 ms");
        assert_eq!(format_value(90.0, Unit::Seconds), "90 s");
        assert_eq!(format_value(1536.0, Unit::Bytes), "1.5 KiB");
        assert_eq!(format_value(0.125, Unit::Percent), "12.5%");
        assert_eq!(format_value(1_234_567.0, Unit::Number), "1.235M");
        assert_eq!(format_value(f64::NAN, Unit::Number), "–");
        assert_eq!(format_value(1e-5, Unit::Number), "1e-5");
    }
}
