// How Vite builds the page: `cargo xtask` compiles its wasm module first, and says in EPITOME_GLUE where that is.

import { cp, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Copies the vocabularies of the package, which the page fetches when it is to count exactly. */
const vocabularies = {
  name: "vocabularies",
  async writeBundle({ dir }) {
    await cp(here("../crates/epitome-wasm/npm/encodings"), `${dir}/encodings`, { recursive: true });
  },
};

/** Puts what the app shows first into the page, so that it is there before the app. */
const firstPaint = {
  name: "first-paint",
  transformIndexHtml: {
    order: "pre",
    handler: async (html) => html.replace("<!-- recorded.html -->", await readFile(here("first-paint/recorded.html"), "utf8")),
  },
};

// Relative addresses, so that it can be served below any path.
export default defineConfig({
  root: here("."),
  base: "./",
  resolve: {
    alias: { "page/glue": process.env.EPITOME_GLUE ?? here("../target/page-glue"), "page/storage.js": here("storage.js") },
  },
  build: { outDir: here("../dist"), emptyOutDir: true, target: "es2022", modulePreload: { polyfill: false } },
  plugins: [firstPaint, vocabularies],
});
