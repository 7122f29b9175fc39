// A conversation whose view has lost what its next question asks for.

import assert from "node:assert/strict";

/** A compactor that no longer shows who keeps a key, made by `createCompactor`, and the chat with a question about that. */
export async function forgotten(createCompactor, format, messageOf) {
  const talk = [["user", "Zephyrine keeps the pump key behind the blue door."], ["assistant", "Noted."]];
  for (let turn = 0; turn < 30; turn += 1) talk.push([turn % 2 === 0 ? "user" : "assistant", `The beds are watered. Turn ${turn}.`]);
  const chat = talk.map(([role, text]) => messageOf(role, text));
  // What a summary has lost is not appended to it here, and no request stays.
  const policy = { window: 100_000, keep: { messages: 4 }, keepRequestsTokens: 0, summary: { ledgerTokens: 0 } };
  const compactor = await createCompactor({ format, policy, summarize: () => "They spoke of beds." });
  await compactor.append(chat);
  await compactor.compact();
  return { compactor, chat: [...chat, messageOf("user", "What did Zephyrine tell us?")] };
}

/** A request ends with what was asked for, which is in it once. */
export function endsWithRecall(request) {
  const recalled = request.filter((message) => JSON.stringify(message).includes("<recalled-messages>"));
  assert.equal(recalled.length, 1);
  assert.match(JSON.stringify(recalled), /blue door/);
  assert.equal(request.at(-1), recalled[0]);
}
