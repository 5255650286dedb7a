//! Type constructors. Each computes bounds, map and signature, and keeps its arguments for
//! `MPI_Type_get_contents`.

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use super::builtin::{Bound, bound};
use super::map::Placed;
use super::signature::Signature;
use super::{Number, Type, get};
use crate::abi::{Datatype, c};
use crate::error::{Result, fail};

/// The arguments with which a type was created.
#[derive(Clone)]
pub(crate) struct Contents {
    pub combiner: c_int,
    pub integers: Vec<i64>,
    pub addresses: Vec<i64>,
    /// Arguments of a large-count constructor that are integers or addresses in its int form.
    pub counts: Vec<i64>,
    pub types: Vec<(Datatype, Arc<Type>)>,
}

/// A part of a type under construction: `count` items of `datatype`, starting at offset `at`.
struct Block {
    at: i64,
    count: u64,
    datatype: Arc<Type>,
}

/// The properties that every constructor computes from its blocks.
struct Shape {
    bounds: Bounds,
    align: u64,
    placed: Placed,
    signature: Arc<Signature>,
}

/// Smallest lower and largest upper bound so far. Bounds set by `MPI_Type_create_resized` count
/// like those of data. By the text of MPI 5.0, 5.1.6, they would override the bounds of data beside
/// them. The MPICH family does the former, and programs are tested with it.
#[derive(Clone, Copy)]
struct Bounds(Option<(i64, i64)>);

impl Bounds {
    /// Includes one item at an offset; an item without bytes and extent is ignored.
    fn include(&mut self, at: i64, datatype: &Type) {
        if datatype.size == 0 && datatype.lb == datatype.ub {
            return;
        }
        let (low, high) = (at + datatype.lb, at + datatype.ub);
        self.0 = Some(self.0.map_or((low, high), |b| (b.0.min(low), b.1.max(high))));
    }
    /// Includes `count` items one extent apart.
    fn include_block(&mut self, block: &Block) {
        if block.count > 0 {
            let last = (block.count as i64 - 1) * block.datatype.extent();
            self.include(block.at, &block.datatype);
            self.include(block.at + last, &block.datatype);
        }
    }
}

fn shape(blocks: &[Block]) -> Shape {
    let mut bounds = Bounds(None);
    let mut align = 1;
    for block in blocks.iter().filter(|b| b.count > 0) {
        bounds.include_block(block);
        align = align.max(block.datatype.align);
    }
    let place = |b: &Block| b.datatype.placed.repeat(b.count, b.datatype.extent()).moved(b.at);
    let sign = |b: &Block| Signature::repeat(&b.datatype.signature, b.count);
    Shape {
        bounds,
        align,
        placed: Placed::list(blocks.iter().map(place)),
        signature: Signature::list(blocks.iter().map(sign).collect()),
    }
}

impl Shape {
    fn finish(self, contents: Contents) -> Type {
        let (lb, ub) = self.bounds.0.unwrap_or((0, 0));
        Type {
            size: self.signature.bytes,
            lb,
            ub,
            align: self.align,
            placed: self.placed,
            signature: self.signature,
            number: None,
            contents,
            committed: AtomicBool::new(false),
            touched: OnceLock::new(),
            name: Mutex::default(),
        }
    }
}

/// Whether the constructor was called with large counts, which is how its contents are returned.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    Small,
    Large,
}

impl Contents {
    /// Arguments in the order of the standard: in the int form `integers` and `addresses`, in the
    /// large form all of them as counts.
    fn new(
        combiner: c_int,
        width: Width,
        integers: Vec<i64>,
        addresses: Vec<i64>,
        types: Vec<(Datatype, Arc<Type>)>,
    ) -> Contents {
        match width {
            Width::Small => Contents { combiner, integers, addresses, counts: Vec::new(), types },
            Width::Large => {
                let mut counts = integers;
                counts.extend(addresses);
                Contents { combiner, integers: Vec::new(), addresses: Vec::new(), counts, types }
            }
        }
    }
}

