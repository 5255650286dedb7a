//! What a call states about its file: new objects, sizes, layouts; and the errors of DAOS.

use workload::{FileCall, FileCallKind, LayoutRequest, file_flag};

use super::clients::Client;
use super::pool::{Pool, has};
use super::{EINVAL, EOPNOTSUPP};

/// The call makes a new entry.
fn creates(what: &FileCall) -> bool {
    let new = !has(what, file_flag::EXISTS);
    match what.kind {
        FileCallKind::Mkdir | FileCallKind::Symlink => new,
        FileCallKind::Open | FileCallKind::SetLayout => new && has(what, file_flag::CREATE),
        _ => false,
    }
}

fn is_directory(what: &FileCall) -> bool {
    use FileCallKind::{Mkdir, ReadDirectory, Rmdir};
    has(what, file_flag::DIRECTORY) || matches!(what.kind, Mkdir | Rmdir | ReadDirectory)
}

impl Pool {
    /// Records what a call states about its file. An error is that of DAOS.
    pub fn prepare(&mut self, client: &mut Client, what: &FileCall) -> Result<(), i32> {
        match what.kind {
            // DFS has neither hard links nor reservation of space (client/dfs/README.md).
            FileCallKind::Link | FileCallKind::Allocate => return Err(EOPNOTSUPP),
            // The kernel keeps locks of a dfuse mount within the node.
            FileCallKind::Lock if !self.in_daemon(what) => return Err(EOPNOTSUPP),
            _ => (),
        }
        let directory = is_directory(what);
        if !has(what, file_flag::OPEN) {
            self.objects.find(what.parent, what.parent, true, 0);
            if what.name != 0 {
                self.objects.get(what.file).name = what.name;
            }
        }
        let is_known = self.objects.is_known(what.file);
        if creates(what) {
            self.objects.create(what.file, what.parent, directory);
        } else if has(what, file_flag::EXISTS) || has(what, file_flag::OPEN) {
            self.objects.find(what.file, what.parent, directory, what.size);
        }
        if what.kind == FileCallKind::SetLayout {
            return self.set_layout(client, what, directory);
        }
        let given = std::mem::take(&mut client.layout);
        if given != LayoutRequest::default() && (creates(what) || !is_known) {
            // A class that this pool does not have leaves the default.
            self.objects.set_layout(what.file, directory, &given);
        }
        Ok(())
    }

    fn set_layout(
        &mut self,
        client: &mut Client,
        what: &FileCall,
        directory: bool,
    ) -> Result<(), i32> {
        let request = std::mem::take(&mut client.layout);
        let has_data = !directory && !self.objects.get(what.file).written.is_empty();
        if has_data || !self.objects.set_layout(what.file, directory, &request) {
            return Err(EINVAL);
        }
        Ok(())
    }
}
