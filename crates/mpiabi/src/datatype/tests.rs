//! Random types compared with the definition: a list of basic elements and their offsets.

use std::ffi::c_int;
use std::ptr::{null, null_mut};

use super::calls::*;
use super::decode::*;
use super::packing::*;
use super::{Number, Type, get};
use crate::abi::{Datatype, Status, c};
use crate::error::Result;

/// The standard's typemap, as a list.
#[derive(Clone)]
struct Model {
    values: Vec<(i64, Number)>,
    lb: i64,
    ub: i64,
    align: i64,
}

/// `len` items of a model, from an offset on.
type ModelPart<'a> = (i64, i64, &'a Model);

impl Model {
    fn predefined(datatype: &Type) -> Model {
        let number = datatype.number.expect("predefined");
        let values = match number.halves() {
            Some([a, b]) => vec![(0, a), (number.second_at() as i64, b)],
            None => vec![(0, number)],
        };
        let (_, extent, align) = number.layout();
        Model { values, lb: 0, ub: extent as i64, align: align as i64 }
    }
    fn extent(&self) -> i64 {
        self.ub - self.lb
    }
    fn of(parts: &[ModelPart]) -> Model {
        let (mut values, mut bounds, mut align) = (Vec::new(), None, 1);
        for &(at, len, model) in parts {
            for i in 0..len {
                let at = at + i * model.extent();
                values.extend(model.values.iter().map(|&(o, n)| (at + o, n)));
                if !model.values.is_empty() || model.extent() != 0 {
                    let (low, high) = bounds.unwrap_or((i64::MAX, i64::MIN));
                    bounds = Some((low.min(at + model.lb), high.max(at + model.ub)));
                }
                align = align.max(model.align);
            }
        }
        let (lb, ub) = bounds.unwrap_or((0, 0));
        Model { values, lb, ub, align }
    }
    fn size(number: Number) -> usize {
        number.layout().0 as usize
    }
    fn bytes(&self) -> usize {
        self.values.iter().map(|v| Model::size(v.1)).sum()
    }
    /// Offsets of all bytes of `count` items, in transfer order.
    fn byte_offsets(&self, count: i64) -> Vec<i64> {
        let item = |i| {
            let shift = i * self.extent();
            let byte = move |&(at, n): &(i64, Number)| {
                (0..Model::size(n) as i64).map(move |k| shift + at + k)
            };
            self.values.iter().flat_map(byte)
        };
        (0..count).flat_map(item).collect()
    }
}

struct Draws {
    seed: u64,
    nth: u64,
}

impl Draws {
    fn below_limit(&mut self, below: i64) -> i64 {
        self.nth += 1;
        (base::draw(self.seed, 0, 0, self.nth) % below as u64) as i64
    }
    fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below_limit(high - low + 1)
    }
    fn list(&mut self, n: i64, low: i64, high: i64) -> Vec<i64> {
        (0..n).map(|_| self.between(low, high)).collect()
    }
}

fn make(f: impl FnOnce(*mut Datatype) -> Result) -> Datatype {
    let mut made = c::DATATYPE_NULL;
    f(&raw mut made).expect("legal arguments");
    made
}

fn small(list: &[i64]) -> Vec<c_int> {
    list.iter().map(|&v| v as c_int).collect()
}

