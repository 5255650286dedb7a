//! Tables of a timeline for the report: states of groups of ranks and loads of links over time.
//!
//! Their size is bounded for any run: at most `ROWS` groups of ranks, `BINS` intervals and `LINKS`
//! links; single calls only of runs with at most `SLICES`.

use super::reader::{Names, Record, TimelineFile, kind};
use base::Time;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

const BINS: usize = 512;
const ROWS: usize = 256;
const LINKS: usize = 40;
const SLICES: usize = 30_000;
/// Shares and loads below it are not in the tables.
const LEAST: f64 = 1e-4;
const PS_PER_S: f64 = 1e12;
/// No position.
const NONE: u32 = u32::MAX;

/// Columns of each table; a table without rows has none.
#[derive(Debug, Default, Serialize)]
pub struct TimelineTables {
    /// Time of the run.
    time_s: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeline: Option<StateTable>,
    #[serde(skip_serializing_if = "Option::is_none")]
    slices: Option<SliceTable>,
    #[serde(skip_serializing_if = "Option::is_none")]
    link_load: Option<LoadTable>,
}

/// Shares of the time of a group of ranks in an interval.
#[derive(Debug, Default, Serialize)]
struct StateTable {
    row: Vec<usize>,
    bin: Vec<usize>,
    compute: Vec<f64>,
    waiting: Vec<f64>,
    transfer: Vec<f64>,
    first_rank: Vec<u32>,
    node: Vec<String>,
}

/// Single calls, or operations by their own names.
#[derive(Debug, Default, Serialize)]
struct SliceTable {
    rank: Vec<u32>,
    name: Vec<String>,
    begin_s: Vec<f64>,
    ready_s: Vec<f64>,
    end_s: Vec<f64>,
    row: Vec<usize>,
    bytes: Vec<u64>,
}

/// Loads of the busiest links, and the mean of each kind of link as link `mean`.
#[derive(Debug, Default, Serialize)]
struct LoadTable {
    link: Vec<String>,
    kind: Vec<String>,
    bin: Vec<usize>,
    load: Vec<f64>,
}

/// The tables of a timeline. `go_on` is called from time to time, and ends the work if it is false.
pub fn tables(source: &Path, go_on: &mut dyn FnMut() -> bool) -> io::Result<TimelineTables> {
    let mut file = TimelineFile::open(source)?;
    let time_s = file.names.time_s;
    let Some(axis) = Axis::of(&file.names) else {
        return Ok(TimelineTables { time_s, ..TimelineTables::default() });
    };
    let mut states = States::new(&file.names, axis);
    let mut links = Links::new(&file.names, axis);
    file.records(go_on, |names, record| {
        match record.kind {
            kind::LINK => links.add(names, record),
            kind::OPERATION | kind::CALL | kind::COMPUTE => states.add(names, record),
            _ => {}
        }
        Ok(())
    })?;
    // The busiest links are known after the first pass, so memory does not depend on their number.
    let mut busiest = Busiest::new(&file.names, &links, axis);
    file.records(go_on, |names, record| {
        if record.kind == kind::LINK {
            busiest.add(names, record);
        }
        Ok(())
    })?;
    Ok(TimelineTables {
        time_s,
        timeline: Some(states.table(&file.names)).filter(|table| !table.row.is_empty()),
        slices: states.slices.filter(|table| !table.rank.is_empty()),
        link_load: Some(links.table(&file.names, &busiest)).filter(|t| !t.link.is_empty()),
    })
}

/// Intervals of equal length.
#[derive(Clone, Copy)]
struct Axis {
    origin: f64,
    width: f64,
}

impl Axis {
    /// `None` without time.
    fn of(names: &Names) -> Option<Axis> {
        let (first, last) = names.window_s.unwrap_or((0.0, names.time_s));
        let ps = |at: f64| (at * PS_PER_S).round_ties_even();
        let (origin, end) = (ps(first), ps(last.min(names.time_s)));
        (end > origin).then(|| Axis { origin, width: ((end - origin) / BINS as f64).max(1.0) })
    }

    /// The place of a time, in intervals.
    fn place(&self, time: u64) -> f64 {
        ((time as f64 - self.origin) / self.width).clamp(0.0, BINS as f64)
    }
}

/// Time per row and interval of slices with a begin and an end.
struct Histogram {
    axis: Axis,
    /// By row and interval: of slices that begin or end in it.
    partial: Vec<f64>,
    /// By row and interval: changes of the number of slices that cover all of it.
    whole: Vec<f64>,
}

const WIDTH: usize = BINS + 2;

impl Histogram {
    fn new(rows: usize, axis: Axis) -> Histogram {
        Histogram { axis, partial: vec![0.0; rows * WIDTH], whole: vec![0.0; rows * WIDTH] }
    }

