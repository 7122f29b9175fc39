// The settings: server, model, who writes the summaries, window, and whether they are written in advance. The API key is never
// stored.

import type { PolicySpec } from "epitome";
import { headersFor } from "./servers.js";

export interface Settings {
  baseURL: string;
  model: string;
  apiKey: string;
  /** Whether the model writes the summaries, or they are made of the messages' own sentences. */
  summaries: "model" | "extractive";
  /** In tokens. */
  window: number;
  /** Whether the next summary is written before it is needed. */
  prepares: boolean;
}

const KEY = "epitome-chat";
const DEFAULT: Settings = { baseURL: "/v1", model: "epitome-extractive", apiKey: "", summaries: "model", window: 2_000, prepares: true };

export function loadSettings(): Settings {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "{}");
    return { ...DEFAULT, ...validSettings(stored) };
  } catch {
    // Storage may be denied, or contain something else.
    return { ...DEFAULT };
  }
}

export function storeSettings({ baseURL, model, summaries, window, prepares }: Settings): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ baseURL, model, summaries, window, prepares }));
  } catch {
    // Storage may be denied. The settings stay until the page is closed.
  }
}

/** The endpoint, with an absolute base URL. */
export function endpointOf({ baseURL: given, model, apiKey }: Pick<Settings, "baseURL" | "model" | "apiKey">): Endpoint {
  const baseURL = new URL(given, location.href).href.replace(/\/+$/, "");
  return { baseURL, model, apiKey, headers: headersFor(baseURL) };
}

/** Where requests go, and by what. */
export interface Endpoint {
  baseURL: string;
  model: string;
  apiKey: string;
  headers: Record<string, string>;
}

/** The policy of every view. A compaction is due at 75 %. */
export function policyOf({ window, prepares }: Settings): PolicySpec {
  return { window, prepareAt: prepares ? { fraction: 0.6 } : null };
}

function validSettings(stored: unknown): Partial<Settings> {
  if (typeof stored !== "object" || stored === null) {
    return {};
  }
  const { baseURL, model, summaries, window, prepares } = stored as Record<string, unknown>;
  return {
    ...(typeof baseURL === "string" && { baseURL }),
    ...(typeof model === "string" && { model }),
    ...((summaries === "model" || summaries === "extractive") && { summaries }),
    ...(typeof window === "number" && window >= 200 && { window }),
    ...(typeof prepares === "boolean" && { prepares }),
  };
}

/** Opens the dialog, after `shown` was called; resolves with the saved settings, or with `undefined` if the user cancels. */
export function editSettings(dialog: HTMLDialogElement, settings: Settings, shown: () => void): Promise<Settings | undefined> {
  const form = dialog.querySelector("form");
  if (form === null) {
    return Promise.resolve(undefined);
  }
  for (const [name, value] of Object.entries(settings)) {
    const field = form.elements.namedItem(name);
    if (field instanceof HTMLInputElement) {
      field.value = String(value);
      field.checked = value === true;
    } else if (field instanceof RadioNodeList || field instanceof HTMLSelectElement) {
      field.value = String(value);
    }
  }
  shown();
  dialog.returnValue = "cancel";
  dialog.showModal();
  return new Promise((resolve) => {
    const close = (): void => resolve(dialog.returnValue === "save" ? read(new FormData(form)) : undefined);
    dialog.addEventListener("close", close, { once: true });
  });
}

function read(fields: FormData): Settings {
  const text = (name: string): string => String(fields.get(name) ?? "").trim();
  return {
    baseURL: text("baseURL"),
    model: text("model"),
    apiKey: text("apiKey"),
    summaries: text("summaries") === "extractive" ? "extractive" : "model",
    window: Number(text("window")),
    prepares: fields.has("prepares"),
  };
}
