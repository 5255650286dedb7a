//! Info objects: ordered lists of keys and values.

use std::ffi::{CStr, c_char, c_int};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use crate::abi::{Info, Kind, Registry, c};
use crate::error::{Result, copy_string, fail};
use crate::export::mpi_fn;
use crate::foreign;

/// Keys and values, as passed by the program.
type Pairs = Vec<(Vec<u8>, Vec<u8>)>;

static INFOS: Registry<Mutex<Pairs>> = Registry::new();

/// `MPI_INFO_ENV`: how this process was started.
static ENVIRONMENT: LazyLock<Arc<Mutex<Pairs>>> =
    LazyLock::new(|| Arc::new(Mutex::new(environment())));

fn environment() -> Pairs {
    use std::os::unix::ffi::OsStringExt;
    let mut arguments = std::env::args_os();
    let mut pairs = Vec::new();
    let mut put = |key: &str, value: Vec<u8>| pairs.push((key.as_bytes().to_vec(), value));
    if let Some(command) = arguments.next() {
        put("command", command.into_vec());
    }
    let rest: Vec<Vec<u8>> = arguments.map(OsStringExt::into_vec).collect();
    if !rest.is_empty() {
        put("argv", rest.join(&b' '));
    }
    if let Ok(folder) = std::env::current_dir() {
        put("wdir", folder.into_os_string().into_vec());
    }
    put("arch", std::env::consts::ARCH.into());
    pairs
}

/// Number of info objects that the program has not freed.
pub(crate) fn created() -> usize {
    INFOS.len()
}

fn object(info: Info) -> Result<Arc<Mutex<Pairs>>> {
    match info {
        c::INFO_ENV => Ok(ENVIRONMENT.clone()),
        c::INFO_NULL => fail!(c::ERR_INFO, "the info object is null"),
        _ => match info.slot().and_then(|slot| INFOS.get(slot)) {
            Some(found) => Ok(found),
            None => {
                let (raw, more) = (info.to_int(), foreign::clause(Kind::Info, info.to_int()));
                fail!(c::ERR_INFO, "not an info object: {raw:#x}{more}")
            }
        },
    }
}

fn lock(object: &Mutex<Pairs>) -> MutexGuard<'_, Pairs> {
    object.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The pairs of an info argument; empty if it is null.
pub(crate) fn pairs(info: Info) -> Result<Pairs> {
    if info == c::INFO_NULL {
        return Ok(Pairs::new());
    }
    Ok(lock(&*object(info)?).clone())
}

/// A handle for a new object; the program frees it.
pub(crate) fn insert(pairs: Pairs) -> Info {
    Info::created(INFOS.insert(Arc::new(Mutex::new(pairs))))
}

fn put(pairs: &mut Pairs, name: Vec<u8>, value: Vec<u8>) {
    match pairs.iter_mut().find(|p| p.0 == name) {
        Some(pair) => pair.1 = value,
        None => pairs.push((name, value)),
    }
}

/// Writes a hint to an info object that the program passed; does nothing if it passed none.
pub(crate) fn write_hint(info: Info, name: &[u8], value: &[u8]) -> Result {
    if info != c::INFO_NULL && info != c::INFO_ENV {
        put(&mut lock(&*object(info)?), name.to_vec(), value.to_vec());
    }
    Ok(())
}

/// # Safety
/// `text` is a C string.
unsafe fn text(text: *const c_char, longest: c_int, code: c_int) -> Result<Vec<u8>> {
    if text.is_null() {
        return fail!(code, "the string is null");
    }
    let text = unsafe { CStr::from_ptr(text) }.to_bytes();
    if text.is_empty() || text.len() >= longest as usize {
        return fail!(code, "a string of {} bytes: 1 to {} are allowed", text.len(), longest - 1);
    }
    Ok(text.to_vec())
}

unsafe fn key(key: *const c_char) -> Result<Vec<u8>> {
    unsafe { text(key, c::MAX_INFO_KEY, c::ERR_INFO_KEY) }
}

fn find(info: Info, key: &[u8]) -> Result<Option<Vec<u8>>> {
    let object = object(info)?;
    let pairs = lock(&object);
    Ok(pairs.iter().find(|p| p.0 == key).map(|p| p.1.clone()))
}

