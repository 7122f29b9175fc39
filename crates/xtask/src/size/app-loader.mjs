// Bundles small apps, runs them, and says which files of the bundle they have loaded.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { brotliCompressSync } from "node:zlib";

const MAIN = "virtual:main.js";

export class AppLoader {
  #folder;
  #build;
  #place = mkdtempSync(join(tmpdir(), "epitome-size-"));
  /** Sizes, by the content. */
  #sizes = new Map();

  constructor(folder, build) {
    this.#folder = folder;
    this.#build = build;
    writeFileSync(join(this.#place, "record.mjs"), 'import { register } from "node:module"; register("./hooks.mjs", import.meta.url);\n');
    writeFileSync(
      join(this.#place, "hooks.mjs"),
      `import { appendFileSync } from "node:fs";
      export async function load(url, context, next) {
        if (url.startsWith("file:")) appendFileSync(new URL("./loaded", import.meta.url), url + "\\n");
        return next(url, context);
      }\n`,
    );
  }

  /** For apps that have the bundler and their packages in the `node_modules` of a folder. */
  static async of(folder) {
    const { build } = await import(pathToFileURL(createRequire(join(folder, "package.json")).resolve("vite")).href);
    return new AppLoader(folder, build);
  }

  /** The files that an app loads, as `{ bytes, brotli }` by their names without the hash of the content. `code` is what it does with
   * what it uses of a package. */
  async filesOf({ from = "epitome", uses, code }) {
    const app = {
      name: "app",
      resolveId: (id) => (id === MAIN ? id : undefined),
      load: (id) => (id === MAIN ? `import { ${uses} } from "${from}"; ${code}` : undefined),
    };
    const out = join(this.#place, "out");
    await this.#build({
      root: this.#folder,
      base: "./",
      configFile: false,
      logLevel: "error",
      plugins: [app],
      build: {
        outDir: out,
        emptyOutDir: true,
        target: "es2022",
        modulePreload: false,
        assetsInlineLimit: 0,
        reportCompressedSize: false,
        chunkSizeWarningLimit: Infinity,
        rollupOptions: { input: MAIN, external: /^node:/, output: { entryFileNames: "main.js" } },
      },
    });
    rmSync(join(this.#place, "loaded"), { force: true });
    const run = ["--import", pathToFileURL(join(this.#place, "record.mjs")).href, join(out, "main.js")];
    execFileSync(process.execPath, run, { stdio: "inherit" });
    const loaded = readFileSync(join(this.#place, "loaded"), "utf8").trim().split("\n").map((url) => fileURLToPath(url));
    return new Map(loaded.filter((file) => file.startsWith(out)).map((file) => [nameOf(file), this.#sizeOf(file)]));
  }

  /** Removes what was built. */
  remove() {
    rmSync(this.#place, { recursive: true, force: true });
  }

  #sizeOf(file) {
    const content = readFileSync(file, "latin1");
    let size = this.#sizes.get(content);
    if (size === undefined) {
      size = { bytes: statSync(file).size, brotli: brotliCompressSync(readFileSync(file)).length };
      this.#sizes.set(content, size);
    }
    return size;
  }
}

function nameOf(file) {
  return basename(file).replace(/-[\w-]{8}\.js$/, ".js");
}
