// A server that cuts the prompt of a summarizer without a word is noticed by the tokens that it reports.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createCompactor, ollamaCompatible, openAICompatible } from "epitome";
import { providers } from "../servers/providers.mjs";
import { longChat } from "./fixtures.mjs";

/** Ollama, with the window that it has if nobody has set one. */
let server;
before(async () => {
  server = await providers({ window: 2_048 });
});
after(() => server.close());

/** What a compaction of a long chat by one request comes to. */
async function compacted(summarize) {
  const events = [];
  const policy = { window: 6_000, summary: { chunkCharacters: 100_000 } };
  const compactor = await createCompactor({ format: "openai-chat", policy, summarize, onEvent: (event) => events.push(event) });
  compactor.append(longChat(300));
  const { outcome, message, summarizer } = await compactor.compact();
  compactor.dispose();
  assert.equal(outcome, "applied", message);
  return { summarizer, cuts: events.filter(({ type }) => type === "promptCut") };
}

test("i39: a prompt that Ollama has cut is an event and in the report, with what to do", async () => {
  for (const stream of [false, true]) {
    const { summarizer, cuts } = await compacted(openAICompatible({ baseURL: `${server.url}/v1`, model: "m", stream, state: false }));
    assert.equal(cuts.length, 1);
    const [{ reported, estimated, message }] = cuts;
    assert.equal(reported, 1_024);
    const sent = server.requests.at(-1).body.messages.map(({ content }) => content).join("");
    assert.ok(Math.abs(estimated - sent.length / 4) < sent.length / 10, `${estimated} of ${sent.length} characters`);
    assert.match(message, /raise the server's context length \(num_ctx of Ollama\)/);
    assert.deepEqual(summarizer.cut, { reported, estimated });
  }
});

test("i39: a prompt of which nothing is cut is no event", async () => {
  const { summarizer, cuts } = await compacted(ollamaCompatible({ baseURL: server.url, model: "m", state: false }));
  assert.deepEqual([cuts, summarizer.cut], [[], undefined]);
  assert.ok(summarizer.tokens.prompt > 2_048);
});
