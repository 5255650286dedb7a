//! Attributes: values that a program caches on communicators, datatypes and windows under keys that
//! it creates, with callbacks for copying and freeing the object. MPI's predefined attributes are
//! here too.
//!
//! Callbacks run with no lock held, because they may call MPI.
//!
//! A value set from C is an address, one set from Fortran an integer (MPI 5.0, 19.3.7). Each
//! language can read the other's values: Fortran gets C's address as an integer, C gets the address
//! of Fortran's integer.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::abi::{Comm, Datatype, Kind, Raw, Win, c};
use crate::error::{Error, Result, fail, last_used_code};
use crate::export::mpi_fn;
use crate::runtime::callback;
use crate::{runtime, win};

/// The language that set an attribute, or that makes the call.
#[cfg_attr(not(feature = "mpich"), allow(dead_code))] // the standard ABI has no Fortran
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Language {
    C,
    /// `INTEGER(KIND=MPI_ADDRESS_KIND)`.
    Fortran,
    /// A default `INTEGER`, of `MPI_Attr_put` and `MPI_Keyval_create`.
    Mpi1Fortran,
}

impl Language {
    /// The stored form of a value: a default `INTEGER` is sign-extended.
    fn stored(self, value: usize) -> usize {
        match self {
            Language::Mpi1Fortran => value as c_int as isize as usize,
            _ => value,
        }
    }
}

thread_local! {
    static CALLER: Cell<Language> = const { Cell::new(Language::C) };
}

/// Sets the language of the next attribute calls of this thread: 0 for C, 1 for Fortran, 2 for
/// Fortran's functions of MPI-1. `libmpifort.so.12` calls it around each of them.
#[cfg(feature = "mpich")]
#[unsafe(no_mangle)]
pub extern "C" fn odonata_attribute_language(language: c_int) {
    CALLER.set(match language {
        1 => Language::Fortran,
        2 => Language::Mpi1Fortran,
        _ => Language::C,
    });
}

struct Key {
    kind: Kind,
    /// The language of the callbacks.
    language: Language,
    /// Addresses of the program's functions.
    copy: usize,
    delete: usize,
    extra_state: usize,
}

#[derive(Clone)]
struct Attribute {
    keyval: c_int,
    key: Arc<Key>,
    set_by: Language,
    /// C reads a value set from Fortran through its address.
    value: Arc<AtomicUsize>,
}

impl Attribute {
    fn new(keyval: c_int, key: Arc<Key>, set_by: Language, value: usize) -> Attribute {
        let value = Arc::new(AtomicUsize::new(set_by.stored(value)));
        Attribute { keyval, key, set_by, value }
    }
    /// The value as seen from a language.
    fn value_for(&self, language: Language) -> usize {
        match (self.set_by, language) {
            (Language::C, _) | (_, Language::Fortran | Language::Mpi1Fortran) => {
                self.value.load(Ordering::Relaxed)
            }
            // Little-endian: the address of the word is also that of its lower half.
            _ => self.value.as_ptr() as usize,
        }
    }
    /// The attribute of the copy, from the value that a copy function returned. Its language is the
    /// original's, as in MPICH.
    fn copy(&self, returned: usize) -> Attribute {
        let is_own_place = returned == self.value.as_ptr() as usize;
        let value = if is_own_place { self.value.load(Ordering::Relaxed) } else { returned };
        Attribute::new(self.keyval, self.key.clone(), self.set_by, value)
    }
}

struct AttributeTable {
    /// Key numbers are never reused: an attribute may outlive its key.
    next: c_int,
    keys: BTreeMap<c_int, Arc<Key>>,
    /// By object, in the order in which they were first set.
    attributes: BTreeMap<(Kind, c_int), Vec<Attribute>>,
}

/// Above the predefined keys of the standard ABI; MPICH's are far above both.
const FIRST_KEY: c_int = 0x1000;

static STATE: Mutex<AttributeTable> = Mutex::new(AttributeTable {
    next: FIRST_KEY,
    keys: BTreeMap::new(),
    attributes: BTreeMap::new(),
});

