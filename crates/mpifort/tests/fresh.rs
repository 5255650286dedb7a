//! The committed Fortran files match the interface tables.
//! `ODONATA_WRITE=1 cargo test -p mpifort --test fresh` regenerates them.

use std::path::Path;
use std::{env, fs};

#[path = "../interface/arguments.rs"]
mod arguments;
#[allow(dead_code)]
#[path = "../interface/entries.rs"]
mod entries;
#[path = "../../mpiabi/interface/generate.rs"]
mod generate;
#[path = "../interface/modules.rs"]
mod modules;

#[test]
fn generated_headers_are_up_to_date() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let table = |name: &str| fs::read_to_string(here.join("../mpiabi/interface").join(name));
    let functions = table("functions.tsv").expect("the functions");
    let constants = table("constants.tsv").expect("the constants");
    let (functions, constants) = (generate::functions(&functions), generate::constants(&constants));
    for (name, fresh) in [
        ("mpif.h", modules::mpif_h(&constants)),
        ("mpi.f90", modules::module(&functions, &constants)),
        ("mpi_f08.f90", modules::module_f08(&functions, &constants)),
        ("mpi_f08ts.f90", modules::module_f08ts(&functions, &constants)),
    ] {
        let path = here.join("../../include").join(name);
        if env::var_os("ODONATA_WRITE").is_some() {
            fs::write(&path, &fresh).expect("write");
        }
        let found = fs::read_to_string(&path).unwrap_or_default();
        assert!(found == fresh, "{} is stale: see the head of this test", path.display());
    }
}