/// A random type and its model, created by the C functions with int or large counts.
fn random(draws: &mut Draws, depth: u32) -> (Datatype, Model) {
    let all = super::predefined();
    if depth == 0 || draws.below_limit(6) == 0 {
        let mut i = draws.below_limit(all.len() as i64) as usize;
        // MPI_LB and MPI_UB have no values, and are defined in structs only.
        while all[i].number.is_none() {
            i = (i + 1) % all.len();
        }
        return (c::DATATYPES[i].1, Model::predefined(&all[i]));
    }
    let (old, model) = random(draws, depth - 1);
    let (n, len) = (draws.between(0, 4), draws.between(0, 3));
    let (a, b) = (draws.list(n, 0, 3), draws.list(n, -9, 9));
    let (ai, bi) = (small(&a), small(&b));
    let e = model.extent();
    let large = draws.below_limit(2) == 0;
    let spread: Vec<i64> = b.iter().map(|d| d * 13).collect();
    unsafe {
        match draws.below_limit(9) {
            0 => {
                let made = match large {
                    true => make(|new| Type_contiguous::<i64>(n, old, new)),
                    false => make(|new| Type_contiguous::<c_int>(n as c_int, old, new)),
                };
                (made, Model::of(&[(0, n, &model)]))
            }
            1 => {
                let stride = draws.between(-5, 5);
                let parts: Vec<ModelPart> = (0..n).map(|i| (i * stride * e, len, &model)).collect();
                let made = match large {
                    true => make(|new| Type_vector::<i64>(n, len, stride, old, new)),
                    false => make(|new| {
                        let (n, len, stride) = (n as c_int, len as c_int, stride as c_int);
                        Type_vector::<c_int>(n, len, stride, old, new)
                    }),
                };
                (made, Model::of(&parts))
            }
            2 => {
                let stride = draws.between(-50, 50);
                let parts: Vec<ModelPart> = (0..n).map(|i| (i * stride, len, &model)).collect();
                let made = make(|new| Type_create_hvector::<i64>(n, len, stride, old, new));
                (made, Model::of(&parts))
            }
            3 => {
                let parts: Vec<ModelPart> =
                    (0..n as usize).map(|i| (b[i] * e, a[i], &model)).collect();
                let (n, a, b) = (n as c_int, ai.as_ptr(), bi.as_ptr());
                let made = make(|new| Type_indexed::<c_int>(n, a, b, old, new));
                (made, Model::of(&parts))
            }
            4 => {
                let parts: Vec<ModelPart> =
                    (0..n as usize).map(|i| (spread[i], a[i], &model)).collect();
                let (n, a, b) = (n as c_int, ai.as_ptr(), spread.as_ptr());
                let made = make(|new| Type_create_hindexed::<c_int>(n, a, b, old, new));
                (made, Model::of(&parts))
            }
            5 => {
                let parts: Vec<ModelPart> = b.iter().map(|d| (d * e, len, &model)).collect();
                let b = b.as_ptr();
                let made = make(|new| Type_create_indexed_block::<i64>(n, len, b, old, new));
                (made, Model::of(&parts))
            }
            6 => {
                let parts: Vec<ModelPart> = spread.iter().map(|&d| (d, len, &model)).collect();
                let b = spread.as_ptr();
                let made = make(|new| Type_create_hindexed_block::<i64>(n, len, b, old, new));
                (made, Model::of(&parts))
            }
            7 => random_struct(draws, depth, (old, model)),
            _ => {
                let (lb, extent) = (draws.between(-20, 20), draws.between(0, 60));
                let made = make(|new| Type_create_resized::<c_int>(old, lb, extent, new));
                (made, Model { lb, ub: lb + extent, ..model })
            }
        }
    }
}

fn random_struct(draws: &mut Draws, depth: u32, first: (Datatype, Model)) -> (Datatype, Model) {
    let (second, third) = (random(draws, depth - 1), random(draws, depth - 1));
    let types = [first.0, second.0, third.0];
    let (lengths, at) = (draws.list(3, 0, 2), draws.list(3, -40, 40));
    let parts = [
        (at[0], lengths[0], &first.1),
        (at[1], lengths[1], &second.1),
        (at[2], lengths[2], &third.1),
    ];
    let mut model = Model::of(&parts);
    if types.iter().any(|t| *t != types[0]) {
        model.ub += (-model.extent()).rem_euclid(model.align);
    }
    let (l, d, t) = (lengths.as_ptr(), at.as_ptr(), types.as_ptr());
    (make(|new| unsafe { Type_create_struct::<i64>(3, l, d, t, new) }), model)
}

