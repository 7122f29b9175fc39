// A worker of Cloudflare.

import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import * as esbuild from "esbuild";

/** Bundles a worker as Wrangler does: files of wasm stay imports. Returns the modules of the worker. */
export async function workerModules(entry) {
  const wasm = new Map();
  const files = {
    name: "wasm",
    setup: (build) =>
      build.onResolve({ filter: /\.wasm$/ }, ({ path, resolveDir }) => {
        const name = `./${basename(path)}`;
        wasm.set(name, join(resolveDir, path));
        return { path: name, external: true };
      }),
  };
  const { outputFiles } = await esbuild.build({
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    write: false,
    conditions: ["workerd", "worker", "browser"],
    plugins: [files],
  });
  const modules = [{ type: "ESModule", path: "worker.mjs", contents: outputFiles[0].text }];
  for (const [name, file] of wasm) {
    modules.push({ type: "CompiledWasm", path: basename(name), contents: await readFile(file) });
  }
  return modules;
}
