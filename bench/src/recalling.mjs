// How long a search in what has left the view takes in Chromium, and the index that it needs: made, kept and loaded.
//
//   node bench/src/recalling.mjs [--messages 10000] [--rounds 9]
//
// Needs the package (`cargo xtask package`), the packages of `tests`, and Chromium (`EPITOME_BROWSER`). The same without a
// browser, and with a hundred million tokens: `cargo run --release --package epitome-recall --example large -- 100000000`.

import { parseArgs } from "node:util";
import { history, inOpenAI } from "./histories.mjs";

const { startBrowser } = await import(new URL("../../tests/storage/browser.mjs", import.meta.url));

const { values } = parseArgs({ options: { messages: { type: "string", default: "10000" }, rounds: { type: "string", default: "9" } } });
const POLICY = { window: 200_000, triggers: ["manual"], reducers: [], keep: { messages: 60 } };
const QUESTIONS = {
  "a name that one message has": "What did Quillfeather say of the table?",
  "two words": "summary budget",
  "common words": "people table value return error request message function window summary budget years work",
  "a long question": "When they said how the first message of a request would be made into a summary, which values did the window, the budget and the table have, what did the function return in years of work, and what error came after?",
};

const messages = inOpenAI(history(Number(values.messages)));
messages.splice(messages.length / 2, 0, { role: "user", content: "Quillfeather says that the table of the west wing has nine legs." });
const browser = await startBrowser();
try {
  const writer = await browser.tab();
  const first = await writer.evaluate(
    async ([all, policy]) => {
      const { storage, store } = globalThis;
      const { compactor, close } = await storage.openConversation({ store, id: "long", format: "openai-chat", policy, summarize: () => "They talked." });
      compactor.append(all);
      await compactor.compact();
      await compactor.commit();
      const started = performance.now();
      await compactor.recall("Quillfeather");
      const made = performance.now() - started;
      let kept;
      while ((kept = await store.derived("long", "index")) === undefined);
      close();
      return { made, bytes: (kept.text.length / 4) * 3, text: all.reduce((sum, message) => sum + JSON.stringify(message).length, 0) };
    },
    [messages, POLICY],
  );
  await writer.close();
  console.log(`${messages.length} messages, ${first.text} characters; first search, with its index: ${first.made.toFixed(0)} ms`);
  console.log(`index: ${(first.bytes / 1e6).toFixed(2)} MB, ${((100 * first.bytes) / first.text).toFixed(0)} % of the text`);
  const reader = await browser.tab();
  const times = await reader.evaluate(
    async ([questions, rounds]) => {
      const { compactor, close } = await globalThis.storage.openConversation({ store: globalThis.store, id: "long", format: "openai-chat" });
      const timed = async (question) => {
        const started = performance.now();
        const { passages } = await compactor.recall(question, { tokens: 2_000 });
        return [performance.now() - started, passages.length];
      };
      const all = { "first search of an opened conversation, with the kept index": [await timed("Quillfeather")] };
      for (const [what, question] of Object.entries(questions)) {
        all[what] = [];
        for (let round = 0; round < rounds; round += 1) {
          all[what].push(await timed(question));
        }
      }
      close();
      return all;
    },
    [QUESTIONS, Number(values.rounds)],
  );
  for (const [what, all] of Object.entries(times)) {
    if (all.some(([, passages]) => passages === 0)) {
      throw new Error(`${what}: nothing was found`);
    }
    const sorted = all.map(([time]) => time).sort((one, other) => one - other);
    console.log(`${what}: median ${sorted[Math.floor(sorted.length / 2)].toFixed(1)} ms, slowest ${sorted.at(-1).toFixed(1)} ms`);
  }
} finally {
  await browser.close();
}