    /// Adds `weight` times the time in each interval.
    fn add(&mut self, row: usize, begin: u64, end: u64, weight: f64) {
        let (low, high) = (self.axis.place(begin), self.axis.place(end));
        let (first, last) = (low as usize, high as usize);
        let at = row * WIDTH;
        if first == last {
            self.partial[at + first] += (high - low) * weight;
            return;
        }
        self.partial[at + first] += ((first + 1) as f64 - low) * weight;
        self.partial[at + last] += (high - last as f64) * weight;
        self.whole[at + first + 1] += weight;
        self.whole[at + last] -= weight;
    }

    /// The part of each interval of a row that is covered.
    fn shares(&self, row: usize) -> impl Iterator<Item = f64> {
        let at = row * WIDTH;
        let mut covered = 0.0;
        (at..at + BINS).map(move |at| {
            covered += self.whole[at];
            self.partial[at] + covered
        })
    }
}

/// To four digits, which is more than a pixel.
fn rounded(share: f64) -> f64 {
    (share * 1e4).round_ties_even() / 1e4
}

/// What ranks do, and single calls while there are few.
struct States {
    /// Whether the run has calls; else their place is taken by operations, each in the part of its
    /// time in which its rank neither computes nor is in one that ended earlier.
    has_calls: bool,
    /// By rank.
    row_of: Vec<usize>,
    /// By row.
    sizes: Vec<u32>,
    first_rank: Vec<u32>,
    /// By rank: when its last operation or computation ended.
    until: Vec<u64>,
    compute: Histogram,
    waiting: Histogram,
    transfer: Histogram,
    slices: Option<SliceTable>,
    /// Members of communicators but the world.
    members: BTreeMap<u32, u64>,
    /// Whether an operation takes a block per rank.
    has_blocks: Vec<bool>,
}

impl States {
    fn new(names: &Names, axis: Axis) -> States {
        let n = names.ranks as usize;
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|&rank| names.node_of_rank[rank]);
        let rows = n.min(ROWS);
        let (mut row_of, mut sizes) = (vec![0; n], vec![0; rows]);
        let mut first_rank = vec![0; rows];
        for (place, &rank) in order.iter().enumerate() {
            let row = place * rows / n;
            row_of[rank] = row;
            if sizes[row] == 0 {
                first_rank[row] = rank as u32;
            }
            sizes[row] += 1;
        }
        let histogram = || Histogram::new(rows, axis);
        let blocks = |name: &String| {
            matches!(name.as_str(), "alltoall" | "scatter" | "reduce_scatter_block")
        };
        States {
            has_calls: names.counts.calls > 0,
            row_of,
            sizes,
            first_rank,
            until: vec![0; n],
            compute: histogram(),
            waiting: histogram(),
            transfer: histogram(),
            slices: Some(SliceTable::default()),
            members: names.communicators.iter().map(|(c, m)| (*c, m.len() as u64)).collect(),
            has_blocks: names.operations.iter().map(blocks).collect(),
        }
    }

    fn add(&mut self, names: &Names, record: &Record) {
        let rank = record.rank as usize;
        let row = self.row_of[rank];
        if record.kind == kind::COMPUTE {
            self.until[rank] = self.until[rank].max(record.end);
            self.compute.add(row, record.begin, record.end, 1.0);
            self.keep(record, "compute");
            return;
        }
        if (record.kind == kind::CALL) != self.has_calls {
            return;
        }
        let mut shown = *record;
        if !self.has_calls {
            shown.begin = record.begin.max(self.until[rank]).min(record.end);
            self.until[rank] = self.until[rank].max(record.end);
            if self.has_blocks[usize::from(record.op)] {
                let world = u64::from(names.ranks);
                shown.bytes *= self.members.get(&record.context).copied().unwrap_or(world);
            }
        }
        shown.ready = record.ready.clamp(shown.begin, shown.end);
        self.waiting.add(row, shown.begin, shown.ready, 1.0);
        self.transfer.add(row, shown.ready, shown.end, 1.0);
        if shown.end > shown.begin {
            let op = usize::from(record.op);
            let name = if self.has_calls { &names.functions[op] } else { &names.operations[op] };
            self.keep(&shown, name);
        }
    }

    /// Adds a single call; there are none if there are too many.
    fn keep(&mut self, record: &Record, name: &str) {
        let Some(table) = &mut self.slices else { return };
        if table.rank.len() == SLICES {
            self.slices = None;
            return;
        }
        let seconds = |ps: u64| Time(ps).seconds();
        table.rank.push(record.rank);
        table.name.push(name.to_string());
        table.begin_s.push(seconds(record.begin));
        table.ready_s.push(seconds(record.ready));
        table.end_s.push(seconds(record.end));
        table.row.push(self.row_of[record.rank as usize]);
        table.bytes.push(record.bytes);
    }

    /// A row per group of ranks and interval in which any state has a share.
    fn table(&self, names: &Names) -> StateTable {
        let mut found = StateTable::default();
        for (row, &size) in self.sizes.iter().enumerate() {
            let share = |sum: f64| sum / f64::from(size);
            let states = self.compute.shares(row).zip(self.waiting.shares(row));
            let states = states.zip(self.transfer.shares(row)).enumerate();
            for (bin, ((compute, waiting), transfer)) in states {
                let shares = [share(compute), share(waiting), share(transfer)];
                if shares.iter().sum::<f64>() <= LEAST {
                    continue;
                }
                let first = self.first_rank[row];
                found.row.push(row);
                found.bin.push(bin);
                let [compute, waiting, transfer] = shares.map(|share| rounded(share.min(1.0)));
                found.compute.push(compute);
                found.waiting.push(waiting);
                found.transfer.push(transfer);
                found.first_rank.push(first);
                let node = names.node_of_rank[first as usize] as usize;
                found.node.push(names.nodes[node].clone());
            }
        }
        found
    }
}

