// Which entries the package has.

/** The entry that a page would import which only counts; the whole package where there is no such entry. */
export function countingEntry() {
  try {
    import.meta.resolve("epitome/tokens");
    return "epitome/tokens";
  } catch {
    return "epitome";
  }
}
