// The recipes of the documentation: the files of each, by its heading.

import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const text = readFileSync(new URL("../../docs/recipes.md", import.meta.url), "utf8");
const sections = text.split(/^## /m).slice(1);

/** Each recipe with its files: their names, and what is in them. */
export const RECIPES = new Map(
  sections.map((section) => {
    const files = Array.from(section.matchAll(/^`([^`\n]+)`\n\n```\w+\n([^]*?)^```$/gm), ([, name, code]) => [name, code]);
    return [section.slice(0, section.indexOf("\n")), files];
  }),
);

/** Writes the files of a recipe into a folder. */
export async function writeRecipe(heading, folder) {
  for (const [name, code] of RECIPES.get(heading)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), code);
  }
}
