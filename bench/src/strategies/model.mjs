// A model behind an endpoint that speaks as OpenAI's does. `EPITOME_ENDPOINT` is its base URL.

export const BASE_URL = process.env.EPITOME_ENDPOINT;
export const MODEL = process.env.EPITOME_ENDPOINT_MODEL ?? "model";

/** Tokens of the model's window. */
export const WINDOW = Number(process.env.EPITOME_ENDPOINT_WINDOW ?? "8192");

/** A long prompt takes a small processor minutes. */
export const LIMITS = { firstByteMs: 3_600_000, idleMs: 600_000, totalMs: 3_600_000 };

/** The model's answer to a prompt, of at most `tokens`. */
export async function answer(prompt, tokens) {
  const body = { model: MODEL, messages: [{ role: "user", content: prompt }], max_tokens: tokens, temperature: 0 };
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${BASE_URL}/chat/completions`, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status}: ${text}`);
  return JSON.parse(text).choices[0].message.content;
}