/// Bytes of a type's values in `external32` (MPI 5.0, table 14.2). Equal to this machine's sizes,
/// except for C types that were shorter when the table was defined.
fn external_sizes(name: &str, number: Number) -> [u64; 2] {
    let [first, second] = number.halves().unwrap_or([number; 2]).map(|half| half.layout().0);
    match name {
        "MPI_LONG" | "MPI_UNSIGNED_LONG" | "MPI_LONG_INT" => [4, second.min(4)],
        "MPI_WCHAR" => [2, 2],
        _ => [first, second],
    }
}

/// The name that `MPI_Type_get_name` returns for a type with two names: the one that MPICH returns.
fn reported_name(name: &str) -> &str {
    match name {
        "MPI_C_FLOAT_COMPLEX" => "MPI_C_COMPLEX",
        "MPI_LONG_LONG" => "MPI_LONG_LONG_INT",
        name => name,
    }
}

impl Type {
    pub(super) fn predefined(name: &str, number: Number) -> Type {
        let (size, extent, align) = number.layout();
        let placed = match number.halves() {
            None => Placed::run(size),
            Some([first, second]) => Placed::list([
                Placed::run(first.layout().0),
                Placed::run(second.layout().0).moved(number.second_at() as i64),
            ]),
        };
        Type {
            size,
            lb: 0,
            ub: extent as i64,
            align,
            placed,
            signature: Signature::predefined(number, external_sizes(name, number)),
            number: Some(number),
            contents: Contents::new(c::COMBINER_NAMED, Width::Small, vec![], vec![], vec![]),
            committed: AtomicBool::new(true),
            touched: OnceLock::new(),
            name: Mutex::new(reported_name(name).as_bytes().to_vec()),
        }
    }
    /// `MPI_LB` or `MPI_UB`: no data.
    pub(super) fn marker(name: &str) -> Type {
        let contents = Contents::new(c::COMBINER_NAMED, Width::Small, vec![], vec![], vec![]);
        let mut made = shape(&[]).finish(contents);
        made.committed = AtomicBool::new(true);
        made.name = Mutex::new(name.as_bytes().to_vec());
        made
    }
    /// The same data with a new handle and no name.
    fn copy(&self, contents: Contents) -> Type {
        Type {
            size: self.size,
            lb: self.lb,
            ub: self.ub,
            align: self.align,
            placed: self.placed.clone(),
            signature: self.signature.clone(),
            number: self.number,
            contents,
            committed: AtomicBool::new(self.committed.load(Ordering::Relaxed)),
            touched: self.touched.clone(),
            name: Mutex::default(),
        }
    }
}

fn length(n: i64, what: &str) -> Result<u64> {
    match u64::try_from(n) {
        Ok(n) => Ok(n),
        Err(_) => fail!(c::ERR_COUNT, "{what} is {n}, must not be negative"),
    }
}

pub(super) fn dup(old: Datatype) -> Result<Type> {
    let of = get(old)?;
    Ok(of.copy(Contents::new(
        c::COMBINER_DUP,
        Width::Small,
        vec![],
        vec![],
        vec![(old, of.clone())],
    )))
}

pub(super) fn contiguous(count: i64, old: Datatype, width: Width) -> Result<Type> {
    let of = get(old)?;
    let block = Block { at: 0, count: super::count(count)?, datatype: of.clone() };
    let contents =
        Contents::new(c::COMBINER_CONTIGUOUS, width, vec![count], vec![], vec![(old, of)]);
    Ok(shape(&[block]).finish(contents))
}

