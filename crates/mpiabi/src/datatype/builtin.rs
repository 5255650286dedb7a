//! The predefined datatypes: their sizes, and the arithmetic of their values.

use std::sync::{Arc, LazyLock};

use workload::wire::combine::element;

use super::Type;
use crate::abi::{Datatype, c};

/// The arithmetic type of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Number {
    I8,
    I16,
    I32,
    I64,
    I128,
    U8,
    U16,
    U32,
    U64,
    F16,
    /// The upper half of an `F32`.
    BF16,
    F32,
    F64,
    /// C's `long double` on x86-64: 80 bits in 16 bytes.
    F80,
    F128,
    C16,
    C32,
    C64,
    C80,
    C128,
    /// C and Fortran logical values, by size.
    L8,
    L16,
    L32,
    L64,
    L128,
    /// `MPI_BYTE`: bits only.
    Byte,
    /// Characters and packed data: no arithmetic.
    Opaque,
    /// A value and an index or second value of `MPI_MAXLOC` and `MPI_MINLOC`.
    FloatInt,
    DoubleInt,
    LongInt,
    IntInt,
    ShortInt,
    LongDoubleInt,
    FloatFloat,
    DoubleDouble,
}

impl Number {
    /// Bytes of data, extent, alignment on x86-64 and AArch64 Linux.
    pub fn layout(self) -> (u64, u64, u64) {
        use Number::*;
        match self {
            I8 | U8 | L8 | Byte | Opaque => (1, 1, 1),
            I16 | U16 | F16 | BF16 | L16 => (2, 2, 2),
            I32 | U32 | F32 | L32 => (4, 4, 4),
            I64 | U64 | F64 | L64 => (8, 8, 8),
            I128 | F80 | F128 | L128 => (16, 16, 16),
            C16 => (4, 4, 2),
            C32 => (8, 8, 4),
            C64 => (16, 16, 8),
            C80 | C128 => (32, 32, 16),
            FloatInt | IntInt | FloatFloat => (8, 8, 4),
            DoubleInt | LongInt => (12, 16, 8),
            ShortInt => (6, 8, 4),
            LongDoubleInt => (20, 32, 16),
            DoubleDouble => (16, 16, 8),
        }
    }
    /// The two values of a pair.
    pub fn halves(self) -> Option<[Number; 2]> {
        use Number::*;
        Some(match self {
            FloatInt => [F32, I32],
            DoubleInt => [F64, I32],
            LongInt => [I64, I32],
            IntInt => [I32, I32],
            ShortInt => [I16, I32],
            LongDoubleInt => [F80, I32],
            FloatFloat => [F32, F32],
            DoubleDouble => [F64, F64],
            _ => return None,
        })
    }
    /// Offset of the second value of a pair: aligned, after the first.
    pub fn second_at(self) -> u64 {
        let [first, second] = self.halves().expect("a pair");
        first.layout().0.next_multiple_of(second.layout().2)
    }
    /// A predefined datatype of such values.
    pub fn handle(self) -> Datatype {
        let at = TABLE.types.iter().position(|t| t.number == Some(self));
        c::DATATYPES[at.expect("every kind of value has a type")].1
    }
    /// The code of the type in submissions, if the simulator can combine such values itself.
    pub fn on_wire(self) -> Option<u32> {
        use Number::*;
        Some(match self {
            I8 => element::I8,
            U8 | Byte => element::U8,
            I16 => element::I16,
            U16 => element::U16,
            I32 => element::I32,
            U32 => element::U32,
            I64 => element::I64,
            U64 => element::U64,
            F32 => element::F32,
            F64 => element::F64,
            C32 => element::C32,
            C64 => element::C64,
            _ => return None,
        })
    }
    /// The code that identifies the type in submissions, whether or not the simulator can combine
    /// it.
    pub fn wire_identity(self) -> u32 {
        self.on_wire().unwrap_or(element::OTHER + self as u32)
    }
}

