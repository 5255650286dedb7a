//! Events of a packet network, and their codes in the event queue.

use machine::{LinkId, NicId};
use net::NetEvent;

use crate::packet::{PacketId, TransitId};

/// Events of a packet network.
#[derive(Clone, Copy, Debug)]
pub enum PacketEvent {
    /// The head of `packet` is at the far end of `link`, ready for a routing decision.
    Head { packet: PacketId, link: LinkId },
    /// A credit for `link` has returned, and a packet waits for it.
    Credit { link: LinkId, vc: u8 },
    /// A credit returns that was in transit for longer than the slots of its channel
    /// (`Channel::due`) cover. Either its packet left the buffer by a link more than four times
    /// slower than `link`, or the credit was computed long before its packet left the buffer.
    LateCredit { link: LinkId, vc: u8, cells: u16 },
    /// `link` is free and packets wait for it.
    Free { link: LinkId },
    /// The NIC has processed the command and fetched the data.
    Ready { nic: NicId, transit: TransitId },
    /// A waiting traffic class may use `link` again under its ceiling.
    Allowed { link: LinkId },
    /// An acknowledgement is back at `nic`, and virtual network `vnet` waits for it.
    Ack { nic: NicId, vnet: u8 },
    /// The host interface of `nic` is free, and a packet or message waits for it.
    Host { nic: NicId },
    /// The response `packet` is ready to leave `nic`, which has taken the request.
    Respond { nic: NicId, packet: PacketId },
    /// The retransmission timer of a lost packet expires at `nic`.
    Lost { nic: NicId },
    /// The `nth` change of the fault schedule applies to `link`. If `nth` is `NONE`, routing biases
    /// change instead.
    Change { link: LinkId, nth: u32 },
    /// A congestion notice about ejection link `link` has reached a sender.
    Notice { link: LinkId, word: u32 },
    /// An endpoint credit (of congestion management, not of a buffer) that `nic` could not use has
    /// returned to the switch that gave it.
    EndpointCredit { nic: NicId, word: u32 },
}

/// Event codes in the queue.
pub(crate) mod kind {
    pub const HEAD: u8 = 0;
    pub const CREDIT: u8 = 1;
    pub const FREE: u8 = 2;
    pub const READY: u8 = net::READY;
    pub const ACK: u8 = 4;
    pub const HOST: u8 = 5;
    pub const LATE_CREDIT: u8 = 6;
    pub const RESPOND: u8 = 7;
    pub const ALLOWED: u8 = 8;
    pub const LOST: u8 = 9;
    pub const CHANGE: u8 = 10;
    pub const NOTICE: u8 = 11;
    pub const ENDPOINT_CREDIT: u8 = 12;
}

impl NetEvent for PacketEvent {
    #[inline(always)]
    fn pack(self) -> (u8, u32, u32) {
        match self {
            PacketEvent::Head { packet, link } => (kind::HEAD, link.0, packet.0),
            PacketEvent::Credit { link, vc } => (kind::CREDIT, link.0, vc.into()),
            PacketEvent::LateCredit { link, vc, cells } => {
                (kind::LATE_CREDIT, link.0, u32::from(vc) | u32::from(cells) << 8)
            }
            PacketEvent::Free { link } => (kind::FREE, link.0, 0),
            PacketEvent::Allowed { link } => (kind::ALLOWED, link.0, 0),
            PacketEvent::Ready { nic, transit } => (kind::READY, nic.0, transit.0),
            PacketEvent::Ack { nic, vnet } => (kind::ACK, nic.0, vnet.into()),
            PacketEvent::Host { nic } => (kind::HOST, nic.0, 0),
            PacketEvent::Respond { nic, packet } => (kind::RESPOND, nic.0, packet.0),
            PacketEvent::Lost { nic } => (kind::LOST, nic.0, 0),
            PacketEvent::Change { link, nth } => (kind::CHANGE, link.0, nth),
            PacketEvent::Notice { link, word } => (kind::NOTICE, link.0, word),
            PacketEvent::EndpointCredit { nic, word } => (kind::ENDPOINT_CREDIT, nic.0, word),
        }
    }
    #[inline]
    fn unpack(kind: u8, source: u32, arg: u32) -> Self {
        let (link, nic) = (LinkId(source), NicId(source));
        match kind {
            kind::HEAD => PacketEvent::Head { packet: PacketId(arg), link },
            kind::CREDIT => PacketEvent::Credit { link, vc: arg as u8 },
            kind::LATE_CREDIT => {
                PacketEvent::LateCredit { link, vc: arg as u8, cells: (arg >> 8) as u16 }
            }
            kind::FREE => PacketEvent::Free { link },
            kind::ALLOWED => PacketEvent::Allowed { link },
            kind::READY => PacketEvent::Ready { nic, transit: TransitId(arg) },
            kind::ACK => PacketEvent::Ack { nic, vnet: arg as u8 },
            kind::HOST => PacketEvent::Host { nic },
            kind::RESPOND => PacketEvent::Respond { nic, packet: PacketId(arg) },
            kind::LOST => PacketEvent::Lost { nic },
            kind::CHANGE => PacketEvent::Change { link, nth: arg },
            kind::NOTICE => PacketEvent::Notice { link, word: arg },
            kind::ENDPOINT_CREDIT => PacketEvent::EndpointCredit { nic, word: arg },
            _ => unreachable!("no such event code"),
        }
    }
}
