//! The operands of reductions that this process combines for the simulator.

use std::sync::Arc;

use super::{Operation, combine_packed};
use crate::abi::Datatype;
use crate::datatype::Type;
use crate::runtime::{Guarded, Held};

/// The operands of a COMBINE command. Kept alive until the reduction is complete, even if the
/// program frees the operation or the datatype.
pub(crate) struct Combiner {
    pub operation: Operation,
    pub handle: Datatype,
    pub datatype: Arc<Type>,
}

/// The combiners of reductions in flight; submissions carry their indices.
static COMBINERS: Guarded<Vec<Option<Arc<Combiner>>>> = Guarded::new(Vec::new());

/// Registers a combiner; returns its index, to be released when the operation is complete.
pub(crate) fn register(held: &Held, combiner: Arc<Combiner>) -> usize {
    let mut all = COMBINERS.get(held);
    let place = all.iter().position(Option::is_none).unwrap_or(all.len());
    if place == all.len() {
        all.push(None);
    }
    all[place] = Some(combiner);
    place
}

pub(crate) fn release(held: &Held, place: usize) {
    COMBINERS.get(held)[place] = None;
}

/// Combines packed bytes for the simulator: `into = from op into` (`left`) or `into op from`. The
/// operator may be the program's, which may call MPI: no state is borrowed during the call.
///
/// # Safety
/// Both are `bytes` long, and no other code accesses them now.
pub(crate) unsafe fn combine(
    held: &Held,
    place: u64,
    into: *mut u8,
    from: *const u8,
    bytes: u64,
    left: bool,
) {
    let own = COMBINERS.get(held).get(place as usize).cloned().flatten();
    let own = own.expect("the simulator combines by a reduction in flight");
    let count = own.datatype.items(bytes).expect("no collective cuts between elements");
    let typed = (own.handle, &*own.datatype);
    unsafe { combine_packed(&own.operation, typed, count, into, from, left) };
}
