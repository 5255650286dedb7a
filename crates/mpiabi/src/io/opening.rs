//! What MPI-IO finds out when it opens a file on a simulated file system: the driver, hints of the
//! user's environment, the stripes of the file, and the nodes of the ranks.
//!
//! The first rank makes the calls, and broadcasts what it finds, as in ROMIO.

use std::ffi::{CString, OsString};
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use super::aggregators::{Home, name_hash};
use super::disk::Disk;
use super::hints::{self, Driver, Hints, Library, Moment, Pairs, Striping};
use super::lov;
use super::mounted::{Backing, Mounted};
use crate::coll;
use crate::comm::Communicator;
use crate::runtime::{self, Held};

/// A file of hints, and the driver for all files ([R] = pmodels/mpich, `src/mpi/romio`:
/// `common/system_hints.c`, `common/ad_fstype.c`).
const ENV_HINTS: &str = "ROMIO_HINTS";
const ENV_DRIVER: &str = "ROMIO_FSTYPE_FORCE";
/// Hints of Cray's library, by patterns of file names: intro_mpi(3).
const ENV_CRAY_HINTS: &str = "MPICH_MPIIO_HINTS";
/// Longest layout attribute: 2,000 objects of 24 bytes, and a header.
const LAYOUT_BYTES: usize = 64 << 10;

/// A file to be opened.
pub(super) struct Opening<'a> {
    pub name: &'a OsString,
    /// The driver named by the file name's prefix.
    pub prefix: Option<&'a [u8]>,
    pub creates: bool,
    /// The program's hints.
    pub hints: &'a Pairs,
}

/// What the first rank has found.
pub(super) struct Found {
    driver: Driver,
    striping: Option<Striping>,
    /// The file of hints.
    text: Vec<u8>,
}

impl Found {
    /// Sets the layout of a new file and finds that of the file.
    pub fn on_first_rank(held: &Held, opening: &Opening, disk: &Disk) -> Option<Found> {
        let backing = Backing::of(held, disk)?;
        let driver = driver(opening, disk);
        let text = std::env::var_os(ENV_HINTS).and_then(|path| std::fs::read(path).ok());
        let mut found = Found { driver, striping: None, text: text.unwrap_or_default() };
        if opening.creates && backing.size() == 0 {
            let hints = found.hints(held, opening, 1);
            let wanted = match driver {
                Driver::Lustre => hints.requested_striping().map(|wanted| lov::encode(&wanted)),
                Driver::Daos => hints.requested_object().map(String::into_bytes),
                Driver::Ufs => None,
            };
            if let Some(wanted) = wanted {
                set_layout(opening.name, &wanted);
            }
        }
        if driver == Driver::Lustre {
            found.striping = lov::decode(&layout(opening.name));
        }
        Some(found)
    }

    fn hints(&self, held: &Held, opening: &Opening, ranks: usize) -> Hints {
        let is_cray = runtime::library(held).starts_with("CRAY MPICH");
        let library = if is_cray { Library::Cray } else { Library::Romio };
        let mut hints = Hints::new(library, self.driver, ranks);
        // The program's hints win over the file's, and Cray's variable over those.
        hints.apply(&hints::parse_file(&self.text), Moment::Open);
        hints.apply(opening.hints, Moment::Open);
        if let Some(text) = std::env::var_os(ENV_CRAY_HINTS).filter(|_| is_cray) {
            let pairs = hints::parse_cray(text.as_bytes(), opening.name.as_bytes());
            hints.apply(&pairs, Moment::Open);
        }
        hints
    }

