// The other packages, including those that are measured in Node only.

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { counters as everywhere } from "./peers.mjs";

const require = createRequire(import.meta.url);

export { estimators } from "./peers.mjs";

export const counters = {
  ...everywhere,
  async "js-tiktoken"() {
    const [{ Tiktoken }, ranks] = await Promise.all([
      import("js-tiktoken/lite"),
      import("js-tiktoken/ranks/o200k_base"),
    ]);
    const tokenizer = new Tiktoken(ranks.default);
    // It takes minutes for what the others count in a second, so it gets less text.
    return {
      name: "js-tiktoken",
      slow: true,
      count: (text) => tokenizer.encode(text, [], []).length,
      clearCache() {},
    };
  },
  async tiktoken() {
    const tokenizer = require("tiktoken").get_encoding("o200k_base");
    return { name: "tiktoken", count: (text) => tokenizer.encode_ordinary(text).length, clearCache() {} };
  },
  async "bpe-openai"() {
    const module = await import(pathToFileURL(join(process.env.BENCH_BPE_OPENAI, "bpe-openai.js")));
    module.initSync({ module: readFileSync(join(process.env.BENCH_BPE_OPENAI, "bpe-openai_bg.wasm")) });
    const encoder = new TextEncoder();
    let buffer = new Uint8Array(65_536);
    const count = (text) => {
      if (buffer.length < text.length * 3) {
        buffer = new Uint8Array(text.length * 3);
      }
      return module.count(buffer.subarray(0, encoder.encodeInto(text, buffer).written));
    };
    return { name: "bpe-openai", count, clearCache() {} };
  },
};

if (!existsSync(process.env.BENCH_BPE_OPENAI ?? "")) {
  delete counters["bpe-openai"];
}