/// Compares all properties of a type, and its packing, with the model.
fn check(datatype: Datatype, model: &Model, count: i64, what: &str) {
    let found = get(datatype).expect("a type");
    assert_eq!(found.size as usize, model.bytes(), "{what}: size");
    assert_eq!((found.lb, found.ub), (model.lb, model.ub), "{what}: bounds");
    let once = model.byte_offsets(1);
    let low = once.iter().copied().min().unwrap_or(0);
    let high = once.iter().copied().max().map_or(0, |h| h + 1);
    assert_eq!(found.true_bounds(), (low, high), "{what}: true bounds");

    let byte_offsets = model.byte_offsets(count);
    let low = byte_offsets.iter().copied().min().unwrap_or(0);
    let high = byte_offsets.iter().copied().max().unwrap_or(0) + 1;
    let memory: Vec<u8> = (0..high - low).map(|i| (i * 7 + i / 256) as u8).collect();
    let expect: Vec<u8> = byte_offsets.iter().map(|&at| memory[(at - low) as usize]).collect();
    let mut packed = vec![0xeeu8; expect.len() + 8];
    // As with MPI_BOTTOM and addresses: only the sum has to be within the memory.
    let buf = memory.as_ptr().wrapping_offset(-low as isize);
    unsafe { found.pack(count as u64, buf, packed.as_mut_ptr()) };
    assert_eq!(packed[..expect.len()], expect[..], "{what}: packed");
    assert_eq!(packed[expect.len()..], [0xee; 8], "{what}: wrote past the end");
    if let Some(at) = found.contiguous(count as u64).filter(|_| !expect.is_empty()) {
        let straight = &memory[(at - low) as usize..][..expect.len()];
        assert_eq!(straight, expect, "{what}: said to be contiguous");
    }

    // A partial message leaves the rest of the buffer unchanged.
    for bytes in [0, 1, expect.len() / 2, expect.len().saturating_sub(1), expect.len()] {
        let bytes = bytes.min(expect.len());
        let mut memory = vec![0xeeu8; (high - low) as usize];
        let mut expected = memory.clone();
        for (k, &at) in byte_offsets[..bytes].iter().enumerate() {
            expected[(at - low) as usize] = k as u8;
        }
        let from: Vec<u8> = (0..bytes).map(|k| k as u8).collect();
        let buf = memory.as_mut_ptr().wrapping_offset(-low as isize);
        unsafe { found.unpack(from.as_ptr(), bytes as u64, count as u64, buf) };
        assert_eq!(memory, expected, "{what}: unpacked {bytes} bytes");
    }

    let sizes: Vec<usize> = model.values.iter().map(|v| Model::size(v.1)).collect();
    let (mut at, mut n) = (0, 0);
    for (i, size) in sizes.iter().cycle().take(sizes.len() * 2).enumerate() {
        assert_eq!(found.elements(at as u64), Some(n), "{what}: elements in {at} bytes");
        assert_eq!(found.bytes_of_elements(n), at as u64, "{what}: bytes of {n} elements");
        let whole = i % sizes.len() == 0;
        assert_eq!(found.items(at as u64).is_some(), whole, "{what}: items in {at} bytes");
        if *size > 1 {
            assert_eq!(found.elements(at as u64 + 1), None, "{what}: one byte more than {at}");
        }
        (at, n) = (at + size, n + 1);
    }
}

#[test]
fn random_types_match_their_typemaps() {
    for seed in 0..3000 {
        let mut draws = Draws { seed, nth: 0 };
        let depth = draws.between(1, 4) as u32;
        let (datatype, model) = random(&mut draws, depth);
        // Nested repetition may grow large, and the list is slow.
        if model.values.len() < 2000 {
            check(datatype, &model, draws.between(0, 3), &format!("seed {seed}"));
        }
    }
}

