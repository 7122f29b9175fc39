// A turn's middleware, transforms and context providers, as the documents of the loop middleware and of the request-boundary
// sessions describe them, with their own examples.

import assert from "node:assert/strict";
import { test } from "node:test";
import { contextProviders, createCompactor, runTurn } from "epitome";
import { FORMATS, chatOf, preset, said, same, scripted } from "../node/harness.mjs";
import { refusals } from "../node/legality.mjs";
import { calling, resulting } from "../node/model-server.mjs";

// The loop middleware, sections 2, 8 and 10

/** The document's two middlewares and one of the app, and what each of them was asked. */
function loopMiddleware(threshold) {
  const log = [];
  let isWarned = false;
  const autoCompact = {
    before: ({ step, status }) => {
      log.push(`compact? ${step}`);
      if (status.tokens < threshold) return { action: "continue" };
      return { action: "compact", metadata: { old_tokens: status.tokens, threshold } };
    },
  };
  const warning = {
    before: ({ step, status }) => {
      if (!isWarned && status.tokens >= threshold * 0.5) {
        isWarned = true;
        log.push(`warning ${step}`);
      }
    },
    reset: (reason) => {
      isWarned = false;
      log.push(`reset ${reason}`);
    },
  };
  const other = { before: ({ step }) => void log.push(`before ${step}`), after: ({ step }) => void log.push(`after ${step}`) };
  return { log, middleware: [autoCompact, warning, other] };
}

for (const format of FORMATS) {
  test(`g1, g6: ${format}: each iteration asks the middleware, compacts at 200,000 tokens, calls the model and its tools, and goes on`, async () => {
    const { log, middleware } = loopMiddleware(200_000);
    const { summarize } = scripted("They looked at the beds.");
    const events = [];
    const onEvent = ({ type }) => void (["start", "end"].includes(type) && log.push(type) && events.push(type));
    const compactor = await createCompactor({ format, policy: preset("loop", 1_000_000, { triggers: ["manual"] }), summarize, onEvent });
    compactor.append([...chatOf(20, 4_970), said("user", "Look at all beds.")]);
    // What the provider reports of each call. The result of a tool comes on top.
    const reported = [99_700, 100_000, 199_700, 200_000, 150_000, 60_000];
    const sent = [];
    const request = (messages, { step }) => {
      log.push(`model ${step}`);
      sent.push(messages);
      const call = step < reported.length ? calling(format, `call_${step}`) : said("assistant", "All are fine.");
      return { messages: call, usage: { promptTokens: reported[step - 1], completionTokens: 0 } };
    };
    const tools = (_, { step }) => {
      if (step === reported.length) return undefined;
      log.push(`tools ${step}`);
      return [resulting(format, `call_${step}`, step === 2 ? "12 roses. ".repeat(9_950) : "12 roses")];
    };
    const { end, steps, compactions } = await runTurn(compactor, { request, tools, middleware });
    assert.deepEqual([end, steps], ["answered", reported.length]);
    const step = (number, ...between) => [`compact? ${number}`, ...between, `before ${number}`, `model ${number}`, `tools ${number}`, `after ${number}`];
    assert.deepEqual(log, [
      ...step(1),
      // 99,700 tokens are less than half of the threshold, 100,000 are half of it; one warning is enough.
      ...step(2),
      ...step(3, "warning 3"),
      ...step(4),
      // After a compaction the warning may be shown again. The counter of the steps goes on.
      ...step(5, "start", "end", "reset session-compaction"),
      ...step(6, "warning 6").filter((entry) => entry !== "tools 6"),
    ]);
    const [{ report, metadata }, ...others] = compactions;
    assert.deepEqual([report.outcome, report.reason, others], ["applied", "session-compaction", []]);
    assert.equal(metadata.threshold, 200_000);
    assert.ok(metadata.old_tokens > 200_000 && metadata.old_tokens < 200_100, `${metadata.old_tokens}: the prompt and a result`);
    assert.ok(JSON.stringify(sent[4]).includes("They looked at the beds.") && sent[4].length < sent[3].length, "the model gets the compacted context");
    for (const messages of sent) {
      assert.deepEqual(await refusals(format, messages, []), []);
    }
    compactor.dispose();
  });

  test(`g1: ${format}: a middleware that stops ends the loop before the model is called`, async () => {
    const { log, middleware } = loopMiddleware(200_000);
    const compactor = await createCompactor({ format, policy: preset("loop", 1_000_000) });
    compactor.append(said("user", "Look at all beds."));
    const limit = { before: ({ step }) => (step > 2 ? { action: "stop" } : { action: "continue" }) };
    const request = (_, { step }) => ({ messages: calling(format, `call_${step}`) });
    const tools = (_, { step }) => [resulting(format, `call_${step}`, "12 roses")];
    const { end, steps } = await runTurn(compactor, { request, tools, middleware: [limit, ...middleware] });
    assert.deepEqual([end, steps], ["stopped", 3]);
    assert.deepEqual(log.filter((entry) => entry.startsWith("before")), ["before 1", "before 2"]);
    assert.equal(compactor.history().length, 1 + 2 * 2);
    compactor.dispose();
  });
}

