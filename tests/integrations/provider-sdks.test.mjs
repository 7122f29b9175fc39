// Plain tool loops with the SDKs of OpenAI and Anthropic, for apps that append each message and for those that keep an array.

import assert from "node:assert/strict";
import { test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { createCompactor } from "epitome";
import OpenAI from "openai";
import { lookUp, POLICIES, question } from "./scripted-model.mjs";
import { serve } from "./scripted-server.mjs";

const ROUNDS = 9;
const RESULTS = ROUNDS + Math.ceil(ROUNDS / 3);

const LOOPS = {
  "openai-chat": {
    messagesPerTurn: 2 + ROUNDS + RESULTS,
    clientOf(address) {
      const openai = new OpenAI({ apiKey: "key", baseURL: `${address}/v1`, maxRetries: 0 });
      return async (messages) => {
        const { choices, usage } = await openai.chat.completions.create({ model: "m", messages });
        const [{ message }] = choices;
        return { answer: message, usage, calls: message.tool_calls ?? [] };
      };
    },
    results: (calls) =>
      calls.map(({ id, function: { arguments: input } }) => ({ role: "tool", tool_call_id: id, content: lookUp(JSON.parse(input).at) })),
  },
  anthropic: {
    messagesPerTurn: 2 + 2 * ROUNDS,
    clientOf(address) {
      const anthropic = new Anthropic({ apiKey: "key", baseURL: address, maxRetries: 0 });
      return async (messages) => {
        const { content, usage } = await anthropic.messages.create({ model: "m", max_tokens: 500, messages });
        return { answer: { role: "assistant", content }, usage, calls: content.filter(({ type }) => type === "tool_use") };
      };
    },
    results: (calls) => [
      { role: "user", content: calls.map(({ id, input }) => ({ type: "tool_result", tool_use_id: id, content: lookUp(input.at) })) },
    ],
  },
};

for (const [format, { messagesPerTurn, clientOf, results }] of Object.entries(LOOPS)) {
  const styles = ["appends each message", "keeps an array"];
  for (const [style, counts] of styles.flatMap((style) => Object.keys(POLICIES).map((counts) => [style, counts]))) {
    test(`k6: ${format}: a tool loop of the SDK that ${style}: nothing doubles and the status is right, with ${counts}`, async (context) => {
      const { script, address } = await serve(context, format);
      const ask = clientOf(address);
      const applied = [];
      const onEvent = (event) => event.type === "end" && applied.push(event.report.outcome);
      const compactor = await createCompactor({ format, policy: POLICIES[counts], onEvent });
      const store = [];
      const add = (...messages) => {
        store.push(...messages);
        if (style === "keeps an array") {
          compactor.sync(structuredClone(store));
        } else {
          compactor.append(messages);
        }
      };
      for (let turn = 0; turn < 3; turn += 1) {
        script.begin(ROUNDS);
        add({ role: "user", content: question(turn) });
        for (let calls; calls === undefined || calls.length > 0; ) {
          await compactor.compactIfNeeded();
          assert.equal(compactor.history().length, store.length);
          script.promise(compactor.status());
          const { answer, usage, ...rest } = await ask(compactor.messages());
          calls = rest.calls;
          add(answer, ...(calls.length > 0 ? results(calls) : []));
          compactor.reportUsage(usage);
        }
        assert.equal(compactor.history().length, (turn + 1) * messagesPerTurn);
      }
      assert.equal(script.prompts.length, 3 * (ROUNDS + 1));
      assert.ok(applied.length >= 3 && applied.every((outcome) => outcome === "applied"), applied.join());
    });
  }
}