/// Vectors: `stride` in bytes. `contents` has the program's arguments.
fn strided(count: i64, len: i64, stride: i64, of: &Arc<Type>, contents: Contents) -> Result<Type> {
    let count = super::count(count)?;
    let block = Block { at: 0, count: length(len, "the block length")?, datatype: of.clone() };
    let mut one = shape(std::slice::from_ref(&block));
    if count == 0 {
        return Ok(shape(&[]).finish(contents));
    }
    let last = (count as i64 - 1) * stride;
    one.bounds.include_block(&Block { at: last, ..block });
    one.placed = one.placed.repeat(count, stride);
    one.signature = Signature::repeat(&one.signature, count);
    Ok(one.finish(contents))
}

pub(super) fn vector(
    count: i64,
    len: i64,
    stride: i64,
    old: Datatype,
    width: Width,
) -> Result<Type> {
    let of = get(old)?;
    let arguments = vec![count, len, stride];
    let contents =
        Contents::new(c::COMBINER_VECTOR, width, arguments, vec![], vec![(old, of.clone())]);
    strided(count, len, stride * of.extent(), &of, contents)
}

pub(super) fn hvector(
    count: i64,
    len: i64,
    stride: i64,
    old: Datatype,
    width: Width,
) -> Result<Type> {
    let of = get(old)?;
    let (arguments, types) = (vec![count, len], vec![(old, of.clone())]);
    let contents = Contents::new(c::COMBINER_HVECTOR, width, arguments, vec![stride], types);
    strided(count, len, stride, &of, contents)
}

/// Blocks of one type at byte offsets.
fn blocks(
    lengths: impl Iterator<Item = i64>,
    at: impl Iterator<Item = i64>,
    of: &Arc<Type>,
    contents: Contents,
) -> Result<Type> {
    let block = |(len, at)| {
        let count = length(len, "a block length")?;
        Ok(Block { at, count, datatype: of.clone() })
    };
    let blocks: Vec<Block> = lengths.zip(at).map(block).collect::<Result<_>>()?;
    Ok(shape(&blocks).finish(contents))
}

/// Displacements in multiples of the extent.
pub(super) fn indexed(
    lengths: &[i64],
    displacements: &[i64],
    old: Datatype,
    width: Width,
) -> Result<Type> {
    let of = get(old)?;
    let arguments = [&[lengths.len() as i64], lengths, displacements].concat();
    let contents =
        Contents::new(c::COMBINER_INDEXED, width, arguments, vec![], vec![(old, of.clone())]);
    let at = displacements.iter().map(|d| d * of.extent());
    blocks(lengths.iter().copied(), at, &of, contents)
}

/// Displacements in bytes.
pub(super) fn hindexed(
    lengths: &[i64],
    displacements: &[i64],
    old: Datatype,
    width: Width,
) -> Result<Type> {
    let of = get(old)?;
    let arguments = [&[lengths.len() as i64], lengths].concat();
    let types = vec![(old, of.clone())];
    let contents =
        Contents::new(c::COMBINER_HINDEXED, width, arguments, displacements.to_vec(), types);
    blocks(lengths.iter().copied(), displacements.iter().copied(), &of, contents)
}

pub(super) fn indexed_block(
    len: i64,
    displacements: &[i64],
    old: Datatype,
    width: Width,
) -> Result<Type> {
    let of = get(old)?;
    let arguments = [&[displacements.len() as i64, len], displacements].concat();
    let types = vec![(old, of.clone())];
    let contents = Contents::new(c::COMBINER_INDEXED_BLOCK, width, arguments, vec![], types);
    let at = displacements.iter().map(|d| d * of.extent());
    blocks(std::iter::repeat(len), at, &of, contents)
}

pub(super) fn hindexed_block(
    len: i64,
    displacements: &[i64],
    old: Datatype,
    width: Width,
) -> Result<Type> {
    let of = get(old)?;
    let arguments = vec![displacements.len() as i64, len];
    let types = vec![(old, of.clone())];
    let contents =
        Contents::new(c::COMBINER_HINDEXED_BLOCK, width, arguments, displacements.to_vec(), types);
    blocks(std::iter::repeat(len), displacements.iter().copied(), &of, contents)
}

