// How long a stored conversation takes to open in Chromium, from IndexedDB: its end alone, and all of it.
//
//   node bench/src/opening.mjs [--messages 10000] [--rounds 9] [--profile opening.cpuprofile]
//
// Needs the package (`cargo xtask package`), the packages of `tests`, and Chromium (`EPITOME_BROWSER`).

import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { history, inOpenAI } from "./histories.mjs";
import { median } from "./statistics.mjs";

const { startBrowser } = await import(new URL("../../tests/storage/browser.mjs", import.meta.url));

const { values } = parseArgs({
  options: {
    messages: { type: "string", default: "10000" },
    rounds: { type: "string", default: "9" },
    profile: { type: "string" },
  },
});
const [count, rounds] = [Number(values.messages), Number(values.rounds)];
const POLICY = { window: 200_000, triggers: ["manual"], reducers: [], keep: { messages: 60 } };

const browser = await startBrowser();
try {
  const writer = await browser.tab();
  const kept = await writer.evaluate(
    async ([messages, policy]) => {
      const { storage, store } = globalThis;
      const summarize = () => "They looked things up in a table, and spoke of values, functions and windows.";
      const { compactor, sequence, close } = await storage.openConversation({ store, id: "long", format: "openai-chat", policy, summarize });
      // A commit for each round of six messages, as an app makes them, and a compaction for each tenth of the conversation.
      const tenth = Math.ceil(messages.length / 10);
      for (let at = 0; at < messages.length; at += 6) {
        compactor.append(messages.slice(at, at + 6));
        await compactor.commit();
        if (Math.floor(at / tenth) !== Math.floor((at + 6) / tenth)) {
          await compactor.compact();
        }
      }
      const characters = messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0);
      const found = { commits: sequence(), characters, view: compactor.messages().length };
      // The end of the conversation is kept after a compaction, and nobody has to wait for it.
      while ((await storage.readTail({ store, id: "long" })) === undefined);
      close();
      return found;
    },
    [inOpenAI(history(count)), POLICY],
  );
  await writer.close();
  console.log(`${count} messages, ${kept.characters} characters, ${kept.commits} commits, ${kept.view} messages in the view`);
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    // A new page each time, whose modules are loaded: what an app has when it opens a conversation.
    const reader = await browser.tab();
    const session = values.profile === undefined || round + 1 < rounds ? undefined : await reader.context().newCDPSession(reader);
    await session?.send("Profiler.enable");
    await session?.send("Profiler.setSamplingInterval", { interval: 200 });
    await reader.evaluate(async (policy) => {
      const { compactor, close } = await globalThis.storage.openConversation({ store: globalThis.storage.memoryStore(), id: "warm", format: "openai-chat", policy });
      compactor.append([{ role: "user", content: "Hello." }, { role: "assistant", content: "Hello!" }]);
      compactor.messages();
      close();
    }, POLICY);
    await session?.send("Profiler.start");
    const time = await reader.evaluate(async () => {
      const begun = performance.now();
      const tail = await globalThis.storage.readTail({ store: globalThis.store, id: "long" });
      const started = performance.now();
      const { compactor, damage, close } = await globalThis.storage.openConversation({ store: globalThis.store, id: "long", format: "openai-chat" });
      const opened = performance.now();
      const view = compactor.messages();
      const seen = performance.now();
      const all = compactor.history().length;
      const whole = performance.now();
      close();
      const same = JSON.stringify(tail?.messages) === JSON.stringify(view);
      return { tail: started - begun, same, open: opened - started, view: seen - opened, history: whole - seen, messages: view.length, all, damage };
    });
    if (session !== undefined) {
      const { profile } = await session.send("Profiler.stop");
      writeFileSync(values.profile, JSON.stringify(profile));
    }
    times.push(time);
    await reader.close();
  }
  const line = (name) => {
    const all = times.map((time) => time[name]).sort((one, other) => one - other);
    return `${name}: median ${median(all).toFixed(1)} ms, ${all[0].toFixed(1)} to ${all.at(-1).toFixed(1)}`;
  };
  console.log(["tail", "open", "view", "history"].map(line).join("\n"));
  if (!times.every(({ same }) => same)) {
    throw new Error("the tail is not what the conversation shows");
  }
} finally {
  await browser.close();
}