fn state() -> MutexGuard<'static, AttributeTable> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// "No copy" and "copy the value", where these are not functions.
const NULL_FN: usize = 0;
#[cfg(not(feature = "mpich"))]
const DUP_FN: usize = c::COMM_DUP_FN;

/// Runs a function of the program, which calls MPI from C unless `libmpifort` sets another
/// language.
fn in_callback<T>(function: impl FnOnce() -> T) -> T {
    let caller = CALLER.replace(Language::C);
    let result = callback(function);
    CALLER.set(caller);
    result
}

impl Key {
    /// The value for a copy of the object; `None` if the attribute is not copied. `value` is as
    /// seen from the key's language.
    fn copied(&self, keyval: c_int, object: c_int, value: usize) -> Result<Option<usize>> {
        if self.copy == NULL_FN {
            return Ok(None);
        }
        #[cfg(not(feature = "mpich"))]
        if self.copy == DUP_FN {
            return Ok(Some(value));
        }
        type Copy = unsafe extern "C" fn(
            Raw,
            c_int,
            *mut c_void,
            *mut c_void,
            *mut c_void,
            *mut c_int,
        ) -> c_int;
        let (mut out, mut flag) = (0usize, 0);
        // SAFETY: the program registered this as a copy function for objects of this kind.
        let code = unsafe {
            let copy = std::mem::transmute::<usize, Copy>(self.copy);
            let (extra_state, value) = (self.extra_state as *mut c_void, value as *mut c_void);
            let out = (&raw mut out).cast();
            in_callback(|| copy(raw(object), keyval, extra_state, value, out, &raw mut flag))
        };
        if code != c::SUCCESS {
            return Err(Error::new(code, "an attribute's copy function failed"));
        }
        Ok((flag != 0).then_some(out))
    }
    fn deleted(&self, keyval: c_int, object: c_int, value: usize) -> Result {
        if self.delete == NULL_FN {
            return Ok(());
        }
        type Delete = unsafe extern "C" fn(Raw, c_int, *mut c_void, *mut c_void) -> c_int;
        // SAFETY: as above.
        let code = unsafe {
            let delete = std::mem::transmute::<usize, Delete>(self.delete);
            let (value, extra_state) = (value as *mut c_void, self.extra_state as *mut c_void);
            in_callback(|| delete(raw(object), keyval, value, extra_state))
        };
        if code != c::SUCCESS {
            return Err(Error::new(code, "an attribute's delete function failed"));
        }
        Ok(())
    }
}

fn raw(object: c_int) -> Raw {
    Comm::from_int(object).0
}

/// Copies the attributes of `old` to `new`, as their copy functions decide. Stops at the first
/// error.
pub(crate) fn copy_all(kind: Kind, old: c_int, new: c_int) -> Result {
    let attributes = state().attributes.get(&(kind, old)).cloned().unwrap_or_default();
    for attribute in attributes {
        let value = attribute.value_for(attribute.key.language);
        if let Some(returned) = attribute.key.copied(attribute.keyval, old, value)? {
            let copy = attribute.copy(returned);
            state().attributes.entry((kind, new)).or_default().push(copy);
        }
    }
    Ok(())
}

/// Deletes all attributes of an object that is being freed, last set first. Stops at the first
/// error.
pub(crate) fn delete_all(kind: Kind, object: c_int) -> Result {
    loop {
        let last = state().attributes.get(&(kind, object)).and_then(|list| list.last().cloned());
        let Some(last) = last else { break };
        last.key.deleted(last.keyval, object, last.value_for(last.key.language))?;
        if let Some(list) = state().attributes.get_mut(&(kind, object)) {
            list.retain(|a| a.keyval != last.keyval);
        }
    }
    state().attributes.remove(&(kind, object));
    Ok(())
}

fn create(
    kind: Kind,
    copy: *const c_void,
    delete: *const c_void,
    keyval: *mut c_int,
    extra_state: *mut c_void,
) -> Result {
    let key = Key {
        kind,
        language: CALLER.get(),
        copy: copy as usize,
        delete: delete as usize,
        extra_state: extra_state as usize,
    };
    let mut state = state();
    let number = state.next;
    state.next += 1;
    state.keys.insert(number, Arc::new(key));
    unsafe { *keyval = number };
    Ok(())
}

