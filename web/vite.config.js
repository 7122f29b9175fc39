// How Vite builds the page: `cargo xtask` compiles its wasm module first, and says in EPITOME_GLUE where that is.

import { createHash } from "node:crypto";
import { cp, readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build as rolldown } from "rolldown";
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

/** The files that the page needs to start, as its service worker keeps them. */
async function filesToKeep(folder, bundle) {
  const entry = Object.values(bundle).find(({ isEntry }) => isEntry);
  const started = [entry, ...entry.dynamicImports.map((name) => bundle[name])];
  const needed = new Set(started.flatMap(({ fileName, imports }) => [fileName, ...imports]));
  for (const { viteMetadata } of started) {
    for (const name of [...viteMetadata.importedAssets, ...viteMetadata.importedCss]) needed.add(name);
  }
  const isKept = (name) => (name.startsWith("assets/") ? needed.has(name) : !name.startsWith("encodings/") && name.includes("."));
  const kept = (await readdir(folder, { recursive: true })).filter(isKept).sort();
  const revision = async (name) => createHash("sha256").update(await readFile(`${folder}/${name}`)).digest("hex");
  return Promise.all(
    kept.map(async (url) => ({ url, revision: url.startsWith("assets/") ? null : await revision(url) })),
  );
}

/** Bundles the service worker. It comes last, since it lists the other files. */
const offline = {
  name: "offline",
  writeBundle: {
    order: "post",
    sequential: true,
    async handler({ dir }, bundle) {
      const files = await filesToKeep(dir, bundle);
      await rolldown({
        input: here("service-worker.js"),
        transform: { define: { FILES: JSON.stringify(files), "process.env.NODE_ENV": '"production"' } },
        output: { file: `${dir}/service-worker.js`, format: "iife", minify: true },
      });
    },
  },
};

// Relative addresses, so that it can be served below any path.
export default defineConfig({
  root: here("."),
  base: "./",
  resolve: {
    alias: {
      "page/glue": process.env.EPITOME_GLUE ?? here("../target/page-glue"),
      "page/storage.js": here("storage.js"),
      "page/lab.js": here("lab.js"),
    },
  },
  build: {
    outDir: here("../dist"),
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    // In kilobytes. The Lab has LangChain in it.
    chunkSizeWarningLimit: 1_024,
  },
  plugins: [firstPaint, vocabularies, offline],
});