// The context pipeline

for (const format of FORMATS) {
  test(`g2, g3: ${format}: transforms from left to right, providers against the rewritten history, their messages in front`, async () => {
    const { summarize } = scripted("They looked.");
    const compactor = await createCompactor({ format, policy: preset("request", 200_000, { reducers: [] }), summarize });
    const history = [...chatOf(6, 300), said("user", "My password is 1234.")];
    compactor.append(history);
    const order = [];
    const transforms = [
      // Normalizing: an empty request is of no use.
      (messages) => (order.push("normalize"), messages.filter(({ content }) => content !== "")),
      // Redacting.
      (messages) => {
        order.push("redact");
        return messages.map((message) => (JSON.stringify(message).includes("1234") ? said("user", "My password is ****.") : message));
      },
    ];
    const seen = [];
    const providers = contextProviders({
      workspace: ({ messages }) => (order.push("workspace"), seen.push(messages), "Files: beds.csv"),
      skills: async () => (order.push("skills"), "Skills: watering"),
      knowledge: async () => (order.push("knowledge"), "Knowledge: roses need water"),
      memory: async () => (order.push("memory"), "Memory: Ada likes roses"),
      date: ({ step }) => (order.push("date"), `Date: 2026-01-0${step}`),
      identity: async () => (order.push("identity"), [said("user", "Tenant: garden\nUser: Ada")]),
    });
    const sent = [];
    const request = (messages) => {
      sent.push(messages);
      return { messages: sent.length === 1 ? calling(format, "call_1") : said("assistant", "It is fine.") };
    };
    const tools = () => (sent.length === 1 ? [resulting(format, "call_1", "12 roses")] : undefined);
    await runTurn(compactor, { request, tools, transforms, providers });
    const stack = ["identity", "date", "memory", "knowledge", "skills", "workspace"];
    const once = ["normalize", "redact", ...stack];
    assert.deepEqual(order, [...once, ...once], "for every request, and in this order");
    for (const messages of seen) {
      assert.ok(!JSON.stringify(messages).includes("1234") && !JSON.stringify(messages).includes("Tenant"));
    }
    for (const [index, messages] of sent.entries()) {
      const text = JSON.stringify(messages);
      const places = ["Tenant: garden", `Date: 2026-01-0${index + 1}`, "Memory: Ada", "Knowledge: roses", "Skills: watering", "Files: beds.csv", "Turn 0"];
      const found = places.map((place) => text.indexOf(place));
      assert.ok(found.every((at, next) => at > (found[next - 1] ?? -1)), `${found}`);
      assert.ok(!text.includes("1234"));
      assert.deepEqual(await refusals(format, messages, []), []);
    }
    assert.ok(same(compactor.history().slice(0, history.length), history), "neither is stored");
    assert.ok(!compactor.snapshot().includes("Tenant"));
    compactor.dispose();
  });
}
