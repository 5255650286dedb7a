//! Cost of a change among many flows: one flow ends, another starts, and shares are solved again.

use base::{below, draw};
use fluid::{FlowId, MaxMin, Resource, Use};
use machine::{Idle, NicId};

/// Result: flows whose rate changed per event, and core times, s.
#[derive(Debug)]
pub struct Changes {
    pub changed: f64,
    /// Time per flow when all start at once, and time per event after that.
    pub at_once_s: f64,
    pub event_s: f64,
}

/// `bench flows MACHINE FLOWS CHANGES [PRECISION_BITS]`: random pairs, each on one minimal path,
/// with the capacities of the flow model. Shares are fair to one part in 2^PRECISION_BITS; the
/// default is that of the flow model.
pub fn changes(args: &[String]) -> Changes {
    let [name, flows, changes, to @ ..] = args else {
        panic!("bench flows MACHINE FLOWS CHANGES [PRECISION_BITS]")
    };
    let [flows, changes] = [flows, changes].map(|n| n.parse::<u64>().expect("a number"));
    let to = to.first().map_or(flow::PRECISION_BITS, |to| to.parse().expect("a number"));
    let machine = crate::preset(name, &[("routing", "minimal")]);
    let capacities = machine.links.gap.raw.iter().map(|&gap| flow::capacity(gap));
    let mut sharing = MaxMin::new(capacities, to);
    let (n, mut path) = (machine.n_nics(), Vec::new());
    let mut come = |sharing: &mut MaxMin, nth: u64| -> FlowId {
        let random = |stream| draw(7, stream, 0, nth);
        let src = below(random(0), n);
        let dst = (src + 1 + below(random(1), n - 1)) % n;
        machine.walk(NicId(src), NicId(dst), random(2), &Idle, &mut path);
        let one = |link: &machine::LinkId| Use { resource: Resource(link.0), weight: 2048 };
        let flow = sharing.add(&path.iter().map(one).collect::<Vec<_>>());
        sharing.start(flow);
        flow
    };
    let mut here: Vec<FlowId> = (0..flows).map(|nth| come(&mut sharing, nth)).collect();
    let began = crate::on_core_s();
    sharing.solve();
    let first = crate::on_core_s();
    let mut changed = 0;
    for nth in flows..flows + changes {
        let leaves = below(draw(7, 3, 0, nth), flows as u32) as usize;
        sharing.remove(here[leaves]);
        sharing.solve();
        changed += sharing.changed().len();
        here[leaves] = come(&mut sharing, nth);
        sharing.solve();
        changed += sharing.changed().len();
    }
    let (began, first) = (began.unwrap_or_default(), first.unwrap_or_default());
    let last = crate::on_core_s().unwrap_or_default();
    let events = 2 * changes;
    let done = Changes {
        changed: changed as f64 / events as f64,
        at_once_s: (first - began) / flows as f64,
        event_s: (last - first) / events as f64,
    };
    println!(
        "{name}, {flows} flows: all at once {:.2} us per flow; then {:.2} us per event, \
         {:.1} flows changed by each",
        done.at_once_s * 1e6,
        done.event_s * 1e6,
        done.changed,
    );
    done
}
