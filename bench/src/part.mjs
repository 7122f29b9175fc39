// One part of the bench in a process of its own, so that no part pays for what another one left behind.

import { writeFileSync } from "node:fs";

const [name, file, options] = process.argv.slice(2);
const { measure } = await import(`./parts/${name}.mjs`);
const progress = (what) => process.stderr.write(`    ${name}: ${what}\n`);
writeFileSync(file, JSON.stringify(await measure({ ...JSON.parse(options), progress })));
process.exit();
