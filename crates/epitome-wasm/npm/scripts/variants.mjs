// Writes the package's code a second time for runtimes that get the wasm modules in another way. Only files that lead to
// `api/modules.js` are written; all others are those of the package.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";

/** The file with the modules, which a variant has in its own folder. */
const MODULES = "api/modules.js";
/** Folders with code of their own, and entries that these runtimes cannot use. */
const OTHERS = /^(glue|api-slim|workerd|edge|page|bullmq|worker)\/|^entrypoints\/(slim|node|bullmq|worker)\.js$/;
const IMPORT = /(\bfrom\s*|\bimport\s*\(?\s*)"(\.{1,2}\/[^"]+)"/g;

/** Writes `dist/NAME`. Returns the entries in it. */
export function writeVariant(dist, name) {
  const files = new Map(
    readdirSync(dist, { recursive: true })
      .map((file) => file.replaceAll("\\", "/"))
      .filter((file) => file.endsWith(".js") && !OTHERS.test(file))
      .map((file) => [file, readFileSync(join(dist, file), "utf8")]),
  );
  const importsOf = (file) => Array.from(files.get(file).matchAll(IMPORT), ([, , path]) => posix.join(posix.dirname(file), path));
  const own = new Set([MODULES]);
  for (let before = 0; before < own.size; ) {
    before = own.size;
    [...files.keys()].filter((file) => importsOf(file).some((path) => own.has(path))).forEach((file) => own.add(file));
  }
  own.delete(MODULES);
  for (const file of own) {
    const text = files.get(file).replace(IMPORT, (_, before, path) => {
      const target = posix.join(posix.dirname(file), path);
      const to = target === MODULES ? `${name}/modules.js` : own.has(target) ? `${name}/${target}` : target;
      const relative = posix.relative(posix.dirname(`${name}/${file}`), to);
      return `${before}"${relative.startsWith(".") ? relative : `./${relative}`}"`;
    });
    const place = join(dist, name, file);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, text);
  }
  return [...own].filter((file) => file.startsWith("entrypoints/"));
}
