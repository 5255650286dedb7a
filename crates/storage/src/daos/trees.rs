//! Engines of collectives in flight, in the order of a tree.

use workload::FileId;

use super::pool::Pool;
use crate::ServerId;

/// Lists of engines, by one target of each.
#[derive(Debug, Default)]
pub struct Trees {
    trees: Vec<Vec<ServerId>>,
    free: Vec<u32>,
}

impl Trees {
    /// All engines that hold shards of the object. The `first`th is the root.
    pub fn grow(&mut self, pool: &mut Pool, object: FileId, first: u64) -> u32 {
        let tree = self.take();
        let engines = &mut self.trees[tree as usize];
        let shards = pool.objects.layout(object).shards();
        let (placement, params) = (&pool.placement, &pool.params);
        for position in 0..shards.min(placement.domains) {
            let domain = placement.domain(object, position);
            let here =
                shards / placement.domains + u32::from(position < shards % placement.domains);
            for engine in 0..params.engines {
                let mut slots = (0..here).map(|nth| placement.slot(object, domain, nth));
                if let Some(slot) = slots.find(|slot| slot / params.targets == engine) {
                    engines.push(ServerId(domain * placement.targets_per_domain + slot));
                }
            }
        }
        let root = (first % engines.len() as u64) as usize;
        engines.rotate_left(root);
        tree
    }

    /// The pool service and one target of each engine.
    pub fn grow_all(&mut self, pool: &Pool) -> u32 {
        let tree = self.take();
        let per_engine = pool.params.targets;
        let engines = (0..pool.engines()).map(|engine| ServerId(engine * per_engine));
        self.trees[tree as usize].extend([pool.service()].into_iter().chain(engines));
        tree
    }

    fn take(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.trees.push(Vec::new());
            self.trees.len() as u32 - 1
        })
    }

    /// The collective has ended.
    pub fn free(&mut self, tree: u32) {
        self.trees[tree as usize].clear();
        self.free.push(tree);
    }

    pub fn engines(&self, tree: u32) -> &[ServerId] {
        &self.trees[tree as usize]
    }
}