/// The elements of an array of `sizes` that the rank owns by `owns`, in storage order.
fn array_model(
    sizes: &[i64],
    order: c_int,
    element: &Model,
    owns: impl Fn(usize, i64) -> bool,
) -> Model {
    let total: i64 = sizes.iter().product();
    let mut values = Vec::new();
    for linear in 0..total {
        let (mut rest, mut ours) = (linear, true);
        for step in 0..sizes.len() {
            let d = if order == c::ORDER_C { sizes.len() - 1 - step } else { step };
            ours &= owns(d, rest % sizes[d]);
            rest /= sizes[d];
        }
        if ours {
            let shift = linear * element.extent();
            values.extend(element.values.iter().map(|&(at, n)| (shift + at, n)));
        }
    }
    Model { values, lb: 0, ub: total * element.extent(), align: element.align }
}

#[test]
fn array_types_match_the_definition() {
    let elements = [c::INT, c::DOUBLE_INT, c::BYTE];
    for seed in 0..400 {
        let mut draws = Draws { seed, nth: 0 };
        let old = elements[draws.below_limit(3) as usize];
        let element = Model::predefined(&get(old).unwrap());
        let order = if draws.below_limit(2) == 0 { c::ORDER_C } else { c::ORDER_FORTRAN };
        let n = draws.between(1, 3);
        let sizes = draws.list(n, 1, 6);
        let parts: Vec<i64> = sizes.iter().map(|&s| draws.between(1, s)).collect();
        let starts: Vec<i64> =
            sizes.iter().zip(&parts).map(|(s, p)| draws.between(0, s - p)).collect();
        let made = make(|new| unsafe {
            let (a, b, s) = (sizes.as_ptr(), parts.as_ptr(), starts.as_ptr());
            Type_create_subarray::<i64>(n as c_int, a, b, s, order, old, new)
        });
        let owns = |d: usize, i: i64| (starts[d]..starts[d] + parts[d]).contains(&i);
        check(made, &array_model(&sizes, order, &element, owns), 2, &format!("subarray {seed}"));

        let grid = draws.list(n, 1, 3);
        let size: i64 = grid.iter().product();
        let kinds: Vec<c_int> = grid
            .iter()
            .map(|&p| match (p, draws.below_limit(3)) {
                (1, 0) => c::DISTRIBUTE_NONE,
                (_, 1) => c::DISTRIBUTE_BLOCK,
                _ => c::DISTRIBUTE_CYCLIC,
            })
            .collect();
        let arguments: Vec<c_int> = kinds
            .iter()
            .map(|&k| match k {
                c::DISTRIBUTE_CYCLIC if draws.below_limit(2) == 0 => draws.between(1, 3) as c_int,
                _ => c::DISTRIBUTE_DFLT_DARG,
            })
            .collect();
        let processes = small(&grid);
        let mut seen = 0;
        for me in 0..size {
            let made = make(|new| unsafe {
                let (s, k, a) = (sizes.as_ptr(), kinds.as_ptr(), arguments.as_ptr());
                let (size, me, n) = (size as c_int, me as c_int, n as c_int);
                let p = processes.as_ptr();
                Type_create_darray::<i64>(size, me, n, s, k, a, p, order, old, new)
            });
            let coordinate = |d: usize| me / grid[d + 1..].iter().product::<i64>() % grid[d];
            let owns = |d: usize, i: i64| match kinds[d] {
                c::DISTRIBUTE_BLOCK => i / ((sizes[d] + grid[d] - 1) / grid[d]) == coordinate(d),
                c::DISTRIBUTE_CYCLIC => {
                    let dealt = match arguments[d] {
                        c::DISTRIBUTE_DFLT_DARG => 1,
                        argument => i64::from(argument),
                    };
                    i / dealt % grid[d] == coordinate(d)
                }
                _ => true,
            };
            let model = array_model(&sizes, order, &element, owns);
            seen += model.values.len();
            check(made, &model, 1, &format!("darray {seed} rank {me}"));
        }
        // Every element belongs to exactly one process.
        assert_eq!(seen as i64, sizes.iter().product::<i64>() * element.values.len() as i64);
    }
}

