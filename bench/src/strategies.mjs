// How other packages shorten a conversation to a number of tokens, for `cargo xtask fidelity`.
//
// A request and its answer are a line of JSON each. A request has the name of a strategy, messages in the format of OpenAI
// and the tokens that may be kept. The answer has the messages kept: the number of a message that is unchanged, or a new
// message. A strategy that needs a summarizer asks for a summary in between, with a line of its own, and the next line of
// the input is that summary.

import { createInterface } from "node:readline";
import { contextChef } from "./strategies/context-chef.mjs";
import { epitome } from "./strategies/epitome.mjs";
import { langchain } from "./strategies/langchain.mjs";

const STRATEGIES = { ...langchain, ...contextChef, ...epitome };

// Standard output has answers only. Both packages write warnings to the console.
console.log = console.error;
console.warn = console.error;

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

async function read() {
  const { done, value } = await lines.next();
  return done ? undefined : JSON.parse(value);
}

const write = (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`);

async function summarize(messages, tokens) {
  write({ summarize: messages, tokens });
  return (await read()).summary;
}

for (let request = await read(); request !== undefined; request = await read()) {
  const strategy = STRATEGIES[request.strategy];
  write({ kept: await strategy(request.messages, request.tokens, summarize) });
}
