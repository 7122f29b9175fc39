// Results of compactions of the recordings, in every format, under every preset and in many windows, are legal.

import { test } from "node:test";
import { convert } from "epitome";
import { asBedrock, asLangChain, asResponses } from "../out/conformance/rewritten.js";
import { assertLegal, FEW_WINDOWS, WINDOWS } from "./legality.mjs";
import { conversations, skip } from "./recordings.mjs";

/** This many conversations of a file, spread over all of it. */
function some(count, file, from = "shapes", write = (messages) => messages) {
  const all = conversations(file, from);
  return Array.from({ length: Math.min(count, all.length) }, (_, index) => all[Math.floor((index * all.length) / count)]).map(
    ({ id, messages }) => ({ id, messages: write(messages) }),
  );
}

const PARALLEL = "tool-chat-tau2-airline.jsonl.gz";
const RECORDED = {
  "openai-chat": () => [
    ...some(3, PARALLEL, "openai"),
    ...some(2, "tool-chat-taubench-airline.jsonl.gz", "openai"),
    ...some(2, "coding-swe-agent.jsonl", "openai"),
    ...some(6, "openai-chat-small.jsonl"),
  ],
  "openai-responses": () => [...some(3, PARALLEL, "openai", asResponses), ...some(8, "openai-responses.jsonl")],
  anthropic: () => [...some(3, "reshaped-anthropic.jsonl"), ...some(8, "anthropic-messages.jsonl")],
  "ai-sdk-ui": () => some(12, "reshaped-aisdk-uimessage.jsonl.gz").slice(0, 3),
  "ai-sdk-model": () => some(12, "reshaped-aisdk-modelmessage.jsonl.gz").slice(0, 3),
  gemini: () => [...some(12, "reshaped-gemini.jsonl.gz").slice(0, 3), ...some(8, "gemini-generatecontent.jsonl")],
  langchain: () => some(3, PARALLEL, "openai", asLangChain),
  bedrock: () => [...some(3, "reshaped-anthropic.jsonl", "shapes", asBedrock), ...some(8, "bedrock-converse.jsonl")],
};

for (const [format, recorded] of Object.entries(RECORDED)) {
  test(
    `${format}: recorded conversations are legal after every compaction`,
    { skip },
    async (context) => {
      await assertLegal(context, format, recorded());
    },
  );
}

const CHATS = ["tool-chat-tau2-airline.jsonl.gz", "tool-chat-tau2-telecom.jsonl.gz", "tool-chat-taubench-airline.jsonl.gz"];

/** Messages of Chat Completions, converted to another format by this library. */
const converted = (to) => async (messages) => (await convert(messages, "openai-chat", to)).messages;

// Every recording but the longest: its file, its folder, and a function that writes it in another format.
const EVERY = {
  "openai-chat": [
    ...[...CHATS, "coding-swe-agent.jsonl", "coding-openhands.jsonl", "multilingual.jsonl"].map((file) => [file, "openai"]),
    ["openai-chat-small.jsonl"],
    ["openai-content-arrays-openhands-sdk.jsonl"],
  ],
  "openai-responses": [["openai-responses.jsonl"], [PARALLEL, "openai", asResponses]],
  anthropic: [["anthropic-messages.jsonl"], ["reshaped-anthropic.jsonl"]],
  "ai-sdk-ui": [["aisdk-uimessage.jsonl"], ["reshaped-aisdk-uimessage.jsonl.gz"]],
  "ai-sdk-model": [["aisdk-modelmessage.jsonl"], ["reshaped-aisdk-modelmessage.jsonl.gz"]],
  gemini: [["gemini-generatecontent.jsonl"], ["reshaped-gemini.jsonl.gz"]],
  langchain: [
    [PARALLEL, "openai", converted("langchain")],
    ["openai-chat-small.jsonl", "shapes", converted("langchain")],
  ],
  bedrock: [["bedrock-converse.jsonl"], ["reshaped-anthropic.jsonl", "shapes", asBedrock]],
};

for (const [format, files] of Object.entries(EVERY)) {
  test(
    `${format}: every recorded conversation is legal after a compaction, each in another of the windows`,
    { skip },
    async (context) => {
      const all = [];
      for (const [file, from = "shapes", write = (messages) => messages] of files) {
        for (const { id, messages } of conversations(file, from)) {
          all.push({ id, messages: await write(messages) });
        }
      }
      await assertLegal(context, format, all, (index) => [WINDOWS[index % WINDOWS.length]]);
    },
  );
}

// A long session with signed reasoning and aborted turns, and the same one without signatures.
const LONG = {
  "openai-chat": ["coding-pi-long-session.jsonl.gz", "openai"],
  anthropic: ["anthropic-messages-pi-long-session.jsonl.gz"],
};

for (const [format, [file, from]] of Object.entries(LONG)) {
  test(
    `${format}: a session of ${file} is legal after every compaction`,
    { skip },
    async (context) => {
      await assertLegal(context, format, some(1, file, from), FEW_WINDOWS);
    },
  );
}
