// The counts that exact counting is held to are those of the pinned tokenizer.

import assert from "node:assert/strict";
import { test } from "node:test";
import { corpus, counted, golden, names } from "./golden-counts.mjs";

// A tenth of the blocks tells whether the file belongs to the package that is installed.
const indexes = Array.from({ length: corpus.blocks / 10 }, (_, index) => index * 10);

for (const name of names) {
  test(`the golden counts of ${name} are what the pinned tokenizer says`, () => {
    const { blocks, repeated } = golden()[name];
    assert.equal(blocks.length, corpus.blocks);
    assert.deepEqual(counted(name, indexes), { blocks: indexes.map((index) => blocks[index]), repeated });
  });
}
