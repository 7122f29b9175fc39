// How fast candidates count: interleaved, on strings that are new each time, the best of several passes.
//
// The first pass is that over a text of which nothing is remembered: whatever a candidate has in its caches is
// forgotten before. The code is warm by then. The pass right after it is warm in every sense.

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Megabytes of UTF-8 a second, of every candidate on every kind. Fails where candidates count exactly and differ.
 *
 * `kinds` are `{ kind, script, messages }` with messages in UTF-8; `clock` tells milliseconds; `collectGarbage` collects
 * garbage, all of it before a kind and that of the young before a pass; `progress` is called before every repetition.
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
  // All kinds come between two passes over one: what else the machine does then hits no kind more than another, and a
  // cache that cannot be emptied has seen other texts.
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
    // Waiting for what is already there would cost more than counting.
    tokens += typeof counted === "number" ? counted : await counted;
  }
  return tokens;
}
