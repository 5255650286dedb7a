//! Tests every predefined operator on every predefined type against plain arithmetic, with numbers
//! that all types represent exactly.

use std::ffi::{c_int, c_void};

use super::calls::{Op_create, Op_free};
use super::extended::LongDouble;
use super::half::{Bfloat16, Half};
use super::*;
use crate::datatype;
use crate::datatype::calls::{Type_contiguous, Type_create_resized};
use crate::datatype::predefined;

/// The bytes of a value of a type; pairs and complex numbers take two numbers.
fn bytes(number: Number, values: [i64; 2]) -> Vec<u8> {
    use Number::*;
    let [v, w] = values;
    let both = |part: Number| [bytes(part, [v, 0]), bytes(part, [w, 0])].concat();
    match number {
        I8 | U8 | Byte | L8 => vec![v as u8],
        I16 | U16 | L16 => (v as i16).to_ne_bytes().to_vec(),
        I32 | U32 | L32 => (v as i32).to_ne_bytes().to_vec(),
        I64 | U64 | L64 => v.to_ne_bytes().to_vec(),
        I128 | L128 => i128::from(v).to_ne_bytes().to_vec(),
        F16 => Half::from_f32(v as f32).0.to_ne_bytes().to_vec(),
        BF16 => Bfloat16::from_f32(v as f32).0.to_ne_bytes().to_vec(),
        F32 => (v as f32).to_ne_bytes().to_vec(),
        F64 => (v as f64).to_ne_bytes().to_vec(),
        F80 => LongDouble::from_f64(v as f64).bytes().to_vec(),
        C16 => both(F16),
        C32 => both(F32),
        C64 => both(F64),
        C80 => both(F80),
        pair if pair.halves().is_some() => {
            let [a, b] = pair.halves().unwrap();
            let mut out = vec![0; pair.layout().1 as usize];
            let (first, second) = (bytes(a, [v, 0]), bytes(b, [w, 0]));
            out[..first.len()].copy_from_slice(&first);
            out[pair.second_at() as usize..][..second.len()].copy_from_slice(&second);
            out
        }
        other => panic!("no operator combines {other:?}"),
    }
}

/// `a op b` on plain numbers; `b` is the in-out operand.
fn expected(op: Operator, number: Number, a: [i64; 2], b: [i64; 2]) -> [i64; 2] {
    use Operator::*;
    let complex = matches!(number, Number::C16 | Number::C32 | Number::C64 | Number::C80);
    let yes = |t: bool| [i64::from(t), 0];
    match op {
        Sum => [a[0] + b[0], a[1] + b[1]],
        Prod if complex => [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]],
        Prod => [a[0] * b[0], 0],
        Max => [a[0].max(b[0]), 0],
        Min => [a[0].min(b[0]), 0],
        Band => [a[0] & b[0], 0],
        Bor => [a[0] | b[0], 0],
        Bxor => [a[0] ^ b[0], 0],
        OnComplete => yes(a[0] != 0 && b[0] != 0),
        Lor => yes(a[0] != 0 || b[0] != 0),
        Lxor => yes((a[0] != 0) != (b[0] != 0)),
        MaxLoc if a[0] != b[0] => {
            if a[0] > b[0] {
                a
            } else {
                b
            }
        }
        MinLoc if a[0] != b[0] => {
            if a[0] < b[0] {
                a
            } else {
                b
            }
        }
        MaxLoc | MinLoc => [a[0], a[1].min(b[1])],
        Replace => a,
        NoOp => b,
    }
}

/// The bytes of an item without padding.
fn significant_bytes(number: Number, item: &[u8]) -> Vec<u8> {
    match number.halves() {
        Some([a, b]) => {
            let second = &item[number.second_at() as usize..][..b.layout().0 as usize];
            [significant_bytes(a, &item[..a.layout().0 as usize]), second.to_vec()].concat()
        }
        None if number == Number::F80 => item[..10].to_vec(),
        None if number == Number::C80 => [&item[..10], &item[16..26]].concat(),
        None => item.to_vec(),
    }
}

