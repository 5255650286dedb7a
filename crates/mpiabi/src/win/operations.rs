//! The origin's side: put, get and accumulates, with and without requests.
//!
//! Data is copied from the origin's buffer during the call. Returned data is written to the user's
//! buffer when the program synchronizes or completes the request.

use std::ffi::{c_int, c_void};
use std::rc::Rc;
use std::sync::Arc;

use workload::NonContiguous;
use workload::wire::{self, Arrival, Direct, Submission, flag, kind};

use super::block::{self, Block, Header, Stride, work};
use super::pending::{self, OnComplete, Submitted};
use super::{Flavor, Window, find};
use crate::abi::{Aint, Datatype, Op, Request, Win, c};
use crate::buffer::Buffer;
use crate::datatype::{self, Number, Type};
use crate::error::{Result, fail};
use crate::export::{Integer, mpi_fn};
use crate::op::{self, Operation, Operator};
use crate::request::{self, Cancellable, InFlight, Outcome};
use crate::runtime::{self, Held};

/// Maximum number of bytes in flight to a target that has not applied them. At this size the target
/// is made to apply all: if it slept for long, they would fill the origin's memory.
const MAX_UNAPPLIED_BYTES: u64 = 1 << 26;

/// The arguments of a call that describe the target's memory.
#[derive(Clone, Copy)]
struct Target<Int> {
    rank: c_int,
    disp: Aint,
    count: Int,
    datatype: Datatype,
}

/// The same, checked.
struct TargetRange {
    rank: u32,
    at: i64,
    count: u64,
    datatype: Arc<Type>,
}

impl TargetRange {
    fn bytes(&self) -> u64 {
        self.datatype.packed_size(self.count)
    }
}

/// Checks the target's arguments; `None` if the target is `MPI_PROC_NULL`.
fn target_range<Int: Integer>(
    held: &Held,
    window: &Window,
    at_target: Target<Int>,
) -> Result<Option<TargetRange>> {
    let count = datatype::count(at_target.count.wide())?;
    let datatype = datatype::committed(at_target.datatype)?;
    let Some(rank) = window.target(at_target.rank)? else { return Ok(None) };
    if at_target.disp < 0 && !window.is_dynamic() {
        return fail!(c::ERR_DISP, "a displacement of {}", at_target.disp);
    }
    window.state(held).epochs.operate(rank)?;
    let part = window.part(rank);
    let at = match window.is_dynamic() {
        true => Some(at_target.disp),
        false => at_target.disp.checked_mul(part.disp_unit),
    };
    let span = span(&datatype, count);
    let reach = at.and_then(|at| Some((at.checked_add(span.0)?, at.checked_add(span.1)?)));
    match (at, reach) {
        (Some(at), Some(reach))
            if window.is_dynamic() || span.0 == span.1 || {
                reach.0 >= 0 && reach.1 <= part.size
            } =>
        {
            Ok(Some(TargetRange { rank, at, count, datatype }))
        }
        _ => fail!(
            c::ERR_RMA_RANGE,
            "bytes {} to {} of rank {rank}'s part of the window, which has {}",
            i128::from(at_target.disp) * i128::from(part.disp_unit) + i128::from(span.0),
            i128::from(at_target.disp) * i128::from(part.disp_unit) + i128::from(span.1),
            part.size
        ),
    }
}

/// First byte of `count` items and end, relative to the first item.
fn span(datatype: &Type, count: u64) -> (i64, i64) {
    if count == 0 || datatype.size == 0 {
        return (0, 0);
    }
    let (low, high) = datatype.true_bounds();
    let last = (count as i64 - 1).saturating_mul(datatype.extent());
    (low.saturating_add(last.min(0)), high.saturating_add(last.max(0)))
}

fn fits(bytes: u64, room: u64, what: &str) -> Result {
    if bytes > room {
        return fail!(
            c::ERR_TRUNCATE,
            "{bytes} bytes do not fit {what}, which has room for {room}"
        );
    }
    Ok(())
}

/// A call that is ready for submission.
struct PreparedCall {
    target_range: TargetRange,
    work: u32,
    flags: u32,
    strides: Vec<Stride>,
    /// Packed bytes of target memory.
    bytes: u64,
    /// Bytes sent to the target, and bytes returned.
    out: u64,
    back: u64,
    op: Op,
    element: Datatype,
    /// Bytes of the area.
    area: u64,
    /// Layout of the origin's data, if it has to be packed.
    give: NonContiguous,
    take: NonContiguous,
}

