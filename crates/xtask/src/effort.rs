//! What building is for, which says how much is done to make the wasm modules small and fast.

/// What building is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// The modules are shipped, tested and measured: small and fast, however long that takes.
    Shipped,
    /// Somebody wants to see the pages: in half the time, twice as large.
    Quick,
}

impl Effort {
    /// Cargo's profile of wasm modules.
    pub(crate) fn profile(self) -> &'static str {
        match self {
            Self::Shipped => "wasm-release",
            Self::Quick => "quick",
        }
    }

    /// Cargo's profile of the server. It is the one of the modules if that saves compiling macros twice.
    pub(crate) fn server_profile(self) -> &'static str {
        match self {
            Self::Shipped => "release",
            Self::Quick => "quick",
        }
    }

    /// Where modules are kept, in a folder of this name if they are shipped.
    pub(crate) fn folder(self, name: &str) -> String {
        match self {
            Self::Shipped => name.to_owned(),
            Self::Quick => format!("quick-{name}"),
        }
    }
}