/// The identity by which MPICH decides whether all parts of a struct are of one type. Signed and
/// unsigned integers are the same, and one item of a type is that type.
#[derive(PartialEq)]
enum EffectiveType {
    Predefined(Number),
    Made(*const Type),
}

impl EffectiveType {
    fn of(datatype: &Arc<Type>) -> EffectiveType {
        use Number::*;
        let contents = &datatype.contents;
        let arguments =
            if contents.counts.is_empty() { &contents.integers } else { &contents.counts };
        match (contents.combiner, datatype.number) {
            (c::COMBINER_CONTIGUOUS, _) if arguments[0] == 1 => {
                EffectiveType::of(&contents.types[0].1)
            }
            (c::COMBINER_VECTOR | c::COMBINER_HVECTOR, _) if arguments[..2] == [1, 1] => {
                EffectiveType::of(&contents.types[0].1)
            }
            (c::COMBINER_NAMED, Some(number)) => EffectiveType::Predefined(match number {
                U8 => I8,
                U16 => I16,
                U32 => I32,
                U64 => I64,
                other => other,
            }),
            _ => EffectiveType::Made(Arc::as_ptr(datatype)),
        }
    }
}

/// The bound set by the last `MPI_LB` or `MPI_UB` of a struct. As in MPICH 5, its block length is
/// ignored, and it applies to this struct alone: an enclosing type uses the resulting bounds as
/// those of any type.
fn marker_bound(blocks: &[Block], which: Bound) -> Option<i64> {
    let is_marker = |datatype: &Arc<Type>| match datatype.contents.combiner {
        c::COMBINER_DUP => bound(&datatype.contents.types[0].1),
        _ => bound(datatype),
    };
    blocks.iter().rev().find(|b| is_marker(&b.datatype) == Some(which)).map(|b| b.at)
}

pub(super) fn structure(
    lengths: &[i64],
    displacements: &[i64],
    old: &[Datatype],
    width: Width,
) -> Result<Type> {
    let mut blocks = Vec::with_capacity(lengths.len());
    let mut types = Vec::with_capacity(lengths.len());
    for ((&len, &at), &old) in lengths.iter().zip(displacements).zip(old) {
        let count = length(len, "a block length")?;
        let datatype = get(old)?;
        types.push((old, datatype.clone()));
        blocks.push(Block { at, count, datatype });
    }
    let arguments = [&[lengths.len() as i64], lengths].concat();
    let contents =
        Contents::new(c::COMBINER_STRUCT, width, arguments, displacements.to_vec(), types);
    let mut made = shape(&blocks).finish(contents);
    let [lower, upper] = [Bound::Lower, Bound::Upper].map(|which| marker_bound(&blocks, which));
    made.lb = lower.unwrap_or(made.lb);
    made.ub = upper.unwrap_or(made.ub);
    if lower.is_some() || upper.is_some() {
        return Ok(made);
    }
    // Adds the compiler's padding at the end of a struct, as MPI defines the extent. MPICH makes an
    // indexed type if all parts are of one type, and then adds no padding.
    let first = made.contents.types.first().map(|t| EffectiveType::of(&t.1));
    if made.contents.types.iter().any(|t| Some(EffectiveType::of(&t.1)) != first) {
        let rest = made.extent().rem_euclid(made.align as i64);
        made.ub += if rest == 0 { 0 } else { made.align as i64 - rest };
    }
    Ok(made)
}

pub(super) fn resized(old: Datatype, lb: i64, extent: i64, width: Width) -> Result<Type> {
    let of = get(old)?;
    let types = vec![(old, of.clone())];
    let contents = Contents::new(c::COMBINER_RESIZED, width, vec![], vec![lb, extent], types);
    let mut made = of.copy(contents);
    (made.lb, made.ub) = (lb, lb + extent);
    // Operators reject a predefined type with other bounds.
    made.number = None;
    made.committed = AtomicBool::new(false);
    Ok(made)
}

