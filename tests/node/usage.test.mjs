// What requests took, as each provider tells it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readUsage } from "epitome";
import { compactorWith, said } from "./harness.mjs";

/** The same request, 900 tokens of which 600 were cached, and an answer of 50 with 20 of thoughts. */
const READINGS = {
  "OpenAI Chat Completions": {
    prompt_tokens: 900,
    completion_tokens: 50,
    total_tokens: 950,
    prompt_tokens_details: { cached_tokens: 600 },
    completion_tokens_details: { reasoning_tokens: 20 },
  },
  "OpenAI Responses": {
    input_tokens: 900,
    output_tokens: 50,
    total_tokens: 950,
    input_tokens_details: { cached_tokens: 600 },
    output_tokens_details: { reasoning_tokens: 20 },
  },
  Anthropic: { input_tokens: 300, cache_creation_input_tokens: 0, cache_read_input_tokens: 600, output_tokens: 50 },
  Gemini: {
    promptTokenCount: 900,
    cachedContentTokenCount: 600,
    candidatesTokenCount: 30,
    thoughtsTokenCount: 20,
    totalTokenCount: 950,
  },
  Bedrock: { inputTokens: 300, cacheReadInputTokens: 600, cacheWriteInputTokens: 0, outputTokens: 50, totalTokens: 950 },
  "AI SDK": {
    inputTokens: 900,
    inputTokenDetails: { noCacheTokens: 300, cacheReadTokens: 600, cacheWriteTokens: 0 },
    outputTokens: 50,
    outputTokenDetails: { textTokens: 30, reasoningTokens: 20 },
    totalTokens: 950,
  },
  LangChain: {
    input_tokens: 900,
    output_tokens: 50,
    total_tokens: 950,
    input_token_details: { cache_read: 600 },
    output_token_details: { reasoning: 20 },
  },
};

for (const [provider, reading] of Object.entries(READINGS)) {
  test(`${provider}: everything that was sent and came back fills the window, cached or not`, async () => {
    const usage = await readUsage(reading);
    assert.deepEqual([usage.promptTokens, usage.completionTokens, usage.cachedTokens], [900, 50, 600]);
    const compactor = await compactorWith({}, [said("user", "hi"), said("assistant", "ho")]);
    compactor.usage(reading);
    assert.equal(compactor.status().tokens, 950);
    compactor.dispose();
  });
}

test("what tells no prompt is no usage", async () => {
  for (const nothing of [{}, { tokens: 7 }, { prompt_tokens: -1 }, { prompt_tokens: 1.5 }, { prompt_tokens: "9" }]) {
    assert.equal(await readUsage(nothing), undefined, JSON.stringify(nothing));
  }
});