/// A key, freed or not, as long as an attribute uses it (MPI 5.0, 7.7.2).
fn key(kind: Kind, keyval: c_int) -> Result<Arc<Key>> {
    let state = state();
    let used = || state.attributes.values().flatten().find(|a| a.keyval == keyval).map(|a| &a.key);
    match state.keys.get(&keyval).or_else(used) {
        Some(key) if key.kind == kind => Ok(key.clone()),
        Some(key) => fail!(c::ERR_KEYVAL, "a key for a {:?} used on a {kind:?}", key.kind),
        None => fail!(c::ERR_KEYVAL, "not a key of the program's own: {keyval:#x}"),
    }
}

fn free(kind: Kind, keyval: *mut c_int) -> Result {
    let number = unsafe { *keyval };
    key(kind, number)?;
    state().keys.remove(&number);
    unsafe { *keyval = c::KEYVAL_INVALID };
    Ok(())
}

fn find(kind: Kind, object: c_int, keyval: c_int) -> Option<Attribute> {
    let state = state();
    state.attributes.get(&(kind, object))?.iter().find(|a| a.keyval == keyval).cloned()
}

fn set(kind: Kind, object: c_int, keyval: c_int, value: *mut c_void) -> Result {
    // Functions of the program may call MPI themselves.
    let language = CALLER.get();
    let key = key(kind, keyval)?;
    if let Some(old) = find(kind, object, keyval) {
        old.key.deleted(keyval, object, old.value_for(old.key.language))?;
    }
    let mut state = state();
    let list = state.attributes.entry((kind, object)).or_default();
    match list.iter_mut().find(|a| a.keyval == keyval) {
        Some(attribute) => {
            attribute.set_by = language;
            attribute.value.store(language.stored(value as usize), Ordering::Relaxed);
        }
        None => list.push(Attribute::new(keyval, key, language, value as usize)),
    }
    Ok(())
}

fn get(kind: Kind, object: c_int, keyval: c_int, value: *mut c_void, flag: *mut c_int) -> Result {
    let found = match find(kind, object, keyval) {
        Some(attribute) => Some(attribute.value_for(CALLER.get())),
        None => {
            key(kind, keyval)?;
            None
        }
    };
    write_value(found, value, flag);
    Ok(())
}

fn write_value(found: Option<usize>, value: *mut c_void, flag: *mut c_int) {
    unsafe {
        if let Some(found) = found {
            *value.cast::<usize>() = found;
        }
        *flag = c_int::from(found.is_some());
    }
}

fn delete(kind: Kind, object: c_int, keyval: c_int) -> Result {
    key(kind, keyval)?;
    let Some(old) = find(kind, object, keyval) else {
        return fail!(c::ERR_KEYVAL, "the object has no attribute of key {keyval:#x}");
    };
    old.key.deleted(keyval, object, old.value_for(old.key.language))?;
    if let Some(list) = state().attributes.get_mut(&(kind, object)) {
        list.retain(|a| a.keyval != keyval);
    }
    Ok(())
}

/// Predefined attributes of every communicator: programs get the address of an int.
static TAG_UB: AtomicI32 = AtomicI32::new(i32::MAX);
static UNIVERSE_SIZE: AtomicI32 = AtomicI32::new(1);
static APPNUM: AtomicI32 = AtomicI32::new(0);
/// Simulated time is global.
static WTIME_IS_GLOBAL: AtomicI32 = AtomicI32::new(1);
static HOST: AtomicI32 = AtomicI32::new(c::PROC_NULL);
/// Any rank can do ordinary input and output.
static IO: AtomicI32 = AtomicI32::new(c::ANY_SOURCE);
static LAST_USED_CODE: AtomicI32 = AtomicI32::new(c::ERR_LASTCODE);

/// Called by the runtime with the properties of the job.
pub(crate) fn set_predefined(tag_ub: c_int, universe_size: c_int) {
    TAG_UB.store(tag_ub, Ordering::Relaxed);
    UNIVERSE_SIZE.store(universe_size, Ordering::Relaxed);
}