/// The smallest predefined type with so many digits and, for reals, such an exponent range, as
/// Fortran's `selected_int_kind` and `selected_real_kind`.
pub(super) fn selected(combiner: c_int, digits: c_int, range: Option<c_int>) -> Result<Type> {
    // Decimal digits and exponents of IEEE 754 single, double and quadruple precision.
    const REALS: [(c_int, c_int, Datatype, Datatype); 3] = [
        (6, 37, c::REAL4, c::COMPLEX8),
        (15, 307, c::REAL8, c::COMPLEX16),
        (33, 4931, c::REAL16, c::COMPLEX32),
    ];
    const INTEGERS: [(c_int, Datatype); 5] = [
        (2, c::INTEGER1),
        (4, c::INTEGER2),
        (9, c::INTEGER4),
        (18, c::INTEGER8),
        (38, c::INTEGER16),
    ];
    // A parameter that the program leaves undefined.
    let least = |n: c_int| if n == c::UNDEFINED { 0 } else { n };
    let found = match range {
        Some(range) => {
            let fits = |r: &&(c_int, c_int, _, _)| least(digits) <= r.0 && least(range) <= r.1;
            let complex = combiner == c::COMBINER_F90_COMPLEX;
            REALS.iter().find(fits).map(|r| if complex { r.3 } else { r.2 })
        }
        None => INTEGERS.iter().find(|i| digits <= i.0).map(|i| i.1),
    };
    let Some(found) = found else {
        return fail!(c::ERR_ARG, "no type has {digits} digits and the requested range");
    };
    let arguments = [digits].into_iter().chain(range).map(i64::from).collect();
    Ok(get(found)?.copy(Contents::new(combiner, Width::Small, arguments, vec![], vec![])))
}

/// The indices of one dimension that a rank owns: runs of (first, length), ascending.
type Owned = Vec<(i64, i64)>;

/// An array of `sizes`; the runs of `owned` in every dimension belong to the type.
fn array(sizes: &[i64], owned: &[Owned], order: c_int, of: &Arc<Type>, contents: Contents) -> Type {
    let dimensions: Vec<usize> = match order {
        c::ORDER_FORTRAN => (0..sizes.len()).collect(),
        _ => (0..sizes.len()).rev().collect(),
    };
    let mut stride = of.extent();
    let (mut placed, mut signature) = (of.placed.clone(), of.signature.clone());
    for d in dimensions {
        let part =
            |&(first, len): &(i64, i64)| placed.repeat(len as u64, stride).moved(first * stride);
        placed = Placed::list(owned[d].iter().map(part));
        let n: i64 = owned[d].iter().map(|run| run.1).sum();
        signature = Signature::repeat(&signature, n as u64);
        stride *= sizes[d];
    }
    let bounds = Bounds(Some((0, stride)));
    Shape { bounds, align: of.align, placed, signature }.finish(contents)
}

fn check_order(order: c_int) -> Result<()> {
    if order != c::ORDER_C && order != c::ORDER_FORTRAN {
        return fail!(c::ERR_ARG, "the order is {order}, not MPI_ORDER_C or MPI_ORDER_FORTRAN");
    }
    Ok(())
}

pub(super) fn subarray(
    sizes: &[i64],
    parts: &[i64],
    starts: &[i64],
    order: c_int,
    old: Datatype,
    width: Width,
) -> Result<Type> {
    let of = get(old)?;
    check_order(order)?;
    for (d, ((&size, &part), &start)) in sizes.iter().zip(parts).zip(starts).enumerate() {
        if part < 1 || start < 0 || start + part > size {
            let end = start + part;
            return fail!(c::ERR_ARG, "dimension {d}: {start}..{end} is not within 0..{size}");
        }
    }
    let owned: Vec<Owned> = starts.iter().zip(parts).map(|(&s, &n)| vec![(s, n)]).collect();
    let types = vec![(old, of.clone())];
    let n = sizes.len() as i64;
    let contents = match width {
        Width::Small => {
            let arguments = [&[n], sizes, parts, starts, &[i64::from(order)]].concat();
            Contents::new(c::COMBINER_SUBARRAY, width, arguments, vec![], types)
        }
        Width::Large => Contents {
            combiner: c::COMBINER_SUBARRAY,
            integers: vec![n, i64::from(order)],
            addresses: vec![],
            counts: [sizes, parts, starts].concat(),
            types,
        },
    };
    Ok(array(sizes, &owned, order, &of, contents))
}

