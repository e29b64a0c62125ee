//! Numbers as one writes them on a command line: `500`, `64k`, `2M`, `512M`, `4G`.
//!
//! Counts are decimal (1k = 1000 states), bytes are binary (1K = 1024 bytes), because that is what each is taken to
//! mean by those who write it. Letters may be small or capital.

/// A count of states or slots: `500`, `64k`, `2M`, `1G`; 1k is 1000.
pub(crate) fn count(text: &str) -> Result<u64, String> {
    scaled(text, 1000, "a count such as 500, 64k or 2M (1k = 1000)")
}

/// A count that is not zero.
pub(crate) fn positive_count(text: &str) -> Result<u64, String> {
    match count(text)? {
        0 => Err("must be at least 1".into()),
        n => Ok(n),
    }
}

/// A size in bytes: `4096`, `64K`, `512M`, `4G`; 1K is 1024. A `B` or `iB` may follow the letter.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    let upper = text.to_ascii_uppercase();
    let short = upper.strip_suffix("IB").or(upper.strip_suffix('B')).unwrap_or(&upper);
    match scaled(short, 1024, "a size such as 64K, 512M or 4G (1K = 1024 bytes)")? {
        0 => Err("must be at least 1 byte".into()),
        n => Ok(n),
    }
}

/// A number from 0 to 1.
pub(crate) fn fraction(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..=1.0).contains(&value) => Ok(value),
        _ => Err("expected a number from 0 to 1".into()),
    }
}

/// A time: `90`, `90s`, `10m`, `1h`, `1.5h`; more than none, at most a year.
pub(crate) fn time(text: &str) -> Result<std::time::Duration, String> {
    let (digits, unit) = match text.char_indices().last() {
        Some((at, 's')) => (&text[..at], 1.0),
        Some((at, 'm')) => (&text[..at], 60.0),
        Some((at, 'h')) => (&text[..at], 3600.0),
        _ => (text, 1.0),
    };
    let digits = digits.strip_suffix(' ').unwrap_or(digits);
    match digits.parse::<f64>() {
        Ok(value) if value > 0.0 && value * unit <= 366.0 * 86_400.0 => {
            Ok(std::time::Duration::from_secs_f64(value * unit))
        }
        _ => Err("expected a time such as 90s, 10m or 1h".into()),
    }
}

fn scaled(text: &str, unit: u64, expected: &str) -> Result<u64, String> {
    let wrong = || format!("expected {expected}");
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let power = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => return Err(wrong()),
    };
    let factor = unit.pow(power);
    let too_large = || "the number is too large".to_string();
    // `1.5M` is a common way to write a size; a fraction of a unit is rounded down.
    match digits.split_once('.') {
        None if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
            digits.parse::<u64>().ok().and_then(|n| n.checked_mul(factor)).ok_or_else(too_large)
        }
        Some((_, part)) if power > 0 && !part.is_empty() => {
            let value = digits.parse::<f64>().map_err(|_| wrong())? * factor as f64;
            if !digits.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
                Err(wrong())
            } else if value < 9e18 {
                Ok(value as u64)
            } else {
                Err(too_large())
            }
        }
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_decimal() {
        assert_eq!(count("500"), Ok(500));
        assert_eq!(count("64k"), Ok(64_000));
        assert_eq!(count("2M"), Ok(2_000_000));
        assert_eq!(count("1.5M"), Ok(1_500_000));
        assert_eq!(count("0"), Ok(0));
        assert!(positive_count("0").is_err());
    }

    #[test]
    fn bytes_are_binary() {
        assert_eq!(bytes("4096"), Ok(4096));
        assert_eq!(bytes("64k"), Ok(64 << 10));
        assert_eq!(bytes("512M"), Ok(512 << 20));
        assert_eq!(bytes("4G"), Ok(4 << 30));
        assert_eq!(bytes("4GiB"), Ok(4 << 30));
        assert_eq!(bytes("4GB"), Ok(4 << 30));
        assert!(bytes("0").is_err());
    }

    #[test]
    fn nonsense_is_refused() {
        for text in
            ["", "k", "-5", "5x", "1.5", "1e9", "5 k", "0x10", "99999999999999999999", "9999999999T", ".k", "1.k"]
        {
            assert!(count(text).is_err(), "{text}");
        }
        assert!(count("1.2.3k").is_err());
        assert!(count("ü").is_err());
        assert!(bytes("ß").is_err());
    }

    #[test]
    fn times_have_units() {
        let seconds = |text| time(text).map(|time| time.as_secs_f64());
        assert_eq!(seconds("90"), Ok(90.0));
        assert_eq!(seconds("90s"), Ok(90.0));
        assert_eq!(seconds("1.5h"), Ok(5400.0));
        for text in ["", "0", "-1s", "s", "5d", "NaN", "inf", "1e300", "5µ"] {
            assert!(time(text).is_err(), "{text}");
        }
    }

    #[test]
    fn fractions_stay_between_0_and_1() {
        assert_eq!(fraction("0.1"), Ok(0.1));
        assert!(fraction("1.1").is_err());
        assert!(fraction("NaN").is_err());
        assert!(fraction("-0.1").is_err());
    }
}
