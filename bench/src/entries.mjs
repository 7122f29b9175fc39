// The entry points of the package.

/** The entry point for pages that only count; the whole package if it has no such entry point. */
export function countingEntry() {
  try {
    import.meta.resolve("epitome/tokens");
    return "epitome/tokens";
  } catch {
    return "epitome";
  }
}
