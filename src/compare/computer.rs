//! The computer that the times were measured on: processor, cores, memory, system. No name of the host.

use crate::report::number::bytes;

/// In words: `Linux x86_64, 2 cores (…), 23.5 GiB of memory`.
pub(crate) fn describe() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let cores = if cores == 1 { "1 core".to_string() } else { format!("{cores} cores") };
    let mut parts = vec![format!("{} {}", system(), std::env::consts::ARCH)];
    parts.push(match processor() {
        Some(name) => format!("{cores} ({name})"),
        None => cores,
    });
    if let Some(memory) = memory() {
        parts.push(format!("{} of memory", bytes(memory)));
    }
    if cfg!(debug_assertions) {
        parts.push("pv built without optimisation".into());
    }
    parts.join(", ")
}

fn system() -> &'static str {
    match std::env::consts::OS {
        "linux" => "Linux",
        "macos" => "macOS",
        "windows" => "Windows",
        other => other,
    }
}

/// The value behind `name :` in a file of /proc.
fn proc_value(file: &str, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_string())
}

fn processor() -> Option<String> {
    let name = proc_value("/proc/cpuinfo", "model name")?;
    // Some virtual machines have none to tell.
    (!name.is_empty() && name != "unknown").then(|| name.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn memory() -> Option<u64> {
    let text = proc_value("/proc/meminfo", "MemTotal")?;
    text.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    #[test]
    fn says_something() {
        assert!(super::describe().contains("core"));
    }
}