/// Extents of structs in the reference MPICH 5.0.2, with its padding rules.
#[test]
fn struct_padding_matches_mpich() {
    let resized =
        |old, extent| make(|new| unsafe { Type_create_resized::<i64>(old, 0, extent, new) });
    let bounds = |lengths: &[i64], at: &[i64], types: &[Datatype]| {
        let n = types.len() as i64;
        let (l, d, t) = (lengths.as_ptr(), at.as_ptr(), types.as_ptr());
        let found = get(make(|new| unsafe { Type_create_struct::<i64>(n, l, d, t, new) })).unwrap();
        (found.lb, found.extent())
    };
    let (double, byte) = (c::DOUBLE, c::BYTE);
    assert_eq!(bounds(&[1, 1], &[0, 8], &[double, byte]), (0, 16));
    assert_eq!(bounds(&[1], &[0], &[resized(double, 9)]), (0, 9));
    assert_eq!(bounds(&[1, 1], &[0, 9], &[resized(double, 9), byte]), (0, 16));
    assert_eq!(bounds(&[1, 1], &[-3, 8], &[byte, double]), (-3, 24));
    assert_eq!(bounds(&[0, 1], &[0, 8], &[double, byte]), (8, 1));
    assert_eq!(bounds(&[1, 1], &[0, 9], &[double, double]), (0, 17));
    assert_eq!(bounds(&[1, 1], &[0, 9], &[double, c::LONG]), (0, 24));
    assert_eq!(bounds(&[1, 1], &[0, 16], &[c::DOUBLE_INT, byte]), (0, 24));
    assert_eq!(bounds(&[1, 1], &[0, 8], &[c::FLOAT_INT, byte]), (0, 12));
    assert_eq!(bounds(&[1, 1], &[0, 16], &[c::C_DOUBLE_COMPLEX, byte]), (0, 24));
    let (int, at_100) = (resized(c::INT, 64), [0, 100]);
    assert_eq!(bounds(&[1, 1], &at_100, &[int, c::INT]), (0, 104));
}

#[test]
fn contents_return_the_constructor_arguments() {
    let (lengths, at) = ([1, 2], [0i64, 24]);
    let types = [c::INT, make(|new| unsafe { Type_contiguous::<c_int>(3, c::DOUBLE, new) })];
    let made = make(|new| unsafe {
        Type_create_struct::<c_int>(2, lengths.as_ptr(), at.as_ptr(), types.as_ptr(), new)
    });
    let mut n = [0; 4];
    let [a, b, d, k] = &mut n;
    unsafe { Type_get_envelope(made, a, b, d, k) }.unwrap();
    assert_eq!(n, [3, 2, 2, c::COMBINER_STRUCT]);
    let (mut integers, mut addresses) = ([0; 3], [0i64; 2]);
    let mut parts = [c::DATATYPE_NULL; 2];
    let (i, m, p) = (integers.as_mut_ptr(), addresses.as_mut_ptr(), parts.as_mut_ptr());
    unsafe { Type_get_contents(made, 3, 2, 2, i, m, p) }.unwrap();
    assert_eq!((integers, addresses, parts[0]), ([2, 1, 2], [0, 24], c::INT));
    assert_eq!(get(parts[1]).unwrap().size, 24);
    assert!(unsafe { Type_get_contents(made, 2, 2, 2, i, m, p) }.is_err());

    let made = make(|new| unsafe { Type_vector::<i64>(2, 3, 4, c::INT, new) });
    let mut n = [0i64; 4];
    let mut combiner = 0;
    let [a, b, l, d] = &mut n;
    unsafe { Type_get_envelope_c(made, a, b, l, d, &raw mut combiner) }.unwrap();
    assert_eq!((n, combiner), ([0, 0, 3, 1], c::COMBINER_VECTOR));
    let mut counts = [0i64; 3];
    unsafe {
        let (l, p) = (counts.as_mut_ptr(), parts.as_mut_ptr());
        Type_get_contents_c(made, 0, 0, 3, 1, null_mut(), null_mut(), l, p).unwrap();
        // The int form cannot return large counts.
        let [a, b, d, k] = &mut [0; 4];
        assert!(Type_get_envelope(made, a, b, d, k).is_err());
    }
    assert_eq!((counts, parts[0]), ([2, 3, 4], c::INT));
}

