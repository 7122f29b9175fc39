// How long one very long message takes to append and to compact in Node, for many kinds of text: processor time, and the longest
// block of the event loop. The kinds are those of `crates/epitome-tokens/examples/long_texts.rs`.
//
//   node bench/src/long-texts.mjs [KIND...] [--megabytes 10]
//
// The message is the second of five, and the extractive summarizer of the package reads it. The blocks are elapsed time, which
// other work of the machine makes longer. Needs the package (`cargo xtask package`).

import { parseArgs } from "node:util";
import { processorTime } from "./clock.mjs";
import { watch } from "./watch.mjs";

const { createCompactor } = await import(new URL("../../crates/epitome-wasm/npm/dist/entrypoints/index.js", import.meta.url));

const { positionals, values } = parseArgs({ allowPositionals: true, options: { megabytes: { type: "string", default: "10" } } });

const WORDS = "garden the water of roses plan it was decided that every bed gets a number soon".split(" ");
const NAMES = ["Alice", "Bob", "Carol", "Dave", "Erin", "Frank"];
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** A number below 2^32 that looks random and follows from this one. */
function mixed(number) {
  let bits = Math.imul(number + 1, 0x9e3779b9);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

const word = (number) => WORDS[mixed(number) % WORDS.length];
const name = (number) => NAMES[mixed(number) % NAMES.length];
const hex = (number, length) => mixed(number).toString(16).padStart(8, "0").slice(0, length);
const sign = (first, count, number) => String.fromCodePoint(first + (mixed(number) % count));
const words = (n) => `${word(n * 3)} ${word(n * 3 + 1)} ${word(n * 3 + 2)}`;
const two = (number) => String(number).padStart(2, "0");
const sentenceEnd = (n) => (n % 5 === 4 ? ". " : " ");

/** By name: the piece of a text with this number. */
const KINDS = {
  prose: (n) => words(n) + sentenceEnd(n),
  paragraphs: (n) => words(n) + (n % 40 === 39 ? ".\n\n" : sentenceEnd(n)),
  code: (n) => `    let ${word(n)}_${n} = self.${word(n + 1)}(${n}, "${word(n + 2)}")?;\n`,
  json: (n) => `{"id":${n},"name":"${word(n)}","tags":["${word(n + 1)}"],"ok":true},`,
  "json lines": (n) => `{"id": ${n}, "name": "${word(n)}", "note": null}\n`,
  base64: (n) => Array.from({ length: 8 }, (_, at) => DIGITS[mixed(n * 8 + at) % 64]).join(""),
  "unique words": (n) => `w${n} `,
  "unique names": (n) => `Al${n}ce met Bob${n}. `,
  digits: (n) => `${mixed(n)}`,
  numbers: (n) => `${mixed(n) % 1_000_000} `,
  spaces: () => "        ",
  newlines: () => "\n\n\n\n",
  "carriage returns": () => "\r\r\r\r",
  "one long word": () => "abcdefgh",
  "one letter": () => "aaaaaaaa",
  chinese: (n) => sign(0x4e00, 3_000, n) + (n % 23 === 22 ? "。" : ""),
  emoji: (n) => sign(0x1f300, 400, n),
  "joined emoji": () => "👩\u200d👩\u200d👧 ",
  "combining marks": () => "e\u0301\u0302\u0303",
  "marks alone": () => "\u0301\u0301",
  urls: (n) => `https://example.org/${word(n)}/${n}?q=${mixed(n) % 1_000} `,
  paths: (n) => `/srv/${word(n)}/${word(n + 1)}/file${n}.rs\n`,
  hexadecimal: (n) => hex(n * 2, 8) + hex(n * 2 + 1, 8),
  uuids: (n) => `${hex(n, 8)}-${hex(n + 1, 4)}-4a1b-9c2d-${hex(n + 2, 8)}${hex(n + 3, 4)}\n`,
  names: (n) => `${name(n)} ${name(n + 7)} asked ${name(n + 3)}. `,
  "markdown table": (n) => `| ${n} | ${word(n)} | ${word(n + 1)} | ${n % 100}% |\n`,
  html: (n) => `<div class="${word(n)}"><a href="/p/${n}">${word(n + 1)}</a></div>`,
  logs: (n) => `2026-03-${two((n % 28) + 1)}T10:${two(n % 60)}:00Z INFO worker-${n % 9} took ${mixed(n) % 900} ms: ${word(n)}\n`,
  "mixed scripts": (n) => `garden сад 庭園 حديقة बगीचा ${n} `,
  arabic: (n) => sign(0x627, 36, n) + (n % 6 === 5 ? " " : ""),
  punctuation: () => "()[]{}<>;:,.!?",
  quotes: (n) => `"${word(n)} ${word(n + 1)}" \`${word(n + 2)}\` `,
  checklist: (n) => `- [ ] ${word(n)} ${word(n + 1)} ${n}\n`,
  "brackets in lines": (n) => `[${n}] user:\r`,
};

/** A text of about this many bytes of UTF-8, made of the pieces of a kind. */
function text(piece, bytes) {
  const parts = [];
  for (let [number, length] = [0, 0]; length < bytes; number += 1) {
    const part = piece(number);
    parts.push(part);
    length += Buffer.byteLength(part);
  }
  // As a request brings it: one text, and not the tree of its parts.
  return Buffer.from(parts.join("")).toString();
}

const turn = (number) => `What about bed number ${number}? ${"Roses need water and some sun. ".repeat(60)}`;

/** Processor time and the longest block of a work, in milliseconds. */
async function measure(work) {
  const longest = watch();
  const started = processorTime();
  const result = await work();
  const spent = processorTime() - started;
  return { result, spent, longest: await longest() };
}

const unknown = positionals.filter((kind) => !Object.hasOwn(KINDS, kind));
if (unknown.length > 0) throw new Error(`there is no kind ${unknown.join(", ")}; there are ${Object.keys(KINDS).join(", ")}`);
const wanted = positionals.length === 0 ? Object.keys(KINDS) : positionals;

const row = (cells) => console.log(cells.map((cell, at) => String(cell).padStart(at === 0 ? 18 : 14)).join(" "));
const whole = (number) => number.toFixed(0);
row(["kind", "append ms", "longest block", "compact ms", "longest block", "outcome"]);
for (const kind of wanted) {
  const messages = [turn(0), text(KINDS[kind], Number(values.megabytes) * 1_048_576), turn(1), turn(2), turn(3)].map((content, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content,
  }));
  const compactor = await createCompactor({ format: "openai-chat", policy: { preset: "recommended", window: 200_000 } });
  const appended = await measure(() => compactor.appendInSlices(messages));
  const compacted = await measure(() => compactor.compact());
  const { outcome, message } = compacted.result;
  row([kind, ...[appended.spent, appended.longest, compacted.spent, compacted.longest].map(whole), message ?? outcome]);
  compactor.dispose();
}
