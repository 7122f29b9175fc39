// Exact tokens of `o200k_base`, each text counted once.

import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

const PLAIN = { disallowedSpecial: new Set() };
const counted = new Map();

/** How many tokens the text has. */
export function tokensOf(text) {
  if (!counted.has(text)) {
    counted.set(text, countTokens(text, PLAIN));
  }
  return counted.get(text);
}

/** How many tokens content, names and arguments of a message in the format of OpenAI have. */
export function tokensOfMessage({ content, tool_calls: calls = [] }) {
  const called = calls.map((call) => `\n${call.function.name}\n${call.function.arguments}`).join("");
  return tokensOf(`${content ?? ""}${called}`);
}
