//! Effects of faults on jobs.

use crate::common::{Script, job_on, machine};
use base::{Span, Time};
use machine::faults::FaultSchedule;
use packet::PacketNetwork;
use sim::End;
use workload::Op;

/// A job ends when one of its nodes fails, even without other events at that time: here the switch
/// before it has been down all the time, and the job computes.
#[test]
fn a_job_ends_when_its_node_fails() {
    let machine = machine("dragonfly-1056", &[]);
    let plan = "[[fault]]\nswitch = 0\n[[fault]]\nnode = 1\nfrom = '3 us'\n\
                [[fault]]\nnode = 0\nfrom = '1 ms'\n";
    let plan = FaultSchedule::parse("plan", plan, &machine).expect("legal");
    let job = job_on(machine.with_faults(&plan).expect("room"), "mpich", &[0]);
    let (outcome, reported) =
        Script::new(1, [(0, 0, 10_000_000, Op::Pause)]).run::<PacketNetwork>(&job);
    let End::Failed(failed) = outcome.end else { panic!("{:?}", outcome.end) };
    assert!(failed.what.contains("-00000 went down at 1.00 ms"), "{}", failed.what);
    assert_eq!(outcome.time, Time::ZERO + Span::ms(1));
    assert!(reported.is_empty(), "who is dead has computed for 10 ms: {reported:?}");
}
