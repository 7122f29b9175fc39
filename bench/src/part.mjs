// One part of the bench in its own process, so that no part is affected by the memory and caches of another.

import { writeFileSync } from "node:fs";

const [name, file, options] = process.argv.slice(2);
const { measure } = await import(`./parts/${name}.mjs`);
const progress = (what) => process.stderr.write(`    ${name}: ${what}\n`);
writeFileSync(file, JSON.stringify(await measure({ ...JSON.parse(options), progress })));
process.exit();
