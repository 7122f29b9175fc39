// The committed counts, which the Rust tests compare with, are those of the pinned tokenizer.

import assert from "node:assert/strict";
import { test } from "node:test";
import { corpus, counted, golden, names } from "./golden-counts.mjs";

// A tenth of the blocks is enough to see whether the file was written with the installed package.
const indexes = Array.from({ length: corpus.blocks / 10 }, (_, index) => index * 10);

for (const name of names) {
  test(`the golden counts of ${name} are the pinned tokenizer's`, () => {
    const { blocks, repeated } = golden()[name];
    assert.equal(blocks.length, corpus.blocks);
    assert.deepEqual(counted(name, indexes), { blocks: indexes.map((index) => blocks[index]), repeated });
  });
}
