//! The byte layout of one item of a datatype, in transfer order: runs, repetition and lists. It is
//! a tree, so that a vector of a million blocks takes two nodes, and children are shared.

use std::sync::Arc;

use workload::NonContiguous;

#[derive(Debug)]
pub(crate) enum Map {
    /// Adjacent bytes.
    Run(u64),
    /// `body` at 0, `stride`, `2 stride`, …
    Repeat { count: u64, stride: i64, body: Arc<Map> },
    /// Bodies at their offsets, in transfer order.
    List(Vec<Placed>),
}

/// A map at an offset.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub at: i64,
    pub map: Arc<Map>,
}

/// Processes runs of bytes; returning `false` ends the walk.
pub(crate) trait Visitor {
    fn run(&mut self, at: i64, len: u64) -> bool;
    /// The same run `count` times, `stride` bytes apart.
    fn strided(&mut self, at: i64, stride: i64, count: u64, len: u64) -> bool {
        (0..count as i64).all(|i| self.run(at + i * stride, len))
    }
}

impl Placed {
    pub fn run(len: u64) -> Placed {
        Placed { at: 0, map: Arc::new(Map::Run(len)) }
    }
    pub fn is_empty(&self) -> bool {
        matches!(*self.map, Map::Run(0))
    }
    pub fn moved(&self, by: i64) -> Placed {
        Placed { at: self.at + by, map: self.map.clone() }
    }
    /// `count` copies, `stride` bytes apart; adjacent bytes become one run.
    pub fn repeat(&self, count: u64, stride: i64) -> Placed {
        if count == 0 || self.is_empty() {
            return Placed::run(0);
        }
        if count == 1 {
            return self.clone();
        }
        let map = match &*self.map {
            Map::Run(len) if stride >= 0 && *len == stride as u64 => Map::Run(len * count),
            Map::Repeat { count: n, stride: s, body } if *s * *n as i64 == stride => {
                Map::Repeat { count: n * count, stride: *s, body: body.clone() }
            }
            _ => Map::Repeat { count, stride, body: self.map.clone() },
        };
        Placed { at: self.at, map: Arc::new(map) }
    }
    /// Concatenation; adjacent runs are merged.
    pub fn list(parts: impl IntoIterator<Item = Placed>) -> Placed {
        let mut list: Vec<Placed> = Vec::new();
        for part in parts {
            if part.is_empty() {
                continue;
            }
            if let (Some(last), Map::Run(b)) = (list.last_mut(), &*part.map)
                && let Map::Run(a) = &*last.map
                && last.at + *a as i64 == part.at
            {
                last.map = Arc::new(Map::Run(a + b));
                continue;
            }
            list.push(part);
        }
        match list.len() {
            0 => Placed::run(0),
            1 => list.swap_remove(0),
            _ => Placed { at: 0, map: Arc::new(Map::List(list)) },
        }
    }
    /// First byte and end; `None` without bytes.
    pub fn bounds(&self) -> Option<(i64, i64)> {
        bounds(&self.map).map(|(low, high)| (low + self.at, high + self.at))
    }
    /// Bytes of the cache lines that contain the data of one item. A run that does not share a line
    /// with the run before is assumed to start at a line boundary.
    pub fn touched(&self) -> u64 {
        touched(&self.map)
    }
    /// The same for `count` items, `extent` bytes apart, of which each touches `each` bytes of
    /// lines.
    pub fn touched_by(&self, count: u64, extent: i64, each: u64) -> u64 {
        touched_by(count, extent, reach(&self.map), each)
    }
    /// Visits `count` items, `extent` bytes apart.
    pub fn walk(&self, count: u64, extent: i64, visitor: &mut impl Visitor) {
        if let Map::Run(len) = *self.map {
            if len == 0 || count == 0 {
                return;
            }
            if len as i64 == extent {
                visitor.run(self.at, len * count);
            } else {
                visitor.strided(self.at, extent, count, len);
            }
            return;
        }
        for i in 0..count as i64 {
            if !walk(&self.map, self.at + i * extent, visitor) {
                return;
            }
        }
    }
}

fn bounds(map: &Map) -> Option<(i64, i64)> {
    match map {
        Map::Run(0) => None,
        Map::Run(len) => Some((0, *len as i64)),
        Map::Repeat { count, stride, body } => {
            let (low, high) = bounds(body)?;
            let last = (*count as i64 - 1) * stride;
            Some((low + last.min(0), high + last.max(0)))
        }
        Map::List(list) => {
            let each = list.iter().filter_map(Placed::bounds);
            each.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
        }
    }
}

fn walk(map: &Map, at: i64, visitor: &mut impl Visitor) -> bool {
    match map {
        Map::Run(len) => visitor.run(at, *len),
        Map::Repeat { count, stride, body } => match &**body {
            Map::Run(len) => visitor.strided(at, *stride, *count, *len),
            body => (0..*count as i64).all(|i| walk(body, at + i * stride, visitor)),
        },
        Map::List(list) => list.iter().all(|part| walk(&part.map, at + part.at, visitor)),
    }
}

/// Bytes of the cache lines of `len` adjacent bytes that start at a line boundary.
fn lines(len: u64) -> u64 {
    len.div_ceil(NonContiguous::LINE).saturating_mul(NonContiguous::LINE)
}

