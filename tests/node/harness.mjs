// Compactors that count characters as tokens, and conversations to append to them: a message costs 4 besides its content.

import { createCompactor, restoreCompactor } from "epitome";

export const said = (role, content, more) => ({ role, content, ...more });

/** Two messages: an assistant's call of a tool, and its result. */
export function toolRound(id, result, { name = "look", args = {} } = {}) {
  const call = { id, type: "function", function: { name, arguments: JSON.stringify(args) } };
  return [
    { role: "assistant", content: null, tool_calls: [call], "x-mine": { id } },
    { role: "tool", tool_call_id: id, content: result, "x-mine": { id } },
  ];
}

const BARE = { window: 10_000, counting: { charactersPerToken: 1 }, triggers: ["manual"], reducers: [], minSaving: 0, keepRequestsTokens: 0 };

/** A compactor over these messages. Without a preset it counts a character as a token, and compacts only if the policy
 * says so. */
export async function compactorWith(policy, messages = [], options = {}, create = createCompactor) {
  const compactor = await create({
    format: "openai-chat",
    policy: policy.preset === undefined ? { ...BARE, ...policy } : policy,
    summarize: () => "They worked.",
    ...options,
  });
  await compactor.append(messages);
  return compactor;
}

/** A preset for this window that counts a character as a token. */
export const preset = (name, window, more) => ({ preset: name, window, counting: { charactersPerToken: 1 }, ...more });

/** The formats that the documents' rules are tried in. */
export const FORMATS = ["openai-chat", "anthropic"];

/** A compactor in this format over these messages, and the requests that its summarizer gets. */
export async function compactorOf(format, policy, messages, options = {}) {
  const { requests, summarize } = scripted("They worked.");
  const compactor = await createCompactor({ format, policy, summarize, ...options });
  compactor.append(messages);
  return { compactor, requests };
}

/** This many user and assistant messages in turn, each of this many characters. */
export function chatOf(messages, characters = 96) {
  const text = (turn) => `Turn ${turn}: `.padEnd(characters, "ab cd ");
  return Array.from({ length: messages }, (_, turn) => said(turn % 2 ? "assistant" : "user", text(turn)));
}

/** A text of this many characters in which nothing comes twice, as in a summary. */
export function varied(characters) {
  let text = "";
  for (let rose = 1; text.length < characters; rose += 1) text += `They planted rose ${rose}. `;
  return text.slice(0, characters);
}

/** A chat of this many messages that takes exactly this many tokens. */
export function chatOfTokens(messages, tokens) {
  const [first, ...rest] = chatOf(messages, Math.floor(tokens / messages) - 4);
  const missing = tokens - (rest.length + 1) * (first.content.length + 4);
  return [said("user", first.content + "x".repeat(missing)), ...rest];
}

/** A summarizer that records its requests and answers them with these in order; the last one repeats. */
export function scripted(...answers) {
  const requests = [];
  const summarize = (request) => {
    requests.push(request);
    return answers[Math.min(requests.length, answers.length) - 1] ?? "They worked.";
  };
  return { requests, summarize };
}

/** What a section of the summarizer's input contains. */
export const section = ({ input }, name) => new RegExp(`<${name}>\\n(.*?)\\n</${name}>`, "s").exec(input)[1];

/** True if both are the same objects in the same order. */
export const same = (one, other) => one.length === other.length && one.every((message, index) => message === other[index]);

/** A compactor that continues where this one is, after it was stored and read again. */
export async function restored(compactor, format, options) {
  const again = await restoreCompactor(compactor.snapshot(), { format, originals: compactor.history(), ...options });
  compactor.dispose();
  return again;
}
