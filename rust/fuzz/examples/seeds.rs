//! Writes the seeds of every target to `corpus/<target>` beside the manifest.

use std::path::Path;

use sid_fuzz::{check, seeds};

fn main() -> std::io::Result<()> {
    for (target, _) in check::ALL {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("corpus")
            .join(target);
        std::fs::create_dir_all(&directory)?;
        let seeds = seeds::seeds(target);
        for (name, data) in &seeds {
            std::fs::write(directory.join(name), data)?;
        }
        println!("{target}: {} seeds", seeds.len());
    }
    Ok(())
}
