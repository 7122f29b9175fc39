// What compactors use of the table of models, in one file to fetch.

export { modelInfo } from "./models.js";
export { economicsFor } from "./plan-economics.js";
export { completed } from "./policy-windows.js";