#[test]
fn packing_checks_room_and_moves_the_position() {
    let values = [1i32, 2, 3];
    let mut out = [0u8; 16];
    let mut position = 2;
    unsafe {
        let (from, to) = (values.as_ptr().cast(), out.as_mut_ptr().cast());
        let p = &raw mut position;
        Pack::<c_int>(from, 3, c::INT, to, 16, p, c::COMM_SELF).unwrap();
        assert_eq!(position, 14);
        let error = Pack::<c_int>(from, 3, c::INT, to, 16, p, c::COMM_SELF).unwrap_err();
        assert_eq!((error.code, position), (c::ERR_TRUNCATE, 14));
        position = 2;
        let mut back = [0i32; 3];
        let (from, to) = (out.as_ptr().cast(), back.as_mut_ptr().cast());
        Unpack::<c_int>(from, 16, p, to, 3, c::INT, c::COMM_SELF).unwrap();
        assert_eq!((back, position), (values, 14));

        let (mut at, name) = (0i64, c"external32".as_ptr());
        let (from, to) = (values.as_ptr().cast(), out.as_mut_ptr().cast());
        Pack_external::<c_int>(name, from, 3, c::INT, to, 16, &raw mut at).unwrap();
        assert_eq!(out[..12], [0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3]);

        // -1.5 in x87 format, and as a big-endian quadruple.
        let value = [0, 0, 0, 0, 0, 0, 0, 0xc0, 0xff, 0xbf, 0, 0, 0, 0, 0, 0u8];
        let (mut at, mut back) = (0i64, [7u8; 16]);
        let (from, to) = (value.as_ptr().cast(), out.as_mut_ptr().cast());
        let datatype = c::LONG_DOUBLE;
        Pack_external::<c_int>(name, from, 1, datatype, to, 16, &raw mut at).unwrap();
        if cfg!(target_arch = "x86_64") {
            assert_eq!(out[..4], [0xbf, 0xff, 0x80, 0]);
        }
        let (from, to) = (out.as_ptr().cast(), back.as_mut_ptr().cast());
        at = 0;
        Unpack_external::<c_int>(name, from, 16, &raw mut at, to, 1, datatype).unwrap();
        assert_eq!(back, value);
    }
}

#[test]
fn counts_of_a_status_and_bad_types() {
    let mut status = Status::new(0, 0, 0);
    status.set_bytes(20);
    let mut n = 0;
    unsafe {
        Get_count::<c_int>(&raw const status, c::INT, &raw mut n).unwrap();
        assert_eq!(n, 5);
        Get_count::<c_int>(&raw const status, c::DOUBLE, &raw mut n).unwrap();
        assert_eq!(n, c::UNDEFINED);
        // As in the reference MPICH 5.0.2: a pair counts twice.
        Get_elements::<c_int>(&raw const status, c::DOUBLE_INT, &raw mut n).unwrap();
        assert_eq!(n, 3);
        status.set_bytes(1 << 40);
        Get_count::<c_int>(&raw const status, c::BYTE, &raw mut n).unwrap();
        assert_eq!(n, c::UNDEFINED);
        let mut handle = make(|new| Type_contiguous::<c_int>(2, c::INT, new));
        assert_eq!(super::committed(handle).err().unwrap().code, c::ERR_TYPE);
        Type_commit(&raw mut handle).unwrap();
        assert!(super::committed(handle).is_ok());
        // The test of `Registry` covers the freed slot: here another thread may reuse it at once.
        Type_free(&raw mut handle).unwrap();
        assert_eq!(handle, c::DATATYPE_NULL);
        assert!(Type_free(&mut c::INT.clone()).is_err());
        let new = &raw mut handle;
        assert!(Type_contiguous::<c_int>(-1, c::INT, new).is_err());
        assert!(Type_indexed::<c_int>(1, null(), null(), c::INT, new).is_err());
        assert!(Type_vector::<c_int>(1, -1, 1, c::INT, new).is_err());
    }
}

