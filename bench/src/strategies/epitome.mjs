// What the package keeps if a model behind an endpoint writes the summary, for `cargo xtask fidelity model`.

import { BASE_URL, LIMITS, MODEL, WINDOW } from "./model.mjs";

/** The model's summary of all messages, with what the package appends to it. */
async function summary(messages, tokens) {
  const entry = new URL("../../../crates/epitome-wasm/npm/dist/entrypoints/index.js", import.meta.url);
  const { createCompactor, openAICompatible } = await import(entry);
  const policy = {
    window: 2_000_000,
    keep: { messages: 0 },
    keepRequestsTokens: 0,
    reducers: [],
    // In estimated tokens, which may be a tenth off.
    summary: { maxTokens: Math.max(Math.floor(tokens * 0.9), 1), windowTokens: WINDOW, fallbackSummarizers: ["extractive"] },
  };
  const summarize = openAICompatible({ baseURL: BASE_URL, model: MODEL, timeouts: LIMITS });
  const compactor = await createCompactor({ format: "openai-chat", policy, summarize });
  compactor.append(messages);
  const { outcome, message, summary, summarizer, requests, receipt } = await compactor.compact();
  compactor.dispose();
  if (outcome !== "applied") throw new Error(`${outcome}: ${message}`);
  const steps = summarizer.steps?.map(({ step, because }) => `${step}: ${because}`) ?? [];
  console.error(JSON.stringify({ requests, unsupported: receipt.unsupported, steps }));
  return [{ role: "user", content: summary }];
}

export const epitome = { "epitome, model": summary };
