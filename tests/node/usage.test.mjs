// Token usage as each provider reports it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readUsage } from "epitome";
import { compactorWith, said } from "./harness.mjs";

/** The same request: 900 prompt tokens, 600 of them cached, and an answer of 50 with 20 of reasoning. */
const REPORTS = {
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

for (const [provider, report] of Object.entries(REPORTS)) {
  test(`${provider}: prompt and completion fill the window, cached or not`, async () => {
    const usage = await readUsage(report);
    assert.deepEqual([usage.promptTokens, usage.completionTokens, usage.cachedTokens], [900, 50, 600]);
    const compactor = await compactorWith({}, [said("user", "hi"), said("assistant", "ho")]);
    compactor.reportUsage(report);
    assert.equal(compactor.status().tokens, 950);
    compactor.dispose();
  });
}

test("a value without prompt tokens is not usage", async () => {
  for (const nothing of [{}, { tokens: 7 }, { prompt_tokens: -1 }, { prompt_tokens: 1.5 }, { prompt_tokens: "9" }]) {
    assert.equal(await readUsage(nothing), undefined, JSON.stringify(nothing));
  }
});