impl PreparedCall {
    fn new(target_range: TargetRange, work: u32, bytes: u64) -> PreparedCall {
        let strides = block::strides(&target_range.datatype, target_range.count, bytes);
        let (op, element) = (c::OP_NULL, c::DATATYPE_NULL);
        let (flags, out, back, area) = (0, 0, 0, bytes);
        let (give, take) = (NonContiguous::default(), NonContiguous::default());
        PreparedCall {
            target_range,
            work,
            flags,
            strides,
            bytes,
            out,
            back,
            op,
            element,
            area,
            give,
            take,
        }
    }
    fn sends(self, out: u64, give: &Buffer) -> PreparedCall {
        PreparedCall { out, give: give.noncontiguous().first(out), ..self }
    }
    fn fetches(self, back: u64, take: &Buffer) -> PreparedCall {
        PreparedCall {
            back,
            take: take.noncontiguous().first(back),
            flags: self.flags | flag::FETCH,
            ..self
        }
    }
    fn combines(self, op: Op, element: Datatype) -> PreparedCall {
        PreparedCall { op, element, flags: self.flags | flag::ATOMIC, ..self }
    }

    /// Fills a block and submits it. Returned data is written to `destination` on completion.
    fn submit(
        self,
        held: &Held,
        window: &Window,
        fill: impl FnOnce(*mut u8),
        destination: Option<Buffer>,
    ) -> Submitted {
        let flags = self.flags | self.extra_flags(held, window);
        let context = window.comm.context;
        let (origin, direct) = (runtime::rank(held), self.direct(window));
        let arrival = Arrival { next: 0, origin, flags, context, direct, ..Arrival::default() };
        let header = Header {
            arrival,
            work: self.work,
            function: crate::function::current(),
            at: self.target_range.at,
            bytes: self.bytes,
            strides: 0,
            op: self.op.to_int() as u32 as u64,
            datatype: self.element.to_int() as u32 as u64,
        };
        let block = Block::new(held, header, &self.strides, self.area);
        // SAFETY: a block of this rank until it is submitted.
        fill(unsafe { block.area() });
        let (token, kind) = (runtime::token(held), kind::ONE_SIDED);
        let peer = window.comm.world(self.target_range.rank);
        let what = Submission { kind, flags, token, peer, context, ..Submission::default() };
        let (bytes, grain, send_layout, recv_layout) = (self.out, self.back, self.give, self.take);
        let block_at = block.offset;
        runtime::submit(
            held,
            Submission { bytes, grain, block: block_at, send_layout, recv_layout, ..what },
        );
        let (offset, returned) = (block.offset, self.bytes);
        let on_complete = (flags & flag::FETCH != 0).then(|| {
            let on_complete = move |held: &Held| {
                if let Some(buffer) = destination {
                    // SAFETY: the user's buffer is writable until the program has synchronized; the
                    // area holds the returned data.
                    unsafe { buffer.unpack(Block::at(held, offset).area(), returned) };
                }
                runtime::free(held, offset);
            };
            Box::new(on_complete) as OnComplete
        });
        Submitted { target: self.target_range.rank, token, bytes: self.area, on_complete }
    }

    /// How the simulator can apply the operation; no work if it cannot.
    fn direct(&self, window: &Window) -> Direct {
        let target = match (window.flavor, window.part(self.target_range.rank).offset) {
            (Flavor::Dynamic, _) | (_, 0) => return Direct::default(),
            (_, offset) => offset,
        };
        let [Stride { at, count: 1, .. }] = self.strides[..] else { return Direct::default() };
        if self.bytes > wire::DIRECT_BYTES {
            return Direct::default();
        }
        let combine = match (self.work, op::get(self.op), datatype::get(self.element)) {
            (work::ACCUMULATE, Ok(op), Ok(element)) => op.on_wire(&element),
            (work::ACCUMULATE, ..) => wire::combine::USER,
            _ => wire::combine::NONE,
        };
        if combine == wire::combine::USER || combine >> 8 > wire::combine::op::NO_OP {
            return Direct::default();
        }
        let at = target.wrapping_add_signed(self.target_range.at + at);
        Direct { work: self.work, combine, at, bytes: self.bytes, area: 0 }
    }

    /// Flags for an operation that must be applied before the origin proceeds.
    fn extra_flags(&self, held: &Held, window: &Window) -> u32 {
        if window.is_visible_to_others(self.target_range.rank) {
            return flag::VISIBLE;
        }
        let mut state = window.state(held);
        let unapplied = state.unapplied.entry(self.target_range.rank).or_default();
        *unapplied += self.area + size_of::<Header>() as u64;
        if *unapplied < MAX_UNAPPLIED_BYTES && self.flags & flag::FETCH == 0 {
            return 0;
        }
        *unapplied = 0;
        flag::FETCH
    }
}