fn predefined(keyval: c_int) -> Option<usize> {
    let place = match keyval {
        c::TAG_UB => &TAG_UB,
        c::UNIVERSE_SIZE => &UNIVERSE_SIZE,
        c::APPNUM => &APPNUM,
        c::WTIME_IS_GLOBAL => &WTIME_IS_GLOBAL,
        c::HOST => &HOST,
        c::IO => &IO,
        c::LASTUSEDCODE => {
            LAST_USED_CODE.store(last_used_code(), Ordering::Relaxed);
            &LAST_USED_CODE
        }
        _ => return None,
    };
    Some(place.as_ptr() as usize)
}

/// The key of a valid communicator. (Tests use attributes without a communicator.)
fn comm_handle(comm: Comm) -> Result<c_int> {
    if !cfg!(test) {
        crate::comm::find(comm)?;
    }
    Ok(comm.to_int())
}

fn comm_get(comm: Comm, keyval: c_int, value: *mut c_void, flag: *mut c_int) -> Result {
    let handle = comm_handle(comm)?;
    match predefined(keyval) {
        Some(place) => {
            write_value(Some(place), value, flag);
            Ok(())
        }
        None => get(Kind::Comm, handle, keyval, value, flag),
    }
}

fn comm_set(comm: Comm, keyval: c_int, value: *mut c_void) -> Result {
    set(Kind::Comm, comm_handle(comm)?, keyval, value)
}

fn type_handle(datatype: Datatype) -> Result<c_int> {
    crate::datatype::get(datatype)?;
    Ok(datatype.to_int())
}

