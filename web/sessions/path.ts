// The path through a tree of entries, each of which names the one before it.

/** The entries from the first one to the last one of a file, without those on branches that were left. Entries without ids are all
 * on the path. */
export function pathOf<E>(entries: readonly E[], idOf: (entry: E) => string | undefined, parentOf: (entry: E) => string | undefined): readonly E[] {
  const byId = new Map<string, E>();
  for (const entry of entries) {
    const id = idOf(entry);
    if (id !== undefined) {
      byId.set(id, entry);
    }
  }
  const last = [...byId.values()].at(-1);
  if (last === undefined) {
    return entries;
  }
  const path = new Set<E>();
  for (let entry: E | undefined = last; entry !== undefined && !path.has(entry); entry = byId.get(parentOf(entry) ?? "")) {
    path.add(entry);
  }
  return [...path].reverse();
}