fn number(name: &str) -> Number {
    use Number::*;
    let name = name.strip_prefix("MPI").expect("names of the interface");
    match name.trim_start_matches('_') {
        "AINT" | "COUNT" | "OFFSET" | "LONG" | "LONG_LONG" | "INT64_T" | "INTEGER8" => I64,
        "SHORT" | "INT16_T" | "INTEGER2" => I16,
        "INT" | "INTEGER" | "INT32_T" | "INTEGER4" | "WCHAR" => I32,
        "UNSIGNED_SHORT" | "UINT16_T" => U16,
        "UNSIGNED" | "UINT32_T" => U32,
        "UNSIGNED_LONG" | "UNSIGNED_LONG_LONG" | "UINT64_T" => U64,
        "CHAR" | "SIGNED_CHAR" | "INT8_T" | "INTEGER1" => I8,
        "UNSIGNED_CHAR" | "UINT8_T" => U8,
        "INTEGER16" => I128,
        "FLOAT" | "REAL" | "REAL4" => F32,
        "DOUBLE" | "DOUBLE_PRECISION" | "REAL8" => F64,
        "LONG_DOUBLE" => F80,
        "REAL2" | "X_C_FLOAT16" => F16,
        "X_BFLOAT16" => BF16,
        "REAL16" => F128,
        "COMPLEX4" => C16,
        "C_FLOAT_COMPLEX" | "CXX_FLOAT_COMPLEX" | "COMPLEX" | "COMPLEX8" => C32,
        "C_DOUBLE_COMPLEX" | "CXX_DOUBLE_COMPLEX" | "DOUBLE_COMPLEX" | "COMPLEX16" => C64,
        "C_LONG_DOUBLE_COMPLEX" | "CXX_LONG_DOUBLE_COMPLEX" => C80,
        "COMPLEX32" => C128,
        "C_BOOL" | "CXX_BOOL" | "LOGICAL1" => L8,
        "LOGICAL2" => L16,
        "LOGICAL" | "LOGICAL4" => L32,
        "LOGICAL8" => L64,
        "LOGICAL16" => L128,
        "BYTE" => Byte,
        "PACKED" | "CHARACTER" => Opaque,
        "FLOAT_INT" => FloatInt,
        "DOUBLE_INT" => DoubleInt,
        "LONG_INT" => LongInt,
        "2INT" | "2INTEGER" => IntInt,
        "SHORT_INT" => ShortInt,
        "LONG_DOUBLE_INT" => LongDoubleInt,
        "2REAL" => FloatFloat,
        "2DOUBLE_PRECISION" => DoubleDouble,
        name => panic!("datatype {name} of the constant table has no layout"),
    }
}

/// The last byte of a predefined handle is unique, except for MPICH's padded pairs. These are a
/// second family and get keys of their own.
fn key(handle: Datatype) -> usize {
    let raw = handle.0 as u32;
    let second_family = cfg!(feature = "mpich") && raw >> 24 == 0x8c;
    ((raw & 0xff) | if second_family { 0x80 } else { 0 }) as usize
}

struct TypeTable {
    types: Vec<Arc<Type>>,
    by_key: [u8; 256],
}

static TABLE: LazyLock<TypeTable> = LazyLock::new(|| {
    let mut by_key = [u8::MAX; 256];
    for (i, (name, handle)) in c::DATATYPES.iter().enumerate() {
        assert_eq!(by_key[key(*handle)], u8::MAX, "{name} shares its key");
        by_key[key(*handle)] = i as u8;
    }
    let made = |name: &str| match bound_named(name) {
        Some(_) => Type::marker(name),
        None => Type::predefined(name, number(name)),
    };
    let types = c::DATATYPES.iter().map(|(name, _)| Arc::new(made(name)));
    TypeTable { types: types.collect(), by_key }
});

/// The predefined type of a handle.
pub(crate) fn find(handle: Datatype) -> Option<&'static Arc<Type>> {
    let index = TABLE.by_key[key(handle)] as usize;
    (c::DATATYPES.get(index)?.1 == handle).then(|| &TABLE.types[index])
}

/// Which bound of a struct a marker sets: `MPI_LB` and `MPI_UB` of MPI-1, which MPICH still
/// supports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    Lower,
    Upper,
}

fn bound_named(name: &str) -> Option<Bound> {
    match name {
        "MPI_LB" => Some(Bound::Lower),
        "MPI_UB" => Some(Bound::Upper),
        _ => None,
    }
}

/// Whether a predefined type is such a marker.
pub(crate) fn bound(datatype: &Arc<Type>) -> Option<Bound> {
    if datatype.size > 0 {
        return None;
    }
    let at = TABLE.types.iter().position(|t| Arc::ptr_eq(t, datatype))?;
    bound_named(c::DATATYPES[at].0)
}

/// All predefined types, in the order of the constant table.
#[cfg(test)]
pub(crate) fn all() -> &'static [Arc<Type>] {
    &TABLE.types
}