/// `None` if there was nothing to do.
type MaybeSubmitted = Option<Submitted>;

fn tracked(held: &Held, window: &Window, made: MaybeSubmitted) -> Result {
    if let Some(made) = made {
        pending::track(held, window, made);
    }
    Ok(())
}

/// # Safety
/// `request` is writable.
unsafe fn requested(
    held: &Held,
    window: &Rc<Window>,
    made: MaybeSubmitted,
    request: *mut Request,
) -> Result {
    let in_flight = match made {
        Some(made) => pending::request(held, window, made),
        None => InFlight::completed(Outcome::empty()),
    };
    unsafe {
        *request = request::in_flight_request(held, c::COMM_SELF, Cancellable::No, in_flight)
    };
    Ok(())
}

type OriginArguments<Int> = (*const c_void, Int, Datatype);

fn put<Int: Integer>(
    held: &Held,
    window: &Window,
    (at, count, datatype): OriginArguments<Int>,
    at_target: Target<Int>,
) -> Result<MaybeSubmitted> {
    let give = Buffer::new(at, count.wide(), datatype)?;
    let Some(target_range) = target_range(held, window, at_target)? else { return Ok(None) };
    let bytes = give.bytes();
    fits(bytes, target_range.bytes(), "the target's buffer")?;
    if bytes == 0 {
        return Ok(None);
    }
    let ready = PreparedCall::new(target_range, work::PUT, bytes).sends(bytes, &give);
    // SAFETY: the user's buffer is readable, and the area has the room.
    let fill = |area| unsafe { give.pack(area, bytes) };
    let made = ready.submit(held, window, fill, None);
    Ok(Some(made))
}

fn get<Int: Integer>(
    held: &Held,
    window: &Window,
    (at, count, datatype): OriginArguments<Int>,
    at_target: Target<Int>,
) -> Result<MaybeSubmitted> {
    let take = Buffer::new(at, count.wide(), datatype)?;
    let Some(target_range) = target_range(held, window, at_target)? else { return Ok(None) };
    let bytes = target_range.bytes();
    fits(bytes, take.bytes(), "the origin's buffer")?;
    if bytes == 0 {
        return Ok(None);
    }
    let ready = PreparedCall::new(target_range, work::GET, bytes).fetches(bytes, &take);
    let made = ready.submit(held, window, |_| {}, Some(take));
    Ok(Some(made))
}

/// Checks the operator: only predefined ones work on windows.
fn operator(handle: Op) -> Result<Operator> {
    match op::get(handle)? {
        Operation::Predefined(operator) => Ok(operator),
        Operation::User(_) => fail!(c::ERR_OP, "only predefined operations work on windows"),
    }
}

/// The predefined type of the elements of all datatypes of a call; checks that `operator` is
/// defined for it.
fn element(operator: Operator, target: &Type, others: &[&Buffer]) -> Result<Datatype> {
    let Some(number) = target.element() else {
        return fail!(c::ERR_TYPE, "the elements of the target's datatype are not of one type");
    };
    if others.iter().any(|other| other.datatype.element() != Some(number)) {
        return fail!(c::ERR_TYPE, "the elements of the call's datatypes differ");
    }
    let element = number.handle();
    Operation::Predefined(operator).check(&*datatype::get(element)?)?;
    Ok(element)
}

fn accumulate<Int: Integer>(
    held: &Held,
    window: &Window,
    here: OriginArguments<Int>,
    at_target: Target<Int>,
    handle: Op,
) -> Result<MaybeSubmitted> {
    let (operator, give) = (operator(handle)?, Buffer::new(here.0, here.1.wide(), here.2)?);
    if operator == Operator::NoOp {
        return fail!(c::ERR_OP, "MPI_NO_OP is allowed in calls that fetch only");
    }
    let Some(target_range) = target_range(held, window, at_target)? else { return Ok(None) };
    let bytes = give.bytes();
    fits(bytes, target_range.bytes(), "the target's buffer")?;
    if bytes == 0 {
        return Ok(None);
    }
    let element = element(operator, &target_range.datatype, &[&give])?;
    let ready = PreparedCall::new(target_range, work::ACCUMULATE, bytes).sends(bytes, &give);
    let ready = ready.combines(handle, element);
    // SAFETY: the user's buffer is readable, and the area has the room.
    let fill = |area| unsafe { give.pack(area, bytes) };
    let made = ready.submit(held, window, fill, None);
    Ok(Some(made))
}