/// Loads of links over time: the mean of each kind.
struct Links {
    /// By number of a link: its position among the names, `NONE` if it has none.
    place: Vec<u32>,
    kinds: Vec<String>,
    /// By link.
    kind_of: Vec<usize>,
    /// By link: time that its bytes take.
    total: Vec<f64>,
    of_kinds: Histogram,
}

impl Links {
    fn new(names: &Names, axis: Axis) -> Links {
        let mut kinds: Vec<String> = names.links.iter().map(|link| link.kind.clone()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let kind_of = |kind: &String| kinds.partition_point(|other| other < kind);
        let mut place = vec![NONE; names.link_numbers()];
        for (at, link) in (0..).zip(&names.links) {
            place[link.link as usize] = at;
        }
        Links {
            place,
            kind_of: names.links.iter().map(|link| kind_of(&link.kind)).collect(),
            total: vec![0.0; names.links.len()],
            of_kinds: Histogram::new(kinds.len(), axis),
            kinds,
        }
    }

    fn add(&mut self, names: &Names, record: &Record) {
        let at = self.place.get(record.rank as usize).copied().unwrap_or(NONE);
        if at == NONE {
            return;
        }
        let at = at as usize;
        let capacity = names.links[at].bytes_per_s;
        let load = load(record, capacity);
        self.of_kinds.add(self.kind_of[at], record.begin, record.end, load);
        self.total[at] += record.bytes as f64 / capacity;
    }

    fn table(&self, names: &Names, busiest: &Busiest) -> LoadTable {
        let mut found = LoadTable::default();
        for (at, kind) in self.kinds.iter().enumerate() {
            let n = self.kind_of.iter().filter(|&&of| of == at).count() as f64;
            found.add("mean", kind, self.of_kinds.shares(at).map(|load| load / n));
        }
        for (row, &at) in busiest.links.iter().enumerate() {
            let link = &names.links[at];
            let name = format!("{} -> {}", link.from, link.to);
            found.add(&name, &link.kind, busiest.loads.shares(row));
        }
        found
    }
}

/// The links with the highest loads in all.
struct Busiest {
    /// By number of a link: its row, `NONE` if it is not one of the busiest.
    row_of: Vec<u32>,
    /// By row: position of the link.
    links: Vec<usize>,
    loads: Histogram,
}

impl Busiest {
    fn new(names: &Names, of: &Links, axis: Axis) -> Busiest {
        let mut links: Vec<usize> = (0..of.total.len()).collect();
        links.sort_by(|&a, &b| of.total[b].total_cmp(&of.total[a]));
        links.truncate(LINKS);
        let mut row_of = vec![NONE; of.place.len()];
        for (row, &at) in (0..).zip(&links) {
            row_of[names.links[at].link as usize] = row;
        }
        let loads = Histogram::new(links.len(), axis);
        Busiest { row_of, links, loads }
    }

    fn add(&mut self, names: &Names, record: &Record) {
        let row = self.row_of.get(record.rank as usize).copied().unwrap_or(NONE);
        if row != NONE {
            let row = row as usize;
            let capacity = names.links[self.links[row]].bytes_per_s;
            self.loads.add(row, record.begin, record.end, load(record, capacity));
        }
    }
}

impl LoadTable {
    fn add(&mut self, name: &str, kind: &str, loads: impl Iterator<Item = f64>) {
        for (bin, load) in loads.enumerate().filter(|&(_, load)| load > LEAST) {
            self.link.push(name.to_string());
            self.kind.push(kind.to_string());
            self.bin.push(bin);
            self.load.push(rounded(load));
        }
    }
}

/// Mean load between two samples.
fn load(record: &Record, capacity: f64) -> f64 {
    let span = (record.end - record.begin).max(1) as f64 / PS_PER_S;
    record.bytes as f64 / span / capacity
}