    fn words(&self) -> Vec<u32> {
        let driver = match self.driver {
            Driver::Ufs => 0,
            Driver::Lustre => 1,
            Driver::Daos => 2,
        };
        let Striping { count, unit, first } =
            self.striping.unwrap_or(Striping { count: 0, unit: 0, first: 0 });
        let mut words = vec![driver, count, unit as u32, (unit >> 32) as u32, first];
        words.push(self.text.len() as u32);
        words.extend(self.text.chunks(4).map(|bytes| {
            let mut word = [0; 4];
            word[..bytes.len()].copy_from_slice(bytes);
            u32::from_ne_bytes(word)
        }));
        words
    }
    fn of_words(words: &[u32]) -> Found {
        let driver = [Driver::Ufs, Driver::Lustre, Driver::Daos][words[0] as usize];
        let unit = u64::from(words[2]) | u64::from(words[3]) << 32;
        let striping = Striping { count: words[1], unit, first: words[4] };
        let mut text: Vec<u8> = words[6..].iter().flat_map(|word| word.to_ne_bytes()).collect();
        text.truncate(words[5] as usize);
        Found { driver, striping: (words[1] > 0).then_some(striping), text }
    }
}

/// Broadcasts what the first rank has found, and selects the aggregators.
pub(super) fn mount(
    held: &Held,
    comm: &Arc<Communicator>,
    opening: &Opening,
    (backing, found): (Backing, Option<Found>),
) -> Mounted {
    let words = found.map_or(Vec::new(), |found| found.words());
    let found = Found::of_words(&coll::broadcast_words(held, comm, 0, &words));
    let home: Home = (runtime::node(held).0, name_hash(runtime::node_name(held).as_bytes()));
    let homes = coll::allgather_values(held, comm, home);
    let mut hints = found.hints(held, opening, comm.size() as usize);
    hints.opened(found.striping, &homes);
    Mounted::new(backing, hints)
}

/// The driver that the user or the program names, or that of the file system's type.
fn driver(opening: &Opening, disk: &Disk) -> Driver {
    if let Some(name) = std::env::var_os(ENV_DRIVER) {
        return Driver::named(name.as_bytes());
    }
    if let Some(prefix) = opening.prefix {
        return Driver::named(prefix);
    }
    // SAFETY: a plain structure, which the C library fills.
    unsafe {
        let mut usage: libc::statfs = std::mem::zeroed();
        match libc::fstatfs(disk.fd(), &raw mut usage) {
            0 => Driver::of_magic(usage.f_type),
            _ => Driver::Ufs,
        }
    }
}

/// Sets the layout of a new file. Like every hint, one that the file system refuses has no effect.
fn set_layout(name: &OsString, layout: &[u8]) {
    let Ok(name) = CString::new(name.as_bytes()) else { return };
    let (value, n) = (layout.as_ptr().cast(), layout.len());
    // SAFETY: zero-terminated names, and a value of `n` bytes.
    unsafe { libc::setxattr(name.as_ptr(), lov::NAME.as_ptr(), value, n, 0) };
}

/// The layout of a file; empty if it has none.
fn layout(name: &OsString) -> Vec<u8> {
    let Ok(name) = CString::new(name.as_bytes()) else { return Vec::new() };
    let mut value = vec![0_u8; LAYOUT_BYTES];
    // SAFETY: zero-terminated names; the C library writes at most the buffer.
    let n = unsafe {
        let room = value.len();
        libc::getxattr(name.as_ptr(), lov::NAME.as_ptr(), value.as_mut_ptr().cast(), room)
    };
    value.truncate(usize::try_from(n).unwrap_or(0));
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_first_rank_finds_survives_the_broadcast() {
        for text in [&b""[..], b"cb_nodes 4\n", b"abcd"] {
            let striping = Some(Striping { count: 8, unit: 5 << 32 | 7, first: 3 });
            let found = Found { driver: Driver::Lustre, striping, text: text.to_vec() };
            let after = Found::of_words(&found.words());
            assert_eq!((after.driver, after.striping), (Driver::Lustre, striping));
            assert_eq!(after.text, text);
        }
        let none = Found { driver: Driver::Daos, striping: None, text: Vec::new() };
        let after = Found::of_words(&none.words());
        assert_eq!((after.driver, after.striping), (Driver::Daos, None));
    }
}
