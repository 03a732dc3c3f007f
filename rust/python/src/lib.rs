//! The extension module `sid._native`: what Python sees of the core, one file per thing.
//!
//! It converts, releases the GIL for real work and calls `sid-core`; what state it holds is the core's. Arguments are
//! checked by the Python layer where both backends need the same check.

mod copying;
mod hashing;
mod ids;
mod intervals;
mod ledger;
mod ranking;
mod registry;
mod render;
mod results;
mod snippet;
mod text;

use pyo3::prelude::*;

/// The native backend of sid-native.
#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use crate::copying::deep_copy;
    #[pymodule_export]
    use crate::ids::Ids;
    #[pymodule_export]
    use crate::intervals::{
        append_coalescing, insert_interval, overlap, overlap_list, plan_segments,
    };
    #[pymodule_export]
    use crate::ledger::Ledger;
    #[pymodule_export]
    use crate::ranking::bm25_scores;
    #[pymodule_export]
    use crate::registry::Registry;
    #[pymodule_export]
    use crate::render::{markdown_table, snippet_xml, view_body, xml_element};
    #[pymodule_export]
    use crate::results::{render_results, Rendered};
    #[pymodule_export]
    use crate::snippet::{
        analysis_cache_info, clear_analysis_cache, resize_analysis_cache, snippet_span,
        snippet_spans,
    };
    #[pymodule_export]
    use crate::text::{analyze, word_segments};

    use super::*;
    use crate::text::choose_instruction_set;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add(
            "INSTRUCTION_SET",
            choose_instruction_set(module.py())?.name(),
        )
    }
}
