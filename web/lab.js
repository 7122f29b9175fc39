// Fetches the Lab, which is not part of what the page needs first.

/** Shows the Lab for these messages in the element with this id. Rejects if it cannot be fetched. */
export async function showLab(id, messages, about) {
  // Other packages use zod, which tries at first whether it may compile code. The page's security policy forbids that, and browsers
  // report the attempt.
  globalThis.__zod_globalConfig ??= { jitless: true };
  const { show } = await import("./lab/entry.ts");
  show(document.getElementById(id), { messages, ...JSON.parse(about) });
}
