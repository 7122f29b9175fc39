// The independent checks themselves: they accept valid conversations and refuse each defect.

import assert from "node:assert/strict";
import { test } from "node:test";
import { examples } from "../out/conformance/examples/index.js";
import { instances, stored } from "../out/conformance/examples/langchain.js";
import { checks } from "../out/conformance/index.js";
import { asBedrock, asLangChain, asResponses } from "../out/conformance/rewritten.js";
import { brokenFixtures, fixtures } from "./fixtures.mjs";
import { brokenRecordings, conversations, skip } from "./recordings.mjs";

const CHAT = "tool-chat-tau2-airline.jsonl.gz";
const AGENT_FIRST = /is first and not from the user/;

for (const [format, { valid, broken }] of Object.entries(examples)) {
  test(`${format}: a valid conversation passes, also as its own history`, async () => {
    for (const turns of [1, 2, 40]) {
      const messages = valid(turns);
      assert.deepEqual(await checks[format](messages, { history: messages, strict: true }), []);
    }
  });

  for (const [defect, messages] of Object.entries(broken)) {
    test(`${format}: ${defect} is refused`, async () => {
      assert.notDeepEqual(await checks[format](messages), []);
    });
  }
}

test("langchain: messages pass as instances and as stored ones too", async () => {
  assert.deepEqual(await checks.langchain(instances(40)), []);
  assert.deepEqual(await checks.langchain(stored(40)), []);
});

test("signed or numbered content may not be changed or separated", async () => {
  const refused = async (format, edit) => {
    const history = examples[format].valid(3);
    const messages = structuredClone(history);
    edit(messages);
    assert.deepEqual(await checks[format](messages), [], "by itself it is legal");
    assert.equal((await checks[format](messages, { history })).length, 1);
  };
  await refused("anthropic", (messages) => {
    messages[3].content[0].thinking = "Shorter.";
  });
  await refused("anthropic", (messages) => {
    messages[5].content[0].signature = messages[3].content[0].signature;
  });
  await refused("openai-responses", (messages) => {
    messages.splice(4, 1);
  });
  await refused("gemini", (messages) => {
    messages[3].parts[0].thoughtSignature = messages[5].parts[0].thoughtSignature;
  });
});