/// Lines of `count` bodies `stride` apart, each of which spans `span` bytes and touches `each`. If
/// they are adjacent and touch everything in between, they form one stretch of lines.
fn touched_by(count: u64, stride: i64, span: u64, each: u64) -> u64 {
    let stride = stride.unsigned_abs();
    if span <= stride && stride <= each {
        return lines((count - 1).saturating_mul(stride).saturating_add(span));
    }
    count.saturating_mul(each)
}

fn touched(map: &Map) -> u64 {
    match map {
        Map::Run(len) => lines(*len),
        Map::Repeat { count, stride, body } => {
            touched_by(*count, *stride, reach(body), touched(body))
        }
        Map::List(list) => {
            let next = list.iter().skip(1).map(|part| part.bounds()).chain([None]);
            let each = list.iter().zip(next).map(|(part, next)| {
                let all = touched(&part.map);
                match (part.bounds(), next) {
                    (Some((low, high)), Some((behind, _))) if behind >= high => {
                        all.min(behind.abs_diff(low))
                    }
                    _ => all,
                }
            });
            each.fold(0, u64::saturating_add)
        }
    }
}

/// Bytes from the first to the last.
fn reach(map: &Map) -> u64 {
    bounds(map).map_or(0, |(low, high)| high.abs_diff(low))
}

/// Copies runs to `out`.
struct Pack {
    buf: *const u8,
    out: *mut u8,
}

impl Visitor for Pack {
    fn run(&mut self, at: i64, len: u64) -> bool {
        // SAFETY: the caller of `pack` guarantees the buffers. Addresses are sums modulo 2^64,
        // because with MPI_BOTTOM the buffer is null and the offsets are addresses.
        unsafe {
            let from = self.buf.wrapping_offset(at as isize);
            std::ptr::copy_nonoverlapping(from, self.out, len as usize);
            self.out = self.out.add(len as usize);
        }
        true
    }
    fn strided(&mut self, at: i64, stride: i64, count: u64, len: u64) -> bool {
        /// # Safety
        /// As for `run`, for `count` runs of the size of a `T`.
        unsafe fn copy<T>(p: &mut Pack, at: i64, stride: i64, count: u64) {
            let mut from = p.buf.wrapping_offset(at as isize);
            for _ in 0..count {
                unsafe {
                    p.out.cast::<T>().write_unaligned(from.cast::<T>().read_unaligned());
                    p.out = p.out.add(size_of::<T>());
                }
                from = from.wrapping_offset(stride as isize);
            }
        }
        // Runs of one element are common, and a call to memcpy for each is slow.
        match len {
            4 => unsafe { copy::<u32>(self, at, stride, count) },
            8 => unsafe { copy::<u64>(self, at, stride, count) },
            16 => unsafe { copy::<u128>(self, at, stride, count) },
            _ => return (0..count as i64).all(|i| self.run(at + i * stride, len)),
        }
        true
    }
}

/// Copies at most `left` bytes to the runs.
struct Unpack {
    from: *const u8,
    left: u64,
    buf: *mut u8,
}

impl Visitor for Unpack {
    fn run(&mut self, at: i64, len: u64) -> bool {
        let len = len.min(self.left);
        // SAFETY: see `Pack`.
        unsafe {
            let to = self.buf.wrapping_offset(at as isize);
            std::ptr::copy_nonoverlapping(self.from, to, len as usize);
            self.from = self.from.add(len as usize);
        }
        self.left -= len;
        self.left > 0
    }
    fn strided(&mut self, at: i64, stride: i64, count: u64, len: u64) -> bool {
        /// # Safety
        /// As for `run`, for `count` runs of the size of a `T`.
        unsafe fn copy<T>(p: &mut Unpack, at: i64, stride: i64, count: u64) {
            let mut to = p.buf.wrapping_offset(at as isize);
            for _ in 0..count {
                unsafe {
                    to.cast::<T>().write_unaligned(p.from.cast::<T>().read_unaligned());
                    p.from = p.from.add(size_of::<T>());
                }
                to = to.wrapping_offset(stride as isize);
            }
        }
        if len * count <= self.left && matches!(len, 4 | 8 | 16) {
            match len {
                4 => unsafe { copy::<u32>(self, at, stride, count) },
                8 => unsafe { copy::<u64>(self, at, stride, count) },
                _ => unsafe { copy::<u128>(self, at, stride, count) },
            }
            self.left -= len * count;
            return self.left > 0;
        }
        (0..count as i64).all(|i| self.run(at + i * stride, len))
    }
}

impl Placed {
    /// Gathers the bytes of `count` items at `buf` into `out`.
    ///
    /// # Safety
    /// Every run of the items is readable, and `out` has room for all of them.
    pub unsafe fn pack(&self, buf: *const u8, count: u64, extent: i64, out: *mut u8) {
        self.walk(count, extent, &mut Pack { buf, out });
    }
    /// Scatters `bytes` bytes over the first items of `count` at `buf`.
    ///
    /// # Safety
    /// `from` has that many bytes, and every run that they reach is writable.
    pub unsafe fn unpack(
        &self,
        from: *const u8,
        bytes: u64,
        buf: *mut u8,
        count: u64,
        extent: i64,
    ) {
        if bytes > 0 {
            self.walk(count, extent, &mut Unpack { from, left: bytes, buf });
        }
    }
}