fn get_accumulate<Int: Integer>(
    held: &Held,
    window: &Window,
    here: OriginArguments<Int>,
    result: OriginArguments<Int>,
    at_target: Target<Int>,
    handle: Op,
) -> Result<MaybeSubmitted> {
    let operator = operator(handle)?;
    // MPI_NO_OP only fetches, and ignores the origin's arguments.
    let give = match operator {
        Operator::NoOp => None,
        _ => Some(Buffer::new(here.0, here.1.wide(), here.2)?),
    };
    let take = Buffer::new(result.0, result.1.wide(), result.2)?;
    let Some(target_range) = target_range(held, window, at_target)? else { return Ok(None) };
    let bytes = give.as_ref().map_or(target_range.bytes(), Buffer::bytes);
    fits(bytes, target_range.bytes(), "the target's buffer")?;
    fits(bytes, take.bytes(), "the result's buffer")?;
    if bytes == 0 {
        return Ok(None);
    }
    let others: Vec<&Buffer> = give.iter().chain([&take]).collect();
    let element = element(operator, &target_range.datatype, &others)?;
    let mut ready = PreparedCall::new(target_range, work::ACCUMULATE, bytes).fetches(bytes, &take);
    if let Some(give) = &give {
        ready = ready.sends(bytes, give);
    }
    let ready = ready.combines(handle, element);
    // SAFETY: as for an accumulate.
    let fill = |area| give.iter().for_each(|give| unsafe { give.pack(area, bytes) });
    let made = ready.submit(held, window, fill, Some(take));
    Ok(Some(made))
}

/// An operation on one element.
fn fetch_and_op(
    held: &Held,
    window: &Window,
    (here, result): (*const c_void, *mut c_void),
    at_target: Target<c_int>,
    op: Op,
) -> Result<MaybeSubmitted> {
    if datatype::get(at_target.datatype)?.number.is_none() {
        return fail!(c::ERR_TYPE, "the datatype is not a predefined one");
    }
    let (give, take) =
        ((here, 1, at_target.datatype), (result.cast_const(), 1, at_target.datatype));
    get_accumulate(held, window, give, take, at_target, op)
}

/// Integers, logicals and bytes are compared bitwise (MPI 5.0, 12.3.4).
fn compares(number: Number) -> bool {
    use Number::*;
    matches!(
        number,
        I8 | I16 | I32 | I64 | I128 | U8 | U16 | U32 | U64 | L8 | L16 | L32 | L64 | L128 | Byte
    )
}

fn compare_and_swap(
    held: &Held,
    window: &Window,
    (here, compare, result): (*const c_void, *const c_void, *mut c_void),
    at_target: Target<c_int>,
) -> Result<MaybeSubmitted> {
    let item = |at: *const c_void| Buffer::new(at, 1, at_target.datatype);
    let (give, expect, take) = (item(here)?, item(compare)?, item(result)?);
    if !give.datatype.number.is_some_and(compares) {
        return fail!(c::ERR_TYPE, "the datatype is not a predefined integer, logical or byte");
    }
    let Some(target_range) = target_range(held, window, at_target)? else { return Ok(None) };
    let bytes = target_range.bytes();
    let mut ready = PreparedCall::new(target_range, work::COMPARE, bytes);
    ready.area = 2 * bytes;
    ready.flags |= flag::ATOMIC;
    let fill = |area: *mut u8| unsafe {
        // SAFETY: as for a put; the area has room for two items.
        expect.pack(area, bytes);
        give.pack(area.add(bytes as usize), bytes);
    };
    let ready = ready.sends(2 * bytes, &give).fetches(bytes, &take);
    let made = ready.submit(held, window, fill, Some(take));
    Ok(Some(made))
}

