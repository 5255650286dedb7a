//! Other simulators on the same work, interleaved in one run.
//!
//! CAMINOS: `cargo install caminos --locked`, configuration `peers/caminos.cfg`. If it is not
//! installed, the comparison is skipped with a message.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::Benchmark;
use base::Span;

const CAMINOS: &str = include_str!("../peers/caminos.cfg");
/// Simulated cycles of that configuration, its terminals, and flits per packet.
const CYCLES: f64 = 4_000.0;
const TERMINALS: f64 = 1_056.0;
const FLITS: f64 = 8.0;

/// Packets per second and core, of the peer and of odonata, and switches per packet of each.
struct Pair {
    theirs: [f64; 2],
    ours: [f64; 2],
}

/// The number after `key:` in a result of CAMINOS.
fn number(result: &str, key: &str) -> f64 {
    let found = result.split(&format!("{key}:")).nth(1).and_then(|rest| {
        rest.split(|c: char| c == ',' || c.is_whitespace()).find(|word| !word.is_empty())
    });
    found.and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("no `{key}` in its result"))
}

fn caminos(folder: &Path) -> io::Result<[f64; 2]> {
    let (config, result) = (folder.join("work.cfg"), folder.join("work.result"));
    fs::write(&config, CAMINOS)?;
    let mut run = Command::new("caminos");
    run.arg(&config).arg(format!("--results={}", result.display()));
    let status = run.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    assert!(status.success(), "caminos ended with {status}");
    let text = fs::read_to_string(&result)?;
    let packets = number(&text, "accepted_load") * TERMINALS * CYCLES / FLITS;
    // CAMINOS counts links between switches.
    Ok([packets / number(&text, "user_time"), number(&text, "average_packet_hops") + 1.0])
}

fn ours() -> [f64; 2] {
    let benchmark = Benchmark {
        machine: "dragonfly-1056",
        routing: "minimal",
        pattern: "uniform",
        packet_bytes: 64,
        load: 0.3,
        warmup: Span::us(2),
        window: Span::us(20),
    };
    let (packet_s, hops) = benchmark.measure().a_packet();
    [1.0 / packet_s, hops]
}

/// Runs the comparison and prints the best of three of each.
pub fn compare() {
    let folder = std::env::temp_dir().join(format!("odonata-peers-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for a peer's files");
    let mut best: Option<Pair> = None;
    for _ in 0..3 {
        let theirs = match caminos(&folder) {
            Ok(theirs) => theirs,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                println!("CAMINOS is not installed: cargo install caminos --locked");
                break;
            }
            Err(error) => panic!("caminos: {error}"),
        };
        let now = Pair { theirs, ours: ours() };
        let better = |a: [f64; 2], b: [f64; 2]| if a[0] > b[0] { a } else { b };
        best = Some(match best {
            None => now,
            Some(b) => {
                Pair { theirs: better(b.theirs, now.theirs), ours: better(b.ours, now.ours) }
            }
        });
    }
    fs::remove_dir_all(&folder).expect("our own folder");
    let Some(Pair { theirs, ours }) = best else { return };
    println!(
        "1,056 terminals, 64 B packets, uniform load 0.3, minimal; packets per second and core"
    );
    println!("  CAMINOS  {:>10.0}  {:.2} switches per packet", theirs[0], theirs[1]);
    println!("  odonata  {:>10.0}  {:.2} switches per packet", ours[0], ours[1]);
    println!("  {:.0} times as fast", ours[0] / theirs[0]);
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_are_parsed() {
        let text =
            "Result\n{\n\tcycle:\n\t4000,\n\taccepted_load:\n\t0.3007,\n\tuser_time:\n\t3.34,\n}";
        assert_eq!(super::number(text, "accepted_load"), 0.3007);
        assert_eq!(super::number(text, "user_time"), 3.34);
    }
}
