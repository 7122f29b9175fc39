// Bundles what the page uses of the package's stores into one file, which `cargo xtask` has the page's build copy.

import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const bundle = await rolldown({
  input: here("entry.js"),
  onLog: (level, log, next) => (level === "warn" ? next("error", log) : next(level, log)),
});
await bundle.write({ file: here("built/storage.js"), format: "esm", codeSplitting: false, minify: true });
await bundle.close();