mpi_fn! {
    pub fn Put<Int>(
        here: *const c_void, count: Int, datatype: Datatype, target: c_int, disp: Aint,
        target_count: Int, target_type: Datatype, win: Win,
    ) {
        let held = &runtime::enter()?;
        let window = find(held, win)?;
        let at_target = Target { rank: target, disp, count: target_count, datatype: target_type };
        tracked(held, &window, put(held, &window, (here, count, datatype), at_target)?)
    }
    pub fn Get<Int>(
        here: *mut c_void, count: Int, datatype: Datatype, target: c_int, disp: Aint,
        target_count: Int, target_type: Datatype, win: Win,
    ) {
        let held = &runtime::enter()?;
        let window = find(held, win)?;
        let at_target = Target { rank: target, disp, count: target_count, datatype: target_type };
        tracked(held, &window, get(held, &window, (here.cast_const(), count, datatype), at_target)?)
    }
    pub fn Accumulate<Int>(
        here: *const c_void, count: Int, datatype: Datatype, target: c_int, disp: Aint,
        target_count: Int, target_type: Datatype, op: Op, win: Win,
    ) {
        let held = &runtime::enter()?;
        let window = find(held, win)?;
        let at_target = Target { rank: target, disp, count: target_count, datatype: target_type };
        tracked(held, &window, accumulate(held, &window, (here, count, datatype), at_target, op)?)
    }
    pub fn Get_accumulate<Int>(
        here: *const c_void, count: Int, datatype: Datatype, result: *mut c_void,
        result_count: Int, result_type: Datatype, target: c_int, disp: Aint, target_count: Int,
        target_type: Datatype, op: Op, win: Win,
    ) {
        let held = &runtime::enter()?;
        let window = find(held, win)?;
        let at_target = Target { rank: target, disp, count: target_count, datatype: target_type };
        let (give, take) =
            ((here, count, datatype), (result.cast_const(), result_count, result_type));
        tracked(held, &window, get_accumulate(held, &window, give, take, at_target, op)?)
    }
    pub fn Fetch_and_op(
        here: *const c_void, result: *mut c_void, datatype: Datatype, target: c_int, disp: Aint,
        op: Op, win: Win,
    ) {
        let held = &runtime::enter()?;
        let window = find(held, win)?;
        let at_target = Target { rank: target, disp, count: 1, datatype };
        tracked(held, &window, fetch_and_op(held, &window, (here, result), at_target, op)?)
    }
    pub fn Compare_and_swap(
        here: *const c_void, compare: *const c_void, result: *mut c_void, datatype: Datatype,
        target: c_int, disp: Aint, win: Win,
    ) {
        let held = &runtime::enter()?;
        let window = find(held, win)?;
        let at_target = Target { rank: target, disp, count: 1, datatype };
        let made = compare_and_swap(held, &window, (here, compare, result), at_target)?;
        tracked(held, &window, made)
    }

    pub fn Rput<Int>(
        here: *const c_void, count: Int, datatype: Datatype, target: c_int, disp: Aint,
        target_count: Int, target_type: Datatype, win: Win, request: *mut Request,
    ) {
        let held = &runtime::enter()?;
        let window = find(held, win)?;
        let at_target = Target { rank: target, disp, count: target_count, datatype: target_type };
        let made = put(held, &window, (here, count, datatype), at_target)?;
        unsafe { requested(held, &window, made, request) }
    }
    pub fn Rget<Int>(
        here: *mut c_void, count: Int, datatype: Datatype, target: c_int, disp: Aint,
        target_count: Int, target_type: Datatype, win: Win, request: *mut Request,
    ) {
        let held = &runtime::enter()?;
        let window = find(held, win)?;
        let at_target = Target { rank: target, disp, count: target_count, datatype: target_type };
        let made = get(held, &window, (here.cast_const(), count, datatype), at_target)?;
        unsafe { requested(held, &window, made, request) }
    }
    pub fn Raccumulate<Int>(
        here: *const c_void, count: Int, datatype: Datatype, target: c_int, disp: Aint,
        target_count: Int, target_type: Datatype, op: Op, win: Win, request: *mut Request,
    ) {
        let held = &runtime::enter()?;
        let window = find(held, win)?;
        let at_target = Target { rank: target, disp, count: target_count, datatype: target_type };
        let made = accumulate(held, &window, (here, count, datatype), at_target, op)?;
        unsafe { requested(held, &window, made, request) }
    }
    pub fn Rget_accumulate<Int>(
        here: *const c_void, count: Int, datatype: Datatype, result: *mut c_void,
        result_count: Int, result_type: Datatype, target: c_int, disp: Aint, target_count: Int,
        target_type: Datatype, op: Op, win: Win, request: *mut Request,
    ) {
        let held = &runtime::enter()?;
        let window = find(held, win)?;
        let at_target = Target { rank: target, disp, count: target_count, datatype: target_type };
        let (give, take) =
            ((here, count, datatype), (result.cast_const(), result_count, result_type));
        let made = get_accumulate(held, &window, give, take, at_target, op)?;
        unsafe { requested(held, &window, made, request) }
    }
}