#[test]
fn predefined_operators_do_plain_arithmetic() {
    let mut pairs = 0;
    for (op_handle, op, _) in PREDEFINED {
        for ((_, handle), datatype) in c::DATATYPES.iter().zip(predefined()) {
            // MPI_LB and MPI_UB have no values.
            let Some(number) = datatype.number else { continue };
            let operation = get(op_handle).unwrap();
            let rarely = matches!(op, Operator::Replace | Operator::NoOp);
            if operation.check(datatype).is_err() || rarely && number.layout().0 > 8 {
                continue;
            }
            if rarely && number == Number::Opaque {
                continue;
            }
            pairs += 1;
            let signed = !format!("{number:?}").starts_with(['U', 'L', 'B']);
            let float = format!("{number:?}").starts_with(['F', 'C']);
            let pick = |nth| {
                let draw = (base::draw(7, 1, nth, pairs) % 12) as i64;
                match if signed { draw - 6 } else { draw % 6 } {
                    // A product may be a negative zero, which the small numbers do not include.
                    0 if float => 6,
                    value => value,
                }
            };
            let n = 5;
            let values: Vec<[[i64; 2]; 2]> = (0..n)
                .map(|i| [[pick(4 * i), pick(4 * i + 1)], [pick(4 * i + 2), pick(4 * i + 3)]])
                .collect();
            let lay = |side: usize| -> Vec<u8> {
                values.iter().flat_map(|v| bytes(number, v[side])).collect()
            };
            let what = format!("{op:?} on {number:?}");
            let wish: Vec<Vec<u8>> = values
                .iter()
                .map(|v| {
                    significant_bytes(number, &bytes(number, expected(op, number, v[0], v[1])))
                })
                .collect();
            let all_significant_bytes = |memory: &[u8]| -> Vec<Vec<u8>> {
                memory
                    .chunks(datatype.extent() as usize)
                    .map(|item| significant_bytes(number, item))
                    .collect()
            };
            let (from, mut inout) = (lay(0), lay(1));
            let typed = (*handle, &**datatype);
            let (a, b) = (from.as_ptr(), inout.as_mut_ptr());
            unsafe { combine_items(&operation, typed, n as u64, a, b) };
            assert_eq!(all_significant_bytes(&inout), wish, "{what}, in memory");

            let size = datatype.packed_size(n as u64) as usize;
            let (mut a, mut b) = (vec![0u8; size], vec![0u8; size]);
            unsafe {
                datatype.pack(n as u64, lay(0).as_ptr(), a.as_mut_ptr());
                datatype.pack(n as u64, lay(1).as_ptr(), b.as_mut_ptr());
                combine_packed(&operation, typed, n as u64, b.as_mut_ptr(), a.as_ptr(), true);
                let back = inout.as_mut_ptr();
                datatype.unpack(b.as_ptr(), size as u64, n as u64, back);
            }
            assert_eq!(all_significant_bytes(&inout), wish, "{what}, packed");
        }
    }
    // Integer types x 10, reals x 4, complex x 2, logicals x 3, pairs x 2 and the byte's 3.
    assert!(pairs > 300, "only {pairs} combinations were legal");
}

/// 2x2 matrices: the product of two depends on their order.
unsafe extern "C" fn multiply(
    from: *mut c_void,
    inout: *mut c_void,
    n: *mut c_int,
    _: *mut Datatype,
) {
    for i in 0..unsafe { *n } as usize {
        unsafe {
            let a = from.cast::<[i64; 4]>().add(i).read();
            let b = inout.cast::<[i64; 4]>().add(i).read();
            let entry = |r: usize, s: usize| a[2 * r] * b[s] + a[2 * r + 1] * b[2 + s];
            inout.cast::<[i64; 4]>().add(i).write([
                entry(0, 0),
                entry(0, 1),
                entry(1, 0),
                entry(1, 1),
            ]);
        }
    }
}

/// Adds the first int of items 12 bytes padded, and checks that there is padding between them.
unsafe extern "C" fn add_apart(
    from: *mut c_void,
    inout: *mut c_void,
    n: *mut c_int,
    datatype: *mut Datatype,
) {
    let extent = datatype::get(unsafe { *datatype }).expect("the handle works").extent() as usize;
    for i in 0..unsafe { *n } as usize {
        unsafe {
            let a = from.cast::<u8>().add(i * extent).cast::<i32>();
            let b = inout.cast::<u8>().add(i * extent).cast::<i32>();
            b.write(a.read() + b.read());
        }
    }
}

fn user(f: unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_int, *mut Datatype)) -> Op {
    let mut op = c::OP_NULL;
    unsafe { Op_create::<c_int>(f as *const c_void, 0, &raw mut op) }.unwrap();
    op
}

#[test]
fn a_users_operator_gets_its_operands_in_order_and_its_layout() {
    let operation = get(user(multiply)).unwrap();
    assert!(!operation.is_commutative());
    let mut matrix = c::DATATYPE_NULL;
    unsafe { Type_contiguous::<c_int>(4, c::LONG, &raw mut matrix) }.unwrap();
    let found = datatype::get(matrix).unwrap();
    let (a, b) = ([1i64, 2, 3, 4], [0i64, 1, 1, 1]);
    let (ab, ba) = ([2i64, 3, 4, 7], [3i64, 4, 4, 6]);
    for (left, wish) in [(true, ab), (false, ba)] {
        let mut into = b;
        let (to, from) = (into.as_mut_ptr().cast(), a.as_ptr().cast());
        unsafe { combine_packed(&operation, (matrix, &*found), 1, to, from, left) };
        assert_eq!(into, wish, "left {left}");
    }

    let operation = get(user(add_apart)).unwrap();
    let mut padded = c::DATATYPE_NULL;
    unsafe { Type_create_resized::<i64>(c::INT, -4, 12, &raw mut padded) }.unwrap();
    let found = datatype::get(padded).unwrap();
    let (mut into, from) = ([1i32, 2, 3], [10i32, 20, 30]);
    let (to, from) = (into.as_mut_ptr().cast(), from.as_ptr().cast());
    unsafe { combine_packed(&operation, (padded, &*found), 3, to, from, true) };
    assert_eq!(into, [11, 22, 33]);
}

#[test]
fn operators_refuse_what_they_are_not_defined_for() {
    let check = |op, datatype| get(op).unwrap().check(&datatype::get(datatype).unwrap()).is_ok();
    // As in the reference MPICH 5.0.2.
    assert!(check(c::SUM, c::CHAR) && check(c::LAND, c::C_BOOL) && check(c::BXOR, c::BYTE));
    assert!(!check(c::SUM, c::BYTE) && !check(c::SUM, c::C_BOOL) && !check(c::SUM, c::CHARACTER));
    assert!(!check(c::LAND, c::FLOAT) && !check(c::MAXLOC, c::INT) && !check(c::SUM, c::_2INT));
    assert_eq!(get(c::OP_NULL).err().unwrap().code, c::ERR_OP);
    assert!(unsafe { Op_free(&mut c::SUM.clone()) }.is_err());
}
