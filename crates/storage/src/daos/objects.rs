//! Files and directories: object class, chunk size, defaults of directories, written bytes.

use machine::storage::daos::ObjectClass;
use workload::{FileId, LayoutRequest};

use super::class::{Layout, PoolSize, default_chunk};
use super::extents::Extents;

/// What new entries of a directory get. Classes are indices of `Objects::layouts`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Defaults {
    pub file_class: u32,
    pub directory_class: u32,
    pub chunk: u64,
}

/// A file or directory.
#[derive(Clone, Debug, Default)]
pub struct Object {
    /// It has been mentioned by a call, so the other fields are valid.
    known: bool,
    /// The last write was small, so the data is on SCM.
    pub small: bool,
    class: u32,
    /// Index in `Objects::defaults`.
    defaults: u32,
    /// Hash of its entry's name.
    pub name: u64,
    chunk: u64,
    pub written: Extents,
}

fn at(index: u32) -> usize {
    index as usize
}

/// All objects of a container.
pub struct Objects {
    objects: Vec<Object>,
    layouts: Vec<Layout>,
    defaults: Vec<Defaults>,
    pool: PoolSize,
    cell: u64,
}

impl Objects {
    /// The first entry of `defaults` is that of the container.
    pub fn new(pool: PoolSize, cell: u64) -> Objects {
        Objects { objects: Vec::new(), layouts: Vec::new(), defaults: Vec::new(), pool, cell }
    }

    /// Index of a class; `None` if it does not fit in the pool.
    pub fn class(&mut self, class: ObjectClass) -> Option<u32> {
        let layout = self.pool.layout(class)?;
        let index = self.layouts.iter().position(|l| *l == layout).unwrap_or_else(|| {
            self.layouts.push(layout);
            self.layouts.len() - 1
        });
        Some(index as u32)
    }

    pub fn add_defaults(&mut self, defaults: Defaults) -> u32 {
        let index = self.defaults.iter().position(|d| *d == defaults).unwrap_or_else(|| {
            self.defaults.push(defaults);
            self.defaults.len() - 1
        });
        index as u32
    }

    /// The object, which exists from here on.
    pub fn get(&mut self, file: FileId) -> &mut Object {
        let index = file as usize;
        if index >= self.objects.len() {
            self.objects.resize_with(index + 1, Object::default);
        }
        &mut self.objects[index]
    }

    /// Whether a call has mentioned the object.
    pub fn is_known(&mut self, file: FileId) -> bool {
        self.get(file).known
    }

    /// An object that a call mentions for the first time was made before the run.
    pub fn find(&mut self, file: FileId, parent: FileId, directory: bool, size: u64) {
        if !self.get(file).known {
            self.create(file, parent, directory);
            if !directory {
                self.get(file).written = Extents::up_to(size);
            }
        }
    }

    /// A new object with the defaults of its directory.
    pub fn create(&mut self, file: FileId, parent: FileId, directory: bool) {
        let index = self.get(parent).defaults;
        let of = self.defaults[at(index)];
        let class = if directory { of.directory_class } else { of.file_class };
        let object = self.get(file);
        let name = object.name;
        let (known, small, written) = (true, false, Extents::default());
        *object = Object { known, small, class, defaults: index, name, chunk: of.chunk, written };
    }

    /// Sets class and chunk size of a new file, or the defaults of a directory. False if the
    /// request does not fit.
    pub fn set_layout(&mut self, file: FileId, directory: bool, request: &LayoutRequest) -> bool {
        let named = |objects: &mut Objects, name: &str, otherwise: u32| match name {
            "" => Some(otherwise),
            _ => ObjectClass::parse(name).and_then(|class| objects.class(class)),
        };
        let index = self.get(file).defaults;
        let old = self.defaults[at(index)];
        let now = if directory { old.file_class } else { self.get(file).class };
        let Some(file_class) = named(self, &request.object_class, now) else { return false };
        let directory_class = named(self, &request.directory_class, old.directory_class);
        let Some(directory_class) = directory_class else { return false };
        let chunk = match request.chunk_size {
            0 if request.object_class.is_empty() && directory => old.chunk,
            0 if request.object_class.is_empty() => self.get(file).chunk,
            0 => default_chunk(self.layouts[at(file_class)].redundancy, self.cell),
            chunk => chunk,
        };
        if directory {
            let defaults = self.add_defaults(Defaults { file_class, directory_class, chunk });
            self.get(file).defaults = defaults;
        } else {
            let object = self.get(file);
            (object.class, object.chunk) = (file_class, chunk);
        }
        true
    }

    pub fn layout(&mut self, file: FileId) -> Layout {
        let class = self.get(file).class;
        self.layouts[at(class)]
    }

    pub fn chunk(&mut self, file: FileId) -> u64 {
        self.get(file).chunk
    }

    /// Key of a directory entry: the hash of its name, if a call has given it.
    pub fn entry_key(&mut self, file: FileId) -> u64 {
        match self.get(file).name {
            0 => u64::from(file),
            name => name,
        }
    }
}
