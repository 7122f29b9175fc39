// Where to ask, which model, and how large its window is. The key is never stored.

export interface Settings {
  baseURL: string;
  model: string;
  apiKey: string;
  /** In tokens. */
  window: number;
}

const KEY = "epitome-chat";
const DEFAULT: Settings = { baseURL: "/v1", model: "epitome-extractive", apiKey: "", window: 2_000 };

export function loadSettings(): Settings {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "{}");
    return { ...DEFAULT, ...known(stored) };
  } catch {
    // Storage may be forbidden, or hold something else.
    return { ...DEFAULT };
  }
}

export function storeSettings({ baseURL, model, window }: Settings): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ baseURL, model, window }));
  } catch {
    // They hold for as long as the page is open.
  }
}

/** The address of the API, whatever the page's own. */
export function endpointOf(settings: Settings): { baseURL: string; model: string; apiKey: string } {
  const baseURL = new URL(settings.baseURL, location.href).href.replace(/\/+$/, "");
  return { baseURL, model: settings.model, apiKey: settings.apiKey };
}

function known(stored: unknown): Partial<Settings> {
  if (typeof stored !== "object" || stored === null) {
    return {};
  }
  const { baseURL, model, window } = stored as Record<string, unknown>;
  return {
    ...(typeof baseURL === "string" && { baseURL }),
    ...(typeof model === "string" && { model }),
    ...(typeof window === "number" && window >= 200 && { window }),
  };
}

/** Opens the dialog, and gives what was saved in it. */
export function editSettings(dialog: HTMLDialogElement, settings: Settings): Promise<Settings | undefined> {
  const form = dialog.querySelector("form");
  if (form === null) {
    return Promise.resolve(undefined);
  }
  for (const [name, value] of Object.entries(settings)) {
    const field = form.elements.namedItem(name);
    if (field instanceof HTMLInputElement) {
      field.value = String(value);
    }
  }
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
    window: Number(text("window")),
  };
}
