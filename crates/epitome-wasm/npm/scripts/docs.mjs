// Writes the API reference to dist/docs: every entry of the package, from the declarations that are shipped. A public item that
// is not documented, a link that leads nowhere and a type that is used and not exported are errors.

import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Application, Converter } from "typedoc";

const folder = fileURLToPath(new URL("..", import.meta.url));
const { name, exports } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));

/** The name by which each file of declarations is imported. */
const names = new Map();
for (const [entry, { types }] of Object.entries(exports)) {
  if (types !== undefined && !names.has(resolve(folder, types))) {
    names.set(resolve(folder, types), `${name}${entry.slice(1)}`);
  }
}

const app = await Application.bootstrap({
  name,
  readme: join(folder, "README.md"),
  entryPoints: [...names.keys()],
  tsconfig: join(folder, "tsconfig.docs.json"),
  // They are checked when the package is built.
  skipErrorChecking: true,
  disableSources: true,
  // Their script writes styles into the page, which a strict policy refuses.
  visibilityFilters: {},
  treatWarningsAsErrors: true,
  validation: { notExported: true, invalidLink: true, notDocumented: true },
  requiredToBeDocumented: ["Class", "Interface", "TypeAlias", "Function", "Variable"],
});
app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context, module) => {
  const file = context.getSymbolFromReflection(module)?.declarations?.[0]?.getSourceFile().fileName;
  if (module.parent === context.project && file !== undefined && names.has(resolve(file))) {
    module.name = names.get(resolve(file));
  }
});
/** What a method of a compactor or a conversation does is said once; one of a worker does the same. */
app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
  const pairs = [["WorkerCompactor", name, "Compactor"], ["WorkerAgent", name, "Agent"], ["WorkerConversation", `${name}/storage`, "OpenConversation"]];
  for (const [worker, entry, own] of pairs) {
    const original = project.getChildByName([entry, own]);
    for (const member of project.getChildByName([`${name}/worker`, worker]).children) {
      const like = original.children.find((child) => child.name === member.name);
      member.comment ??= like?.comment?.clone();
      member.signatures?.forEach((signature, at) => {
        signature.comment ??= (like?.signatures?.[at] ?? like?.signatures?.[0])?.comment?.clone();
      });
    }
  }
});
const project = await app.convert();
if (project === undefined) {
  process.exit(1);
}
app.validate(project);
if (app.logger.hasErrors() || app.logger.hasWarnings()) {
  process.exit(1);
}
await app.generateDocs(project, join(folder, "dist/docs"));
