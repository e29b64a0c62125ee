//! The file that says where the processes are: one `host:port` on each line, process 0 first. Empty lines and what follows a `#` do
//! not count. Port 0 lets the system choose, which works for every process but the first: each tells its port to process 0, and
//! process 0 tells the others.

use std::net::{SocketAddr, ToSocketAddrs};

/// More processes are not connected with each other: each has two threads for each of the others.
pub const MOST: usize = 1024;
/// A longer file is none of hosts.
pub const LONGEST: u64 = 1 << 18;

/// Reads the text of a file of hosts; `Err` says what is wrong with it.
pub fn read(text: &str) -> Result<Vec<String>, String> {
    let mut hosts = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let port = line.rsplit_once(':').filter(|(host, _)| !host.is_empty()).map(|(_, port)| port.parse::<u16>());
        if !matches!(port, Some(Ok(_))) {
            return Err(format!("line {}: expected host:port, and this is `{line}`", number + 1));
        }
        if !matches!(port, Some(Ok(0))) && hosts.iter().any(|host| host == line) {
            return Err(format!(
                "line {}: {line} stands there twice, and two processes cannot listen there",
                number + 1
            ));
        }
        hosts.push(line.to_string());
    }
    match hosts.len() {
        0 => Err("there is no host in it".to_string()),
        count if count > MOST => Err(format!("{count} processes are more than {MOST}")),
        _ => Ok(hosts),
    }
}

/// Puts the other workers of the machines behind the machines: the second of each, then the third of each. The system chooses their ports.
pub fn with_workers(hosts: &mut Vec<String>, workers: usize) -> Result<(), String> {
    let machines = hosts.len();
    if machines * workers > MOST {
        return Err(format!("{workers} workers on each of {machines} machines are more than {MOST} processes"));
    }
    for worker in machines..machines * workers {
        let (host, _) = hosts[worker % machines].rsplit_once(':').unwrap_or_default();
        hosts.push(format!("{host}:0"));
    }
    Ok(())
}

/// The address of a host; `Err` says why there is none.
pub fn resolve(host: &str) -> Result<SocketAddr, String> {
    let mut found = host.to_socket_addrs().map_err(|error| format!("{host}: {error}"))?;
    found.next().ok_or_else(|| format!("{host} has no address"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_lines_without_comments() {
        let text = "# three machines\n10.0.0.1:7000\n\n  ten.example:7001 # the large one\n[::1]:0\n";
        assert_eq!(read(text).unwrap(), ["10.0.0.1:7000", "ten.example:7001", "[::1]:0"]);
    }

    #[test]
    fn workers_stand_behind_the_machines() {
        let mut hosts = vec!["a:1".to_string(), "[::1]:2".to_string()];
        with_workers(&mut hosts, 1).unwrap();
        assert_eq!(hosts.len(), 2);
        with_workers(&mut hosts, 3).unwrap();
        assert_eq!(hosts, ["a:1", "[::1]:2", "a:0", "[::1]:0", "a:0", "[::1]:0"]);
        assert!(with_workers(&mut hosts, 512).unwrap_err().contains("more than 1024"));
    }

    #[test]
    fn what_is_no_host_is_refused_with_its_line() {
        for (text, expected) in [
            ("", "no host"),
            ("a:1\nb\n", "line 2"),
            ("a:70000\n", "line 1"),
            (":7000\n", "line 1"),
            ("a:x\n", "expected host:port"),
            ("a:1\nb:1\na:1\n", "line 3: a:1 stands there twice"),
        ] {
            let why = read(text).unwrap_err();
            assert!(why.contains(expected), "{text}: {why}");
        }
        let many: String = (0..=MOST).map(|n| format!("h:{}\n", n + 1)).collect();
        assert!(read(&many).unwrap_err().contains("more than 1024"));
    }
}
