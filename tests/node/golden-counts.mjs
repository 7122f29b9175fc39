// Counts of a deterministic corpus by the pinned package `tiktoken`; the Rust tests compare with them.
//
// `node tests/node/golden-counts.mjs` writes crates/epitome-tokens/tests/golden/counts.json again.

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { prng } from "./random.mjs";

const { get_encoding: encoding } = createRequire(import.meta.url)("tiktoken");
const folder = new URL("../../crates/epitome-tokens/tests/golden/", import.meta.url);

export const corpus = JSON.parse(readFileSync(new URL("corpus.json", folder), "utf8"));
export const golden = () => JSON.parse(readFileSync(new URL("counts.json", folder), "utf8"));
export const names = ["cl100k_base", "o200k_base"];

/** The texts of one block: any characters, characters below U+3000, or fragments at which pre-tokenizers cut. The Rust tests make
 * the same ones. */
export function block(index) {
  const random = prng(corpus.seed + index);
  return Array.from({ length: corpus.textsPerBlock }, () => {
    const kind = random(4);
    const length = 1 + random(corpus.longestText);
    return Array.from({ length }, () => {
      if (kind > 1) return corpus.fragments[random(corpus.fragments.length)];
      const code = random(kind === 0 ? 0x110000 : 0x3000);
      return code >= 0xd800 && code < 0xe000 ? "A" : String.fromCodePoint(code);
    }).join("");
  });
}

/** Tokens of `texts`, and a hash (FNV-1a) over their numbers and over the end of each text. */
function digest(encoder, texts) {
  let tokens = 0;
  let hash = 0x811c9dc5;
  const add = (number) => {
    for (const shift of [0, 8, 16, 24]) hash = Math.imul(hash ^ ((number >>> shift) & 0xff), 0x01000193);
  };
  for (const text of texts) {
    const numbers = encoder.encode_ordinary(text);
    tokens += numbers.length;
    numbers.forEach(add);
    add(0xffffffff);
  }
  return [tokens, hash >>> 0];
}

/** Tokens and hash of every block in `indexes`, and of every repeated text. */
export function counted(name, indexes) {
  const encoder = encoding(name);
  const blocks = indexes.map((index) => digest(encoder, block(index)));
  const repeated = corpus.repeated.map((unit) => digest(encoder, [unit.repeat(corpus.repeatedTimes)]));
  encoder.free();
  return { blocks, repeated };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const indexes = Array.from({ length: corpus.blocks }, (_, index) => index);
  const counts = Object.fromEntries(names.map((name) => [name, counted(name, indexes)]));
  const text = JSON.stringify(counts).replaceAll("],[", "],\n[").replaceAll("{", "{\n").replaceAll("}", "\n}");
  writeFileSync(new URL("counts.json", folder), `${text}\n`);
}
