// What models are like: windows, largest answers, rates of tokens, and what a conversation costs with them.

export { economicsOf } from "../models/economics.js";
export type { CompactionCosts, Costs, Economics, EconomicsInput, EconomicsOptions, ResultingView } from "../models/economics.js";
export { modelInfo, modelNames } from "../models/models.js";
export type { ModelInfo, ModelRates, TokenRates } from "../models/models.js";