mpi_fn! {
    pub fn Info_create(info: *mut Info) {
        unsafe { *info = insert(Pairs::new()) };
        Ok(())
    }
    pub fn Info_create_env(_argc: c_int, _argv: *mut *mut c_char, info: *mut Info) {
        unsafe { *info = insert(environment()) };
        Ok(())
    }
    pub fn Info_dup(info: Info, new: *mut Info) {
        let pairs = lock(&*object(info)?).clone();
        unsafe { *new = insert(pairs) };
        Ok(())
    }
    pub fn Info_free(info: *mut Info) {
        let handle = unsafe { *info };
        object(handle)?;
        let Some(slot) = handle.slot() else {
            return fail!(c::ERR_INFO, "a predefined info object cannot be freed");
        };
        INFOS.remove(slot);
        unsafe { *info = c::INFO_NULL };
        Ok(())
    }
    pub fn Info_set(info: Info, name: *const c_char, value: *const c_char) {
        let object = object(info)?;
        if info == c::INFO_ENV {
            return fail!(c::ERR_INFO, "MPI_INFO_ENV cannot be changed");
        }
        let name = unsafe { key(name)? };
        let value = unsafe { text(value, c::MAX_INFO_VAL, c::ERR_INFO_VALUE)? };
        put(&mut lock(&object), name, value);
        Ok(())
    }
    pub fn Info_delete(info: Info, name: *const c_char) {
        let object = object(info)?;
        let name = unsafe { key(name)? };
        let mut pairs = lock(&object);
        let Some(at) = pairs.iter().position(|p| p.0 == name) else {
            let name = String::from_utf8_lossy(&name);
            return fail!(c::ERR_INFO_NOKEY, "there is no key {name:?}");
        };
        pairs.remove(at);
        Ok(())
    }
    /// Deprecated form: the length does not include the terminator.
    pub fn Info_get(
        info: Info, name: *const c_char, room: c_int, value: *mut c_char, flag: *mut c_int,
    ) {
        let found = find(info, &unsafe { key(name)? })?;
        unsafe {
            if let Some(found) = &found {
                copy_string(found, value, room.max(0) as usize + 1);
            }
            *flag = c_int::from(found.is_some());
        }
        Ok(())
    }
    pub fn Info_get_valuelen(
        info: Info, name: *const c_char, length: *mut c_int, flag: *mut c_int,
    ) {
        let found = find(info, &unsafe { key(name)? })?;
        unsafe {
            if let Some(found) = &found {
                *length = found.len() as c_int;
            }
            *flag = c_int::from(found.is_some());
        }
        Ok(())
    }
    /// `*room` includes the terminator, and returns the size that the whole value needs.
    pub fn Info_get_string(
        info: Info, name: *const c_char, room: *mut c_int, value: *mut c_char, flag: *mut c_int,
    ) {
        let found = find(info, &unsafe { key(name)? })?;
        unsafe {
            if let Some(found) = &found {
                if *room > 0 {
                    copy_string(found, value, *room as usize);
                }
                *room = found.len() as c_int + 1;
            }
            *flag = c_int::from(found.is_some());
        }
        Ok(())
    }
    pub fn Info_get_nkeys(info: Info, keys: *mut c_int) {
        unsafe { *keys = lock(&*object(info)?).len() as c_int };
        Ok(())
    }
    pub fn Info_get_nthkey(info: Info, n: c_int, name: *mut c_char) {
        let object = object(info)?;
        let pairs = lock(&object);
        let Some(pair) = pairs.get(n as usize) else {
            return fail!(c::ERR_ARG, "key {n} of {}", pairs.len());
        };
        unsafe { copy_string(&pair.0, name, c::MAX_INFO_KEY as usize) };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_order_and_values_report_the_room_they_need() {
        unsafe {
            let mut info = c::INFO_NULL;
            Info_create(&raw mut info).unwrap();
            let set = |k: &CStr, v: &CStr| Info_set(info, k.as_ptr(), v.as_ptr());
            set(c"second", c"2").unwrap();
            set(c"first", c"one").unwrap();
            set(c"second", c"two").unwrap();
            assert_eq!(set(c"", c"x").unwrap_err().code, c::ERR_INFO_KEY);
            assert_eq!(set(c"k", c"").unwrap_err().code, c::ERR_INFO_VALUE);
            let mut n = 0;
            Info_get_nkeys(info, &raw mut n).unwrap();
            assert_eq!(n, 2);
            let mut key = [1 as c_char; c::MAX_INFO_KEY as usize];
            Info_get_nthkey(info, 0, key.as_mut_ptr()).unwrap();
            assert_eq!(CStr::from_ptr(key.as_ptr()), c"second");
            assert!(Info_get_nthkey(info, 2, key.as_mut_ptr()).is_err());

            let (mut room, mut flag, mut value) = (3, 0, [1 as c_char; 8]);
            let (r, f) = (&raw mut room, &raw mut flag);
            Info_get_string(info, c"second".as_ptr(), r, value.as_mut_ptr(), f).unwrap();
            assert_eq!((room, flag, CStr::from_ptr(value.as_ptr())), (4, 1, c"tw"));
            Info_get_string(info, c"none".as_ptr(), r, value.as_mut_ptr(), f).unwrap();
            assert_eq!((room, flag), (4, 0));

            let mut copy = c::INFO_NULL;
            Info_dup(info, &raw mut copy).unwrap();
            Info_delete(info, c"first".as_ptr()).unwrap();
            let error = Info_delete(info, c"first".as_ptr()).unwrap_err();
            assert_eq!(error.code, c::ERR_INFO_NOKEY);
            assert_eq!((pairs(info).unwrap().len(), pairs(copy).unwrap().len()), (1, 2));
            Info_free(&raw mut info).unwrap();
            assert_eq!(info, c::INFO_NULL);
        }
    }
}
