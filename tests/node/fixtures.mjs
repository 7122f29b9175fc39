// A made-up conversation that fills a window, and compactors over it.

import { createCompactor } from "epitome";

export const SYSTEM = { role: "system", content: "You help with the garden." };

/** `turns` messages of about thirty tokens, a system prompt before them. */
export function garden(turns) {
  const messages = [SYSTEM];
  for (let turn = 0; turn < turns; turn += 1) {
    const role = turn % 2 === 0 ? "user" : "assistant";
    const content = `Turn ${turn}: bed ${turn * 7} of the garden gets ${turn} roses, and compost before the frost.`;
    messages.push({ role, content, "x-mine": { turn } });
  }
  return messages;
}

/** A compactor whose window the conversation overfills. */
export async function full(options = {}, messages = garden(60)) {
  const policy = { window: 1_000, retry: { attempts: 3, baseMs: 10, capMs: 20 }, ...options.policy };
  const compactor = await createCompactor({ format: "openai-chat", ...options, policy });
  compactor.append(messages);
  return compactor;
}

/** A promise, and the function that settles it. */
export function deferred() {
  const settle = {};
  const promise = new Promise((resolve, reject) => Object.assign(settle, { resolve, reject }));
  return { promise, ...settle };
}
