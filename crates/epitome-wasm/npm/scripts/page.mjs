// Bundles the slim entry into one file, for a page without a bundler: it loads that file and the module of wasm, and no more.

import { join } from "node:path";
import { rolldown } from "rolldown";

/** Writes `dist/page/epitome.js`. It is as deep as the code that it is made of, so that the paths to other files stay right. */
export async function writePage(dist) {
  const bundle = await rolldown({
    input: join(dist, "entrypoints/slim.js"),
    external: /^node:/,
    onLog: (level, log, next) => (level === "warn" ? next("error", log) : next(level, log)),
  });
  await bundle.write({
    file: join(dist, "page/epitome.js"),
    format: "esm",
    codeSplitting: false,
    minify: true,
    banner: "// epitome in one file; see its README. It needs the folder `glue` next to its own.",
  });
  await bundle.close();
}
