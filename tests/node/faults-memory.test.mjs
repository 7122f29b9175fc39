// What the end of the module's memory may do to a conversation: nothing. The module is given a memory that cannot grow beyond
// a few megabytes, and each phase of a compaction meets its end.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createCompactor, init, isEpitomeError, restoreCompactor, validate } from "epitome/slim";
import { longChat } from "./fixtures.mjs";

const MODULE = readFileSync(new URL("../../crates/epitome-wasm/npm/dist/glue/epitome_bg.wasm", import.meta.url));
const PAGE = 65_536;
const MEGABYTES = 24;
const TOO_MUCH = "They planned the garden and bought compost. ".repeat(1_000_000);

/** A number of WebAssembly at `at`, and where it ends. */
function number(bytes, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7, at += 1) {
    value |= (bytes[at] & 0x7f) << shift;
    if (bytes[at] < 0x80) return [value, at + 1];
  }
}

function written(value) {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...written(value >>> 7)];
}

/** The module with a memory of at most so many pages. */
function limited(module, pages) {
  const MEMORY = 5;
  for (let at = 8; at < module.length; ) {
    const [size, begin] = number(module, at + 1);
    if (module[at] === MEMORY) {
      const [, afterCount] = number(module, begin);
      const [least] = number(module, afterCount + 1);
      const section = [1, 1, ...written(least), ...written(pages)];
      return Buffer.concat([module.subarray(0, at + 1), Buffer.from([...written(section.length), ...section]), module.subarray(begin + size)]);
    }
    at = begin + size;
  }
  throw new Error("the module has no memory");
}

const said = (content) => ({ role: "user", content });

/** Each phase: what meets the end of the memory in it. */
const PHASES = [
  { phase: "before a compaction", meet: (compactor) => compactor.append(said(TOO_MUCH)) },
  { phase: "before a compaction, message by message", meet: (compactor) => { for (;;) compactor.append(said(TOO_MUCH.slice(0, 100_000))); } },
  { phase: "while a summary is written", during: (compactor) => compactor.append(said(TOO_MUCH)) },
  { phase: "with a summary", summary: TOO_MUCH },
  { phase: "after the commit", after: (compactor) => { for (;;) compactor.append(said(TOO_MUCH.slice(0, 1_000_000))); } },
  { phase: "at a new policy", after: (compactor) => compactor.setPolicy({ window: 1_000, summary: { prompt: TOO_MUCH } }) },
];

test("j8: the end of the memory, in whatever phase, leaves a conversation that can be restored, and others unharmed", async () => {
  await init(limited(MODULE, (MEGABYTES << 20) / PAGE));
  for (const { phase, meet, during, after, summary = "They planned the garden." } of PHASES) {
    const policy = { window: 1_000, retry: { attempts: 1 } };
    const messages = longChat(60);
    const refusals = [];
    const attempt = (act) => {
      try {
        act?.();
      } catch (error) {
        refusals.push(error);
      }
    };
    let compactor;
    const summarize = () => {
      attempt(during && (() => during(compactor)));
      return summary;
    };
    compactor = await createCompactor({ format: "openai-chat", policy, summarize });
    const other = await createCompactor({ format: "openai-chat", policy, summarize: () => "They planned the garden." });
    compactor.append(messages);
    other.append(messages);
    const snapshot = compactor.snapshot();
    attempt(meet && (() => meet(compactor)));
    const report = await compactor.compact({ reason: "manual" }).catch((error) => refusals.push(error));
    attempt(after && (() => after(compactor)));
    for (const error of refusals) {
      assert.ok(isEpitomeError(error), `${phase}: ${error}`);
      assert.ok(["too-large", "broken", "invalid-policy"].includes(error.code), `${phase}: ${error.code}: ${error.message}`);
    }
    assert.ok(refusals.length > 0 || report.outcome === "failed" || summary === TOO_MUCH, `${phase}: nothing was refused`);
    assert.ok(messages.every((message, index) => compactor.history()[index] === message), `${phase}: the same objects`);
    const restored = await restoreCompactor(snapshot, { format: "openai-chat", policy, summarize: () => "They planned the garden.", originals: messages });
    compactor.dispose();
    for (const one of [restored, other]) {
      const next = await one.compact({ reason: "manual" }).catch((error) => error);
      // One that shared the memory may be at its end too, and says so.
      assert.ok(next.outcome === "applied" || (one === other && next.code === "broken"), `${phase}: ${next.message}`);
      if (next.outcome === "applied") assert.deepEqual(await validate(one.messages(), "openai-chat"), []);
      one.dispose();
    }
  }
});
