//! The values that the bytes of an item hold: basic elements in transfer order, for counting.

use std::sync::Arc;

use super::Number;

pub(crate) struct Signature {
    pub bytes: u64,
    /// The same in `external32`.
    pub external: u64,
    /// Number of basic elements.
    pub values: u64,
    /// Number of stretches of equal basic elements in an item, as constructed; 0 if all elements
    /// are equal.
    pub members: u64,
    /// Set if all elements are equal: counting is then a division.
    uniform: Option<Number>,
    body: Body,
}

enum Body {
    Value,
    Repeat(u64, Arc<Signature>),
    List(Vec<Arc<Signature>>),
}

impl Signature {
    /// A pair counts as its two values, whose sizes in `external32` are `external`.
    pub fn predefined(number: Number, external: [u64; 2]) -> Arc<Signature> {
        let value = |number: Number, external: u64| {
            let (bytes, uniform) = (number.layout().0, Some(number));
            let (values, members, body) = (1, 0, Body::Value);
            Arc::new(Signature { bytes, external, values, members, uniform, body })
        };
        match number.halves() {
            Some([a, b]) => Signature::list(vec![value(a, external[0]), value(b, external[1])]),
            None => value(number, external[0]),
        }
    }
    /// One value of unknown type.
    pub fn of_bytes(bytes: u64) -> Arc<Signature> {
        let (values, members, uniform, body) = (1, 0, None, Body::Value);
        Arc::new(Signature { bytes, external: bytes, values, members, uniform, body })
    }
    pub fn repeat(of: &Arc<Signature>, count: u64) -> Arc<Signature> {
        if count == 1 {
            return of.clone();
        }
        Arc::new(Signature {
            bytes: of.bytes * count,
            external: of.external * count,
            values: of.values * count,
            members: of.members * count,
            uniform: of.uniform,
            body: Body::Repeat(count, of.clone()),
        })
    }
    pub fn list(of: Vec<Arc<Signature>>) -> Arc<Signature> {
        let mut parts = of.iter().filter(|s| s.values > 0);
        let first = parts.next().and_then(|s| s.uniform);
        let uniform = first.filter(|n| parts.all(|s| s.uniform == Some(*n)));
        let unlike = of.iter().filter(|s| s.values > 0 && uniform.is_none());
        Arc::new(Signature {
            bytes: of.iter().map(|s| s.bytes).sum(),
            external: of.iter().map(|s| s.external).sum(),
            values: of.iter().map(|s| s.values).sum(),
            members: unlike.map(|s| s.members.max(1)).sum(),
            uniform,
            body: Body::List(of),
        })
    }
    /// Basic elements in the first `bytes` bytes of repeated items; `None` if the last one is
    /// incomplete.
    pub fn elements(&self, bytes: u64) -> Option<u64> {
        if bytes == 0 {
            return Some(0);
        }
        if self.bytes == 0 {
            return None;
        }
        let rest = bytes % self.bytes;
        Some(bytes / self.bytes * self.values + if rest == 0 { 0 } else { self.within(rest)? })
    }
    /// The same for fewer bytes than one item has.
    fn within(&self, bytes: u64) -> Option<u64> {
        if let Some(number) = self.uniform {
            let size = number.layout().0;
            return bytes.is_multiple_of(size).then(|| bytes / size);
        }
        match &self.body {
            Body::Value => (bytes == 0).then_some(0),
            Body::Repeat(_, of) => of.elements(bytes),
            Body::List(list) => {
                let (mut left, mut values) = (bytes, 0);
                for part in list {
                    if left < part.bytes {
                        return if left == 0 {
                            Some(values)
                        } else {
                            Some(values + part.within(left)?)
                        };
                    }
                    left -= part.bytes;
                    values += part.values;
                }
                Some(values)
            }
        }
    }
    /// Bytes of the first `values` basic elements of repeated items.
    pub fn bytes_of(&self, values: u64) -> u64 {
        if values == 0 || self.values == 0 {
            return 0;
        }
        let (items, mut left) = (values / self.values, values % self.values);
        let mut bytes = items * self.bytes;
        if let Some(number) = self.uniform {
            return bytes + left * number.layout().0;
        }
        match &self.body {
            Body::Value => {}
            Body::Repeat(_, of) => bytes += of.bytes_of(left),
            Body::List(list) => {
                for part in list {
                    let n = left.min(part.values);
                    bytes += part.bytes_of(n);
                    left -= n;
                }
            }
        }
        bytes
    }
    /// Calls `each` for every run of equal basic elements of one item, in order, with their type,
    /// their size in `external32` and their number.
    pub fn for_each(&self, each: &mut impl FnMut(Number, u64, u64)) {
        match (self.uniform, &self.body) {
            _ if self.values == 0 => {}
            // No element is shorter in `external32`.
            (Some(number), _) if self.external == self.bytes => {
                each(number, number.layout().0, self.values);
            }
            (Some(number), Body::Value) => each(number, self.external, 1),
            (None, Body::Value) => {}
            (_, Body::Repeat(count, of)) => (0..*count).for_each(|_| of.for_each(each)),
            (_, Body::List(list)) => list.iter().for_each(|part| part.for_each(each)),
        }
    }
}