/// The distribution of one dimension over processes.
pub(super) struct Distribution {
    pub size: i64,
    pub distribution: c_int,
    pub argument: c_int,
    pub processes: c_int,
}

/// The indices owned by process `me` of a dimension.
fn owned_indices(dimension: &Distribution, me: i64) -> Result<Owned> {
    let (n, p) = (dimension.size, i64::from(dimension.processes));
    let argument = match dimension.argument {
        c::DISTRIBUTE_DFLT_DARG => None,
        a if a > 0 => Some(i64::from(a)),
        a => return fail!(c::ERR_ARG, "a distribution argument of {a}"),
    };
    let block = match dimension.distribution {
        c::DISTRIBUTE_NONE if p == 1 => n,
        c::DISTRIBUTE_NONE => {
            return fail!(c::ERR_ARG, "{p} processes in a dimension that is not distributed");
        }
        c::DISTRIBUTE_BLOCK => {
            let block = argument.unwrap_or((n + p - 1) / p);
            if block * p < n {
                return fail!(c::ERR_ARG, "{p} blocks of {block} do not cover {n}");
            }
            block
        }
        c::DISTRIBUTE_CYCLIC => argument.unwrap_or(1),
        d => return fail!(c::ERR_ARG, "an unknown distribution: {d}"),
    };
    let firsts = (0..).map(|k| (k * p + me) * block).take_while(|&first| first < n);
    Ok(firsts.map(|first| (first, block.min(n - first))).collect())
}

/// The part of process `me` of `size`. The processes form a grid in C order, whatever the order of
/// the array.
pub(super) fn darray(
    (size, me): (c_int, c_int),
    per_dimension: &[Distribution],
    order: c_int,
    old: Datatype,
    width: Width,
) -> Result<Type> {
    let of = get(old)?;
    check_order(order)?;
    let grid: i64 = per_dimension.iter().map(|d| i64::from(d.processes)).product();
    if grid != i64::from(size) || per_dimension.iter().any(|d| d.processes < 1) {
        return fail!(c::ERR_ARG, "a grid of {grid} processes, but {size} in all");
    }
    if me < 0 || me >= size {
        return fail!(c::ERR_ARG, "rank {me} of {size}");
    }
    let mut owned = Vec::with_capacity(per_dimension.len());
    let (mut rest, mut below) = (i64::from(me), grid);
    for dimension in per_dimension {
        below /= i64::from(dimension.processes);
        owned.push(owned_indices(dimension, rest / below)?);
        rest %= below;
    }
    let column = |f: fn(&Distribution) -> c_int| per_dimension.iter().map(move |d| i64::from(f(d)));
    let sizes: Vec<i64> = per_dimension.iter().map(|d| d.size).collect();
    let mut integers = vec![i64::from(size), i64::from(me), per_dimension.len() as i64];
    if width == Width::Small {
        integers.extend(&sizes);
    }
    integers.extend(column(|d| d.distribution).chain(column(|d| d.argument)));
    integers.extend(column(|d| d.processes).chain([i64::from(order)]));
    let counts = if width == Width::Small { vec![] } else { sizes.clone() };
    let contents = Contents {
        combiner: c::COMBINER_DARRAY,
        integers,
        addresses: vec![],
        counts,
        types: vec![(old, of.clone())],
    };
    Ok(array(&sizes, &owned, order, &of, contents))
}
