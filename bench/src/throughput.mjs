// How fast candidates count: in turns, on strings that are new each time, the best of several passes.
//
// Before the first pass over a text, each candidate clears its caches; its code is warm by then. The pass directly after it
// has warm caches as well.

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Megabytes of UTF-8 per second, of every candidate on every kind. Fails if candidates that count exactly differ.
 *
 * `kinds` are `{ kind, script, messages }` with messages in UTF-8; `clock` returns milliseconds; `collectGarbage` collects
 * all garbage before a kind, and the young generation's before a pass; `progress` is called before every repetition.
 */
export async function throughput({
  kinds,
  candidates,
  clock,
  repetitions,
  exact,
  collectGarbage = () => {},
  progress = () => {},
}) {
  for (const { messages } of kinds) {
    const warming = messages.slice(-Math.ceil(messages.length / 8));
    for (const { count, slow } of candidates) {
      await pass(count, strings(slow ? warming.slice(0, 2) : warming));
    }
  }
  const rows = kinds.map(({ kind, script, messages }) => ({
    kind,
    script,
    bytes: lengthOf(messages),
    first: {},
    warm: {},
  }));
  // Every kind is measured once before any is measured again: other work of the machine then affects all kinds alike, and
  // a cache that cannot be cleared has seen other texts in between.
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    progress(`pass ${repetition + 1} of ${repetitions}`);
    for (const [index, { kind, messages }] of kinds.entries()) {
      collectGarbage("all");
      const counted = new Map();
      for (const { name, count, clearCache, slow } of candidates) {
        if (slow && repetition > 0) {
          continue;
        }
        const given = slow ? messages.slice(0, Math.ceil(messages.length / 10)) : messages;
        const bytes = lengthOf(given);
        clearCache();
        for (const when of ["first", "warm"]) {
          const texts = strings(given);
          collectGarbage("young");
          const started = clock();
          const tokens = await pass(count, texts);
          const rate = bytes / 1000 / (clock() - started);
          rows[index][when][name] = Math.max(rows[index][when][name] ?? 0, rate);
          if (!slow) {
            counted.set(name, tokens);
          }
        }
      }
      if (exact && new Set(counted.values()).size > 1) {
        throw new Error(`counts of ${kind} differ: ${JSON.stringify(Object.fromEntries(counted))}`);
      }
    }
  }
  return rows;
}

const strings = (messages) => messages.map((message) => decoder.decode(message));

const lengthOf = (messages) => messages.reduce((bytes, message) => bytes + message.length, 0);

async function pass(count, texts) {
  let tokens = 0;
  for (const text of texts) {
    const counted = count(text);
    // `await` on a number would cost more than counting.
    tokens += typeof counted === "number" ? counted : await counted;
  }
  return tokens;
}
