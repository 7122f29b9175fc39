// How Vite builds the page: `cargo xtask` compiles its wasm module first, and says in EPITOME_GLUE where that is.

import { cp } from "node:fs/promises";
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

/** Has the browser fetch the wasm module while it still reads the script that starts it. */
const preload = {
  name: "preload",
  transformIndexHtml: {
    order: "post",
    handler: (_, { bundle = {} }) =>
      Object.keys(bundle)
        .filter((name) => name.endsWith(".wasm"))
        .map((name) => ({
          tag: "link",
          attrs: { rel: "preload", as: "fetch", crossorigin: true, href: `./${name}` },
          injectTo: "head-prepend",
        })),
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
  plugins: [vocabularies, preload],
});
