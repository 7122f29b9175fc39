//! The texts that `fit/collect.mjs` collects, by kind and source.

use std::error::Error;
use std::fs;
use std::path::Path;

/// The texts of one source.
pub(crate) struct Source {
    pub(crate) kind: String,
    pub(crate) name: String,
    /// Documents or conversations, each as its messages in order.
    pub(crate) documents: Vec<Vec<String>>,
}

/// All sources in the folder of a split, ordered by kind and name.
pub(crate) fn read(folder: &Path) -> Result<Vec<Source>, Box<dyn Error>> {
    let mut sources = Vec::new();
    for kind in fs::read_dir(folder)? {
        let kind = kind?.path();
        for file in fs::read_dir(&kind)? {
            let file = file?.path();
            let name = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into());
            let lines = fs::read_to_string(&file)?;
            let documents = lines.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
            sources.push(Source {
                kind: name(&kind).unwrap_or_default(),
                name: name(&file).unwrap_or_default(),
                documents,
            });
        }
    }
    sources.sort_by(|one, other| (&one.kind, &one.name).cmp(&(&other.kind, &other.name)));
    Ok(sources)
}
