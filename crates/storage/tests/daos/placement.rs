//! Balls into bins: how evenly placement loads targets and NICs.

use machine::storage::daos::ObjectClass;
use storage::daos::{Placement, PoolSize};

use crate::driver::{Driver, FILE, create, params, write};

/// Shards of an object per NIC; engine i of a node uses its NIC i.
fn fullest_nic(hosts: u32, object: u32) -> f64 {
    let pool = PoolSize { targets: 32 * hosts, domains: hosts, redundancy_factor: 0 };
    let class = ObjectClass::parse("SX").expect("a class");
    let shards = pool.layout(class).expect("fits").shards();
    let placement = Placement { domains: hosts, targets_per_domain: 32, seed: 5 };
    let mut nics = vec![0u32; 2 * hosts as usize];
    let mut nodes = vec![0u32; hosts as usize];
    for shard in 0..shards {
        let target = placement.target(object, shard).0;
        nics[target as usize / 16] += 1;
        nodes[target as usize / 32] += 1;
    }
    // Nodes are filled evenly.
    let most = nodes.iter().max().expect("a node");
    let least = nodes.iter().min().expect("a node");
    assert!(most - least <= 1, "{least} to {most} shards per node");
    let mean = f64::from(shards) / nics.len() as f64;
    f64::from(*nics.iter().max().expect("a NIC")) / mean - 1.0
}

/// Facts on DAOS, section 4: the fullest NIC has 4 to 9 % more than the mean.
#[test]
fn the_fullest_nic_has_4_to_9_percent_more_shards() {
    for hosts in [20, 128, 642] {
        for object in 0..5 {
            let excess = fullest_nic(hosts, object);
            assert!((0.04..0.09).contains(&excess), "{hosts} servers: {excess}");
        }
    }
}

/// Chunks of a file on 608 targets: a Poisson distribution of mean 16. The probability that any
/// target has more than 16 + 6 x 4 chunks is below 608 x 1e-6.
#[test]
fn chunks_are_spread_as_by_random_draws() {
    let mut driver = Driver::new(&params("SX"));
    driver.rpcs(0, &create(FILE));
    let chunks = 608 * 16;
    for first in (0..chunks).step_by(64) {
        driver.rpcs(0, &write(FILE, first << 20, 64 << 20));
    }
    let counts: Vec<u64> =
        driver.daos.loads().iter().map(|load| load.bytes_written >> 20).collect();
    assert_eq!(counts.iter().sum::<u64>(), chunks);
    let used: Vec<u64> = counts.into_iter().filter(|&n| n > 0).collect();
    // One of 608 targets is empty with probability 608 e^-16.
    assert_eq!(used.len(), 608);
    assert!(used.iter().all(|&n| n <= 40), "{:?}", used.iter().max());
    let variance = used.iter().map(|&n| (n as f64 - 16.0).powi(2)).sum::<f64>() / 608.0;
    // The variance of the sample variance of 608 Poisson draws is about 2 x 16^2 / 608.
    assert!((variance - 16.0).abs() < 5.0 * 0.92, "{variance}");
    let (nic, target) = driver.daos.imbalance().expect("bytes");
    assert!(nic > 1.04 && nic < target, "{nic}, {target}");
}

/// Files of one shard each: every target gets some.
#[test]
fn files_are_spread_over_all_targets() {
    let placement = Placement { domains: 20, targets_per_domain: 32, seed: 1 };
    let mut files = vec![0u32; 640];
    for object in 0..64_000 {
        files[placement.target(object, 0).0 as usize] += 1;
    }
    // 100 expected, standard deviation 10.
    assert!(files.iter().all(|&n| (40..160).contains(&n)), "{files:?}");
    let variance = files.iter().map(|&n| (f64::from(n) - 100.0).powi(2)).sum::<f64>() / 640.0;
    assert!((70.0..130.0).contains(&variance), "{variance}");
}