/// A double in a cache line of its own.
pub(crate) fn column() -> Datatype {
    let made = make(|new| unsafe { Type_create_resized::<c_int>(c::DOUBLE, 0, 128, new) });
    get(made).unwrap().committed.store(true, super::Ordering::Relaxed);
    made
}

/// Number of cache lines that contain the data of `count` items, if the first byte starts a line.
fn lines(datatype: Datatype, count: u64) -> u64 {
    let mut lines = std::collections::BTreeSet::new();
    get(datatype).unwrap().runs(count, |at, stride, n, len| {
        let run = |i: i64| at + i * stride..at + i * stride + len as i64;
        lines.extend((0..n as i64).flat_map(run).map(|byte| byte.div_euclid(64)));
        true
    });
    lines.len() as u64
}

/// If data starts or fills cache lines, their number is exact.
#[test]
fn noncontiguous_layout_counts_cache_lines_and_values() {
    let vector = |n, block, stride| {
        make(|new| unsafe { Type_vector::<c_int>(n, block, stride, c::DOUBLE, new) })
    };
    for (n, block, stride) in
        [(64, 1, 2), (64, 1, 4), (100, 1, 8), (100, 3, 8), (100, 8, 16), (50, 9, 24), (10, 65, 128)]
    {
        let made = vector(n, block, stride);
        let noncontiguous = get(made).unwrap().noncontiguous(1);
        let values = (n * block) as u64;
        assert_eq!(
            (noncontiguous.bytes, noncontiguous.values, noncontiguous.members),
            (8 * values, values, 0)
        );
        assert_eq!(noncontiguous.touched, 64 * lines(made, 1), "vector of {n}, {block}, {stride}");
    }
    // A face of rows, and one of columns, which is a vector of vectors.
    let face = |parts: [c_int; 3]| {
        let (sizes, starts) = ([32, 32, 64], [0; 3]);
        make(|new| unsafe {
            let (a, b, s) = (sizes.as_ptr(), parts.as_ptr(), starts.as_ptr());
            Type_create_subarray::<c_int>(3, a, b, s, c::ORDER_C, c::DOUBLE, new)
        })
    };
    for parts in [[32, 1, 64], [32, 32, 1], [1, 32, 60]] {
        let made = face(parts);
        assert_eq!(get(made).unwrap().noncontiguous(1).touched, 64 * lines(made, 1), "{parts:?}");
    }
    // Adjacent columns share lines, and are packed one after the other.
    let column = vector(100, 1, 8);
    let beside = make(|new| unsafe { Type_create_resized::<c_int>(column, 0, 8, new) });
    assert_eq!(get(beside).unwrap().noncontiguous(8).touched, 8 * 100 * 64);
    // A list of blocks close to each other: no line is counted twice.
    let at = [0, 2, 6, 8, 24];
    let list = make(|new| unsafe {
        Type_create_indexed_block::<c_int>(5, 1, at.as_ptr(), c::DOUBLE, new)
    });
    assert_eq!(get(list).unwrap().noncontiguous(1).touched, 16 + 32 + 16 + 64 + 64);
}

#[test]
fn members_count_stretches_of_equal_values() {
    let record = |kinds: &[(i64, c_int, Datatype)], extent| {
        let (at, n): (Vec<_>, Vec<_>) = kinds.iter().map(|k| (k.0, k.1)).unzip();
        let of: Vec<_> = kinds.iter().map(|k| k.2).collect();
        let made = make(|new| unsafe {
            let (n, at, of) = (n.as_ptr(), at.as_ptr(), of.as_ptr());
            Type_create_struct::<c_int>(kinds.len() as c_int, n, at, of, new)
        });
        make(|new| unsafe { Type_create_resized::<c_int>(made, 0, extent, new) })
    };
    let two = record(&[(0, 1, c::DOUBLE), (8, 1, c::INT)], 16);
    let three = record(&[(0, 3, c::DOUBLE), (32, 1, c::INT), (48, 2, c::CHAR)], 56);
    let alike = record(&[(0, 1, c::DOUBLE), (16, 1, c::DOUBLE)], 24);
    let small = record(&[(0, 1, c::SHORT), (2, 1, c::CHAR)], 4);
    for (made, bytes, values, members, touched) in
        [(two, 12, 2, 2, 16), (three, 30, 6, 3, 56), (alike, 16, 2, 0, 24), (small, 3, 2, 2, 4)]
    {
        let noncontiguous = get(made).unwrap().noncontiguous(1000);
        assert_eq!((noncontiguous.bytes, noncontiguous.values), (1000 * bytes, 1000 * values));
        let touched = u64::next_multiple_of(1000 * touched, workload::NonContiguous::LINE);
        assert_eq!((noncontiguous.members, noncontiguous.touched), (1000 * members, touched));
    }
}

