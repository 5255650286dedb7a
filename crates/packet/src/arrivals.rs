//! Records of messages at their receivers, also of messages between shards, and of the responses
//! that initiators expect.

use base::{Slab, Time};
use machine::{Machine, NicId, SwitchId};
use net::{Cx, MsgId, Partition};

use crate::message::Arrival;
use crate::packet::ArrivalId;
use crate::shard::Mailboxes;

impl ArrivalId {
    const BITS: u32 = 26;

    /// The id that packets from another shard carry.
    fn as_remote(self, shard: usize) -> ArrivalId {
        assert!(self.0 >> Self::BITS == 0, "more than 2^26 messages between two shards");
        ArrivalId(self.0 | (shard as u32 + 1) << Self::BITS)
    }
    /// The shard of origin of a message, if it is another one, and its number there.
    #[inline]
    pub(crate) fn origin(self) -> Option<(usize, ArrivalId)> {
        let shard = self.0 >> Self::BITS;
        (shard != 0).then(|| (shard as usize - 1, ArrivalId(self.0 & ((1 << Self::BITS) - 1))))
    }
}

/// Messages at their receivers, and the responses that initiators expect.
pub(crate) struct Arrivals {
    records: Slab<ArrivalId, Arrival>,
    /// Of a network that is one shard of several.
    remote: Option<Box<RemoteArrivals>>,
}

/// Messages between this shard and others.
struct RemoteArrivals {
    /// By shard: numbers in use there for messages of this shard.
    lent_ids: Vec<Slab<ArrivalId, ()>>,
    /// By shard: its messages that arrive here.
    records: Vec<Vec<Arrival>>,
    /// Their completion is reported here, not in their shards.
    reports_here: bool,
}

impl Arrivals {
    pub fn new(n_nics: usize, partition: Option<&Partition>) -> Arrivals {
        let remote = |partition: &Partition| {
            let n = partition.shards;
            let lent_ids = (0..n).map(|_| Slab::with_capacity(0)).collect();
            let records = vec![Vec::new(); n];
            Box::new(RemoteArrivals { lent_ids, records, reports_here: false })
        };
        Arrivals { records: Slab::with_capacity(8 * n_nics), remote: partition.map(remote) }
    }

    /// Creates the receiver's record of a message; returns the id that its packets carry.
    #[inline(always)]
    pub fn open(
        &mut self,
        arrival: impl FnOnce() -> Arrival,
        dst: NicId,
        mail: &mut Mailboxes,
        machine: &Machine,
    ) -> ArrivalId {
        if self.remote.is_none() {
            return self.records.insert_with(arrival);
        }
        self.open_in_shards(arrival(), machine.nic_switch[dst], mail)
    }

    #[inline(never)]
    fn open_in_shards(
        &mut self,
        arrival: Arrival,
        dst: SwitchId,
        mail: &mut Mailboxes,
    ) -> ArrivalId {
        let Some(to) = mail.shard_of(dst) else { return self.insert(arrival) };
        let remote = self.remote.as_mut().expect("called only with shards");
        let number = remote.lent_ids[to].insert(());
        mail.send_opened(to, number, arrival);
        number.as_remote(mail.own().into())
    }

    /// Creates a record at this end of a message, which no packet of another shard refers to.
    pub fn insert(&mut self, arrival: Arrival) -> ArrivalId {
        self.records.insert(arrival)
    }

    /// The receiver's record of a message.
    #[inline]
    pub fn get(&mut self, id: ArrivalId) -> &mut Arrival {
        match id.origin() {
            None => &mut self.records[id],
            Some((from, number)) => {
                &mut self.remote.as_mut().expect("remote arrivals come from shards").records[from]
                    [number.0 as usize]
            }
        }
    }

    /// The record of a message of this shard. The id may be that of a freed packet, which refers to
    /// an arbitrary message.
    #[inline]
    pub fn get_here(&self, id: ArrivalId) -> Option<&Arrival> {
        if id.origin().is_some() { None } else { self.records.get(id) }
    }

    #[inline]
    pub fn prefetch(&self, id: ArrivalId) {
        self.records.prefetch(id);
    }

    /// The message is complete, and visible at `seen`.
    #[inline]
    pub fn close(
        &mut self,
        id: ArrivalId,
        (msg, seen): (MsgId, Time),
        mail: &mut Mailboxes,
        cx: &mut Cx<'_>,
    ) {
        match id.origin() {
            None => {
                self.records.free(id);
                cx.delivered.push((msg, seen));
            }
            Some((from, number)) => {
                mail.send_closed(from, number);
                let remote = self.remote.as_ref().expect("remote arrivals come from shards");
                match remote.reports_here {
                    true => cx.delivered.push((msg, seen)),
                    false => mail.send_delivered(from, msg, seen),
                }
            }
        }
    }

    /// Messages of other shards are reported where they arrive from now on.
    pub fn report_at_receivers(&mut self) {
        self.remote.as_mut().expect("called only with shards").reports_here = true;
    }

    /// Removes the record of a message of this shard.
    pub fn remove(&mut self, id: ArrivalId) -> Arrival {
        let record = self.records[id];
        self.records.free(id);
        record
    }

    /// A message is complete whose completion is reported at the other end.
    pub fn close_unreported(&mut self, id: ArrivalId, mail: &mut Mailboxes) {
        match id.origin() {
            None => self.records.free(id),
            Some((from, number)) => mail.send_closed(from, number),
        }
    }

    /// Shard `from` has sent a message to this one.
    pub fn receive_opened(&mut self, from: usize, number: ArrivalId, arrival: Arrival) {
        let records = &mut self.remote.as_mut().expect("only shards get mail").records[from];
        let at = number.0 as usize;
        if records.len() <= at {
            records.resize(at + 1, arrival);
        }
        records[at] = arrival;
    }

    /// A message to shard `from` is complete there.
    pub fn receive_closed(&mut self, from: usize, number: ArrivalId) {
        self.remote.as_mut().expect("only shards get mail").lent_ids[from].free(number);
    }

    /// Asserts that all messages are complete.
    pub fn assert_idle(&self) {
        assert_eq!(self.records.live(), 0, "messages left in the network");
        let lent_ids = self.remote.iter().flat_map(|remote| &remote.lent_ids);
        let in_transit: usize = lent_ids.map(Slab::live).sum();
        assert_eq!(in_transit, 0, "messages left in transit to other shards");
    }

    pub fn held(&self) -> usize {
        let of_remote = |remote: &RemoteArrivals| {
            let records = remote.records.iter().map(|r| r.capacity() * size_of::<Arrival>());
            remote.lent_ids.iter().map(Slab::bytes).sum::<usize>() + records.sum::<usize>()
        };
        self.records.bytes() + self.remote.as_deref().map_or(0, of_remote)
    }
}