mpi_fn! {
    pub fn Comm_create_keyval(
        copy: *const c_void, delete: *const c_void, keyval: *mut c_int, extra_state: *mut c_void,
    ) {
        create(Kind::Comm, copy, delete, keyval, extra_state)
    }
    pub fn Comm_free_keyval(keyval: *mut c_int) {
        free(Kind::Comm, keyval)
    }
    pub fn Comm_set_attr(comm: Comm, keyval: c_int, value: *mut c_void) {
        comm_set(comm, keyval, value)
    }
    pub fn Comm_get_attr(comm: Comm, keyval: c_int, value: *mut c_void, flag: *mut c_int) {
        comm_get(comm, keyval, value, flag)
    }
    pub fn Comm_delete_attr(comm: Comm, keyval: c_int) {
        delete(Kind::Comm, comm_handle(comm)?, keyval)
    }
    pub fn Keyval_create(
        copy: *const c_void, delete: *const c_void, keyval: *mut c_int, extra_state: *mut c_void,
    ) {
        create(Kind::Comm, copy, delete, keyval, extra_state)
    }
    pub fn Keyval_free(keyval: *mut c_int) {
        free(Kind::Comm, keyval)
    }
    pub fn Attr_put(comm: Comm, keyval: c_int, value: *mut c_void) {
        comm_set(comm, keyval, value)
    }
    pub fn Attr_get(comm: Comm, keyval: c_int, value: *mut c_void, flag: *mut c_int) {
        comm_get(comm, keyval, value, flag)
    }
    pub fn Attr_delete(comm: Comm, keyval: c_int) {
        delete(Kind::Comm, comm_handle(comm)?, keyval)
    }

    pub fn Type_create_keyval(
        copy: *const c_void, delete: *const c_void, keyval: *mut c_int, extra_state: *mut c_void,
    ) {
        create(Kind::Datatype, copy, delete, keyval, extra_state)
    }
    pub fn Type_free_keyval(keyval: *mut c_int) {
        free(Kind::Datatype, keyval)
    }
    pub fn Type_set_attr(datatype: Datatype, keyval: c_int, value: *mut c_void) {
        set(Kind::Datatype, type_handle(datatype)?, keyval, value)
    }
    pub fn Type_get_attr(
        datatype: Datatype, keyval: c_int, value: *mut c_void, flag: *mut c_int,
    ) {
        get(Kind::Datatype, type_handle(datatype)?, keyval, value, flag)
    }
    pub fn Type_delete_attr(datatype: Datatype, keyval: c_int) {
        delete(Kind::Datatype, type_handle(datatype)?, keyval)
    }

    pub fn Win_create_keyval(
        copy: *const c_void, delete: *const c_void, keyval: *mut c_int, extra_state: *mut c_void,
    ) {
        create(Kind::Win, copy, delete, keyval, extra_state)
    }
    pub fn Win_free_keyval(keyval: *mut c_int) {
        free(Kind::Win, keyval)
    }
    pub fn Win_set_attr(win: Win, keyval: c_int, value: *mut c_void) {
        win::check(&runtime::enter()?, win)?;
        set(Kind::Win, win.to_int(), keyval, value)
    }
    pub fn Win_get_attr(win: Win, keyval: c_int, value: *mut c_void, flag: *mut c_int) {
        match win::predefined(&runtime::enter()?, win, keyval)? {
            Some(place) => {
                write_value(Some(place), value, flag);
                Ok(())
            }
            None => get(Kind::Win, win.to_int(), keyval, value, flag),
        }
    }
    pub fn Win_delete_attr(win: Win, keyval: c_int) {
        win::check(&runtime::enter()?, win)?;
        delete(Kind::Win, win.to_int(), keyval)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::null;

    unsafe extern "C" fn negate(
        _: Raw,
        _: c_int,
        extra: *mut c_void,
        value: *mut c_void,
        out: *mut c_void,
        flag: *mut c_int,
    ) -> c_int {
        unsafe {
            *out.cast::<isize>() = -(value as isize);
            *flag = c_int::from(!extra.is_null());
        }
        c::SUCCESS
    }
    /// Counts its calls in the int that the extra state points to; fails on value 13.
    unsafe extern "C" fn count(_: Raw, _: c_int, value: *mut c_void, extra: *mut c_void) -> c_int {
        unsafe { *extra.cast::<c_int>() += 1 };
        if value as usize == 13 { c::ERR_OTHER } else { c::SUCCESS }
    }

    fn value(object: Comm, keyval: c_int) -> Option<isize> {
        let (mut value, mut flag) = (0isize, 0);
        let out = (&raw mut value).cast();
        unsafe { Comm_get_attr(object, keyval, out, &raw mut flag) }.expect("a key");
        (flag != 0).then_some(value)
    }

    #[test]
    fn attributes_follow_their_objects() {
        let (a, b) = (Comm::created(70_001), Comm::created(70_002));
        let mut deleted: c_int = 0;
        let (mut key, mut plain) = (0, 0);
        unsafe {
            let extra = (&raw mut deleted).cast();
            let (copy, delete) = (negate as *const c_void, count as *const c_void);
            Comm_create_keyval(copy, delete, &raw mut key, extra).unwrap();
            Comm_create_keyval(null(), null(), &raw mut plain, extra).unwrap();
            assert_eq!(value(a, key), None);
            Comm_set_attr(a, key, 5 as *mut c_void).unwrap();
            Comm_set_attr(a, plain, 6 as *mut c_void).unwrap();
            assert_eq!((value(a, key), value(a, plain)), (Some(5), Some(6)));
            copy_all(Kind::Comm, a.to_int(), b.to_int()).unwrap();
            assert_eq!((value(b, key), value(b, plain)), (Some(-5), None));
            // Setting a value again deletes the old value first.
            Comm_set_attr(a, key, 13 as *mut c_void).unwrap();
            assert_eq!(deleted, 1);
            let error = delete_all(Kind::Comm, a.to_int()).unwrap_err();
            assert_eq!((error.code, deleted), (c::ERR_OTHER, 2));
            delete_all(Kind::Comm, b.to_int()).unwrap();
            assert_eq!((value(b, key), deleted), (None, 3));
            let wrong = Type_set_attr(c::INT, key, std::ptr::null_mut()).unwrap_err();
            assert_eq!(wrong.code, c::ERR_KEYVAL);
            Comm_free_keyval(&raw mut key).unwrap();
            assert_eq!(key, c::KEYVAL_INVALID);
        }
    }

    #[test]
    fn every_communicator_has_the_predefined_attributes() {
        set_predefined(524_287, 64);
        let place = value(c::COMM_WORLD, c::TAG_UB).expect("always there");
        assert_eq!(unsafe { *(place as *const c_int) }, 524_287);
        assert!(value(c::COMM_WORLD, c::WTIME_IS_GLOBAL).is_some());
    }
}