#[test]
fn contiguous_data_has_no_layout() {
    let contiguous = make(|new| unsafe { Type_contiguous::<c_int>(7, c::DOUBLE, new) });
    let tight = make(|new| unsafe { Type_vector::<c_int>(7, 3, 3, c::INT, new) });
    let shifted = make(|new| unsafe { Type_create_resized::<c_int>(c::DOUBLE, -8, 8, new) });
    for (datatype, count) in [
        (c::DOUBLE, 100),
        (c::BYTE, 1),
        (c::PACKED, 100),
        // Pairs are predefined, including their padding.
        (c::DOUBLE_INT, 100),
        (contiguous, 100),
        (tight, 100),
        (shifted, 100),
        (contiguous, 0),
    ] {
        assert!(!get(datatype).unwrap().noncontiguous(count).is_some(), "{datatype:?} x {count}");
    }
    // One item with padding is one stretch, several are not.
    let roomy = make(|new| unsafe { Type_create_resized::<c_int>(c::DOUBLE, 0, 64, new) });
    let found = get(roomy).unwrap();
    assert!(!found.noncontiguous(1).is_some());
    assert_eq!(
        found.noncontiguous(3),
        workload::NonContiguous { bytes: 24, touched: 192, values: 3, members: 0 }
    );
    // A buffer may be longer than memory: the description is limited to what the simulator accepts.
    let long = found.noncontiguous(1 << 40);
    assert_eq!(
        (long.bytes, long.touched),
        (workload::NonContiguous::MOST, 8 * workload::NonContiguous::MOST)
    );
}

#[test]
fn whole_elements_end_where_an_element_does() {
    // A double and an int: 12 bytes of an item are data.
    for (datatype, bytes, whole) in [
        (c::BYTE, 3, 3),
        (c::INT, 3, 0),
        (c::INT, 7, 4),
        (c::INT, 8, 8),
        (c::SHORT, 7, 6),
        (c::DOUBLE_INT, 14, 12),
        (c::DOUBLE_INT, 21, 20),
        (c::DOUBLE_INT, 25, 24),
    ] {
        assert_eq!(get(datatype).unwrap().whole(bytes), whole, "{datatype:?}: {bytes}");
    }
}

/// As in MPICH 5.0.2: the last marker of a bound counts, for its struct alone.
#[cfg(feature = "mpich")]
#[test]
fn markers_set_the_bounds_of_a_struct() {
    let bounds = |at: &[i64], of: &[Datatype]| {
        let made = super::make::structure(&vec![1; at.len()], at, of, super::make::Width::Small);
        let made = made.expect("a struct");
        (made.size, made.lb, made.ub)
    };
    assert_eq!(bounds(&[-8, 0, 32], &[c::LB, c::INT, c::UB]), (4, -8, 32));
    assert_eq!(bounds(&[0, 2], &[c::INT, c::UB]), (4, 0, 2));
    assert_eq!(bounds(&[0, 20, 10], &[c::INT, c::UB, c::UB]), (4, 0, 10));
    assert_eq!(bounds(&[0, 2, 3], &[c::INT, c::LB, c::LB]), (4, 3, 4));
    assert_eq!(bounds(&[5, 25], &[c::LB, c::UB]), (0, 5, 25));
}