test("reasoning and signatures of an unfinished tool loop must stay", async () => {
  const loop = (format, end) => {
    const history = examples[format].valid(2).slice(0, end);
    return { history, messages: structuredClone(history) };
  };
  const reasoning = loop("anthropic", 7);
  reasoning.messages[5].content.shift();
  assert.match((await checks.anthropic(reasoning.messages, reasoning)).join(), /lost reasoning/);
  const signatures = loop("gemini", 7);
  delete signatures.messages[5].parts[0].thoughtSignature;
  assert.match((await checks.gemini(signatures.messages, signatures)).join(), /lost its call's signature/);
});

/** Why conversations are refused, by id; each is checked against itself as its history. */
async function refusals(format, all) {
  const refused = [];
  for (const { id, messages } of all) {
    const reasons = await checks[format](messages, { history: messages });
    if (reasons.length > 0) {
      refused.push([id, reasons]);
    }
  }
  return new Map(refused);
}

// Their providers accepted the recordings. `but` lists what the checks refuse in them, as the data's description does:
// aborted turns, agents that speak first, and servers that differ from the provider whose format they use.
const RECORDED = [
  { format: "openai-chat", file: "tool-chat-taubench-airline.jsonl.gz", from: "openai" },
  { format: "openai-chat", file: CHAT, from: "openai" },
  { format: "openai-chat", file: "tool-chat-tau2-telecom.jsonl.gz", from: "openai" },
  { format: "openai-chat", file: "coding-swe-agent.jsonl", from: "openai" },
  { format: "openai-chat", file: "multilingual.jsonl", from: "openai" },
  { format: "openai-chat", file: "coding-openhands.jsonl", from: "openai", but: { ponyc: /the end comes before the answer/ } },
  {
    format: "openai-chat",
    file: "coding-pi-long-session.jsonl.gz",
    from: "openai",
    but: { "pi-before": /comes before the answer/ },
  },
  {
    format: "openai-chat",
    file: "openai-chat-small.jsonl",
    but: { mistral: /tool_calls is not a list|is an empty list|not of a kind/, cohere: /not of a kind that the SDK knows: thinking/ },
  },
  { format: "openai-chat", file: "openai-content-arrays-openhands-sdk.jsonl", but: { litellm_proxy: /is an empty list/ } },
  { format: "openai-responses", file: "openai-responses.jsonl", but: { deepseek: /does not begin with rs_/ } },
  { format: "anthropic", file: "anthropic-messages.jsonl" },
  { format: "anthropic", file: "reshaped-anthropic.jsonl", but: { tau2: AGENT_FIRST } },
  {
    format: "anthropic",
    file: "anthropic-messages-pi-long-session.jsonl.gz",
    but: { pi: /signature|ends with thinking|has no content|no result of|calls under|which the message before/ },
  },
  {
    format: "anthropic",
    file: "cline-session-and-its-compactions.jsonl",
    but: { "cline-session": /not of a kind that the SDK knows: file/ },
  },
  { format: "gemini", file: "gemini-generatecontent.jsonl" },
  { format: "gemini", file: "reshaped-gemini.jsonl.gz", but: { tau2: AGENT_FIRST, "pi-before": /0 responses to 1 calls/ } },
  { format: "bedrock", file: "bedrock-converse.jsonl" },
  { format: "ai-sdk-ui", file: "reshaped-aisdk-uimessage.jsonl.gz", but: { "pi-before": /MissingToolResults/ } },
  { format: "ai-sdk-model", file: "reshaped-aisdk-modelmessage.jsonl.gz", but: { "pi-before": /MissingToolResults/ } },
];

for (const { id, format, messages } of fixtures()) {
  test(`${format}: the fixture ${id} passes`, async () => {
    assert.deepEqual(await checks[format](messages, { history: messages }), []);
  });
}

for (const { format, file, from = "shapes", but = {} } of RECORDED) {
  test(`${format}: ${file} passes, except for its known defects`, { skip }, async (context) => {
    const all = conversations(file, from);
    const refused = await refusals(format, all);
    for (const [id, reasons] of refused) {
      const [, known = /^$/] = Object.entries(but).find(([name]) => id.includes(name)) ?? [];
      assert.deepEqual(
        reasons.filter((reason) => !known.test(reason)),
        [],
        id,
      );
    }
    context.diagnostic(`${all.length - refused.size} of ${all.length} pass`);
  });
}

test("conversations written in another format pass there", { skip }, async () => {
  const chats = conversations(CHAT);
  const rewritten = (all, write) => all.map(({ id, messages }) => ({ id, messages: write(messages) }));
  assert.deepEqual(await refusals("langchain", rewritten(chats, asLangChain)), new Map());
  assert.deepEqual(await refusals("openai-responses", rewritten(chats, asResponses)), new Map());
  const talks = conversations("reshaped-anthropic.jsonl", "shapes");
  for (const reasons of (await refusals("bedrock", rewritten(talks, asBedrock))).values()) {
    assert.match(reasons.join(), AGENT_FIRST);
    assert.equal(reasons.length, 1);
  }
});

for (const { id, class: kind, format, onlyOtherServers = false, messages } of [...brokenFixtures(), ...brokenRecordings()]) {
  if (kind === "broken") {
    test(`${format}: ${id} is refused`, async () => {
      assert.equal((await checks[format](messages)).length > 0, !onlyOtherServers);
      assert.notDeepEqual(await checks[format](messages, { strict: true }), []);
    });
  } else if (kind === "legal-but-tricky") {
    test(`${format}: ${id} is legal`, async () => {
      assert.deepEqual(await checks[format](messages), []);
    });
  }
}

const formatsOf = (histories) => new Set(histories.map(({ format }) => format));

test("every format has valid fixtures and broken ones", () => {
  assert.deepEqual(formatsOf(brokenFixtures()), new Set(Object.keys(checks)));
  assert.deepEqual(formatsOf(fixtures()), new Set(Object.keys(checks)));
});

test("recorded broken histories are available in five formats", { skip }, () => {
  assert.equal(formatsOf(brokenRecordings()).size, 5);
});
