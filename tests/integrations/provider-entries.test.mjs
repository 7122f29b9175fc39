// `epitome/openai` and `epitome/anthropic`: a turn with its tool loop in one line, with the SDKs against servers on loopback.

import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import { runMessages } from "epitome/anthropic";
import { runChat } from "epitome/openai";
import OpenAI from "openai";
import { both } from "../node/places.mjs";
import { lookUp, POLICY, question } from "./scripted-model.mjs";
import { serve } from "./scripted-server.mjs";

const ROUNDS = 9;
const RESULTS = ROUNDS + Math.ceil(ROUNDS / 3);

const ENTRIES = {
  "openai-chat": {
    messagesPerTurn: 2 + ROUNDS + RESULTS,
    runner(address) {
      const openai = new OpenAI({ apiKey: "key", baseURL: `${address}/v1`, maxRetries: 0 });
      const execute = (call) => lookUp(JSON.parse(call.function.arguments).at);
      return (compactor, options) => runChat(openai, compactor, { model: "m" }, { execute, ...options });
    },
  },
  anthropic: {
    messagesPerTurn: 2 + 2 * ROUNDS,
    runner(address) {
      const anthropic = new Anthropic({ apiKey: "key", baseURL: address, maxRetries: 0 });
      const execute = (call) => lookUp(call.input.at);
      return (compactor, options) => runMessages(anthropic, compactor, { model: "m", max_tokens: 500 }, { execute, ...options });
    },
  },
};

for (const [format, { messagesPerTurn, runner }] of Object.entries(ENTRIES)) {
  for (const kind of ["whole", "streamed"]) {
    both(`m4: ${format}: three turns of the SDK in one line each stay inside the window, with ${kind} answers`, async ({ createCompactor }, context) => {
      const { script, address } = await serve(context, format, { isPromised: false });
      const run = runner(address);
      const compactor = await createCompactor({ format, policy: POLICY });
      for (let turn = 0; turn < 3; turn += 1) {
        script.begin(ROUNDS);
        await compactor.append({ role: "user", content: question(turn) });
        let text = "";
        const result = await run(compactor, kind === "streamed" ? { onText: (more) => (text += more) } : {});
        assert.deepEqual([result.end, result.steps], ["answered", ROUNDS + 1]);
        assert.equal(text.startsWith(`Answer ${turn + 1}`), kind === "streamed", text);
        assert.equal((await compactor.history()).length, (turn + 1) * messagesPerTurn);
      }
      assert.ok(script.prompts.every(({ tokens }) => tokens <= POLICY.window), JSON.stringify(script.prompts));
    });
  }

  both(`m4: ${format}: a server that finds a prompt too long in the middle of a loop gets a shorter one`, async ({ createCompactor }, context) => {
    const limit = 6_500;
    const { script, overflows, address } = await serve(context, format, { isPromised: false, limit });
    const compactor = await createCompactor({ format, policy: { ...POLICY, window: 9_600 } });
    script.begin(ROUNDS + 3);
    await compactor.append({ role: "user", content: question(1) });
    const result = await runner(address)(compactor, {});
    assert.equal(result.end, "answered");
    assert.ok(overflows.length > 0, "the server has refused a prompt");
    assert.ok(result.compactions.some(({ overflow }) => overflow !== undefined));
  });

  both(`m4: ${format}: an abort ends the turn with the signal's reason, and a turn without tools is one request`, async ({ createCompactor }, context) => {
    const { script, address } = await serve(context, format, { isPromised: false });
    const run = runner(address);
    const compactor = await createCompactor({ format, policy: POLICY });
    await compactor.append({ role: "user", content: question(1) });
    await assert.rejects(run(compactor, { signal: AbortSignal.abort(new Error("enough")) }), /enough/);
    assert.equal(script.prompts.length, 0);
    assert.equal((await run(compactor, { execute: undefined })).steps, 1);
  });
}
