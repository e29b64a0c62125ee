//! Numbers as people read them.

/// With commas: `251,409`.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Bytes with a unit, binary as the command line reads them: `64.0 MiB`.
pub(crate) fn bytes(number: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let (mut value, mut unit) = (number as f64, 0);
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{number} bytes") } else { format!("{value:.1} {}", UNITS[unit]) }
}

/// A duration: `0.012 s`, `3.45 s`, `4 min 12 s`, `2 h 05 min`.
pub(crate) fn duration(seconds: f64) -> String {
    let whole = seconds.max(0.0) as u64;
    match whole {
        0 => format!("{:.3} s", seconds.max(0.0)),
        1..60 => format!("{seconds:.2} s"),
        60..3600 => format!("{} min {:02} s", whole / 60, whole % 60),
        _ => format!("{} h {:02} min", whole / 3600, whole / 60 % 60),
    }
}

/// A budget of time, as it was given: `0.5 s`, `90 s`.
pub(crate) fn seconds(time: std::time::Duration) -> String {
    format!("{} s", time.as_secs_f64())
}

/// A probability: `0`, `12.5%`, `0.031%`, `3.2e-7`.
pub(crate) fn probability(value: f64) -> String {
    match value {
        v if v <= 0.0 => "0".into(),
        v if v >= 0.1 => format!("{:.1}%", v * 100.0),
        v if v >= 0.0001 => format!("{:.3}%", v * 100.0),
        v => format!("{v:.1e}"),
    }
}

/// `1 state`, `2 states`.
pub(crate) fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(number), if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1000), "1,000");
        assert_eq!(thousands(251_409), "251,409");
        assert_eq!(thousands(u64::MAX), "18,446,744,073,709,551,615");
        assert_eq!(bytes(168), "168 bytes");
        assert_eq!(bytes(64 << 20), "64.0 MiB");
        assert_eq!(duration(0.0123), "0.012 s");
        assert_eq!(duration(61.0), "1 min 01 s");
        assert_eq!(duration(7500.0), "2 h 05 min");
        assert_eq!(duration(f64::NAN), "0.000 s");
        assert_eq!(probability(0.25), "25.0%");
        assert_eq!(probability(3.21e-7), "3.2e-7");
        assert_eq!(counted(1, "error", "errors"), "1 error");
    }
}
