// The facts of a conversation, and which of them a prompt still has.

import { createCompactor, extractive } from "epitome";

/** Kinds of facts that are looked for word for word. Others are whole sentences, which a summary may say in other words. */
const EXACT = new Set(["url", "path", "package", "identifier", "quote", "name", "number"]);

/** A policy by which everything before the last request is summarized. */
const SUMMARIZE_ALL = { window: 2_000_000_000, triggers: ["manual"], keep: { messages: 0 }, keepRequestsTokens: 0, reducers: [] };

const LAST_REQUEST = { role: "user", content: "Continue." };

/** What a compaction of all messages would leave; `summarize` may look at what a summarizer is given. */
async function compacted(messages, { summary = {}, summarize = extractive } = {}) {
  const compactor = await createCompactor({ format: "openai-chat", policy: { ...SUMMARIZE_ALL, summary }, summarize });
  // A system message would stay beside the summary.
  compactor.append([...messages.map((message) => (message.role === "system" ? { ...message, role: "user" } : message)), LAST_REQUEST]);
  const report = await compactor.compact();
  compactor.dispose();
  return report;
}

/** The facts of messages, as the receipt of a compaction of all of them has them. */
export async function factsOf(messages) {
  const { receipt } = await compacted(messages);
  return [...receipt.kept, ...receipt.appended, ...receipt.givenUp].filter(({ kind }) => EXACT.has(kind)).map(({ text }) => folded(text));
}

/** A summary of texts by quotes from them, of so many tokens: what stands for a model that summarizes. */
export async function summaryOf(messages, maxTokens) {
  let summary = "";
  await compacted(messages, {
    summary: { maxTokens, input: "transcript" },
    summarize: async (request, context) => (summary = await extractive(request, context)),
  });
  return summary;
}

/** Those of the facts that the messages have, as words of their own. */
export function survivors(facts, messages) {
  const text = folded(JSON.stringify(messages).replaceAll(/\\+[nrt"]/g, " ").replaceAll("\\\\", "\\"));
  return facts.filter((fact) => stands(fact, text));
}

function folded(text) {
  return text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ");
}

function stands(words, text) {
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    if (!isPart(text[at - 1], words[0]) && !isPart(text[at + words.length], words.at(-1))) return true;
  }
  return false;
}

/** True if the character beside goes on with the word that the other one is in. */
function isPart(beside, own) {
  const inWord = /[\p{L}\p{N}]/u;
  const isSpaced = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]/u;
  return beside !== undefined && own !== undefined && inWord.test(beside) && isSpaced.test(own) && isSpaced.test(beside);
}
