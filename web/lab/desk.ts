// What is shown in the dialog: what to run, how far it is, and what came out.

import { modelInfo } from "epitome/models";
import { dependencies } from "../package.json";
import { chartsOf, drawChart } from "./charts.js";
import { compare, type Outcome, type Progress } from "./comparing.js";
import type { LabInput } from "./conversation.js";
import { csvOf } from "./csv.js";
import { element } from "./element.js";
import { type Comparison, type Figures, figuresOf, pricedModels } from "./figures.js";
import { pictureOf, save } from "./picture.js";
import { COLUMNS, refusalsOf, tableOf } from "./table.js";
import { plural, t, written } from "../language.js";

const NAME = "epitome-lab";

export class Desk {
  readonly #input: LabInput;
  readonly #run = button(t("Run"), "button primary");
  readonly #cancel = button(t("Cancel"), "button");
  readonly #model: HTMLSelectElement;
  readonly #progress = element("progress", { max: "1", "aria-label": t("Progress") });
  readonly #status = element("p", { class: "hint", role: "status" });
  readonly #problem = element("p", { class: "notice error", role: "alert" });
  readonly #heading = element("h3", { id: "lab-results", tabindex: "-1" }, t("Results"));
  readonly #results = element("div", { class: "lab-results" });
  #outcome: Outcome | undefined;
  #running: AbortController | undefined;
  #charts: (() => void)[] = [];

  constructor(place: HTMLElement, input: LabInput) {
    this.#input = input;
    const models = pricedModels(input.policy.model);
    this.#model = element("select", { id: "lab-model" }, ...models.map((name) => element("option", { value: name }, name)));
    const field = element("div", { class: "field" }, element("label", { for: "lab-model" }, t("Prices of")), this.#model);
    const actions = element("div", { class: "lab-actions" }, field, this.#run, this.#cancel, this.#progress);
    this.#run.addEventListener("click", () => void this.#compare());
    this.#cancel.addEventListener("click", () => this.stop());
    this.#model.addEventListener("change", () => this.#draw());
    const section = element("section", { class: "lab-section", "aria-labelledby": "lab-results" }, this.#heading, this.#results);
    this.#results.append(element("p", { class: "hint" }, EMPTY));
    place.replaceChildren(actions, this.#status, this.#problem, section);
    this.#show("run");
  }

  /** Ends a comparison that runs. */
  stop(): void {
    this.#running?.abort();
  }

  /** Ends everything. */
  dispose(): void {
    this.stop();
    this.#forgetCharts();
  }

  async #compare(): Promise<void> {
    const controller = new AbortController();
    this.#running = controller;
    this.#show("cancel", "progress");
    this.#cancel.focus();
    try {
      this.#outcome = await compare(this.#input, controller.signal, (progress) => this.#report(progress));
      this.#draw();
      this.#end(this.#heading, "");
    } catch (error) {
      if (controller.signal.aborted) {
        this.#end(this.#run, t("Cancelled."));
      } else {
        this.#end(this.#run, "");
        this.#problem.textContent = t("It could not be compared: {problem}.", { problem: messageOf(error) });
        this.#problem.hidden = false;
      }
    } finally {
      this.#running = undefined;
    }
  }

  /** Says how it ended, and moves the focus on if it would be lost with the button that cancels. */
  #end(next: HTMLElement, status: string): void {
    const hasFocus = document.activeElement === this.#cancel;
    this.#status.textContent = status;
    this.#show("run");
    if (hasFocus) next.focus();
  }

  /** Shows these of what is there only at times. */
  #show(...shown: ("run" | "cancel" | "progress")[]): void {
    this.#run.hidden = !shown.includes("run");
    this.#cancel.hidden = !shown.includes("cancel");
    this.#progress.hidden = !shown.includes("progress");
    this.#problem.hidden = true;
  }

  #report({ what, share }: Progress): void {
    this.#progress.value = share;
    // A screen reader says it only when it is another one.
    if (this.#status.textContent !== what) this.#status.textContent = what;
  }

  /** Draws what was measured, at the prices of the chosen model. */
  #draw(): void {
    if (this.#outcome === undefined) return;
    const { comparison } = this.#outcome;
    const figures = figuresOf(comparison, modelInfo(this.#model.value)?.rates);
    this.#forgetCharts();
    const charts = chartsOf(figures, comparison.window).map((chart) => {
      const place = element("div", { class: "lab-chart-place" });
      this.#charts.push(drawChart(place, chart));
      return element("figure", { class: "lab-chart" }, element("figcaption", {}, chart.title), place);
    });
    const refusals = refusalsOf(figures);
    this.#results.replaceChildren(
      element("p", { class: "figures" }, summaryOf(this.#outcome)),
      tableOf(figures, comparison),
      ...(refusals === undefined ? [] : [refusals]),
      legendOf(figures),
      element("div", { class: "lab-charts" }, ...charts),
      this.#exports(figures, comparison),
      methodOf(this.#outcome),
    );
  }

  #exports(figures: readonly Figures[], comparison: Comparison): HTMLElement {
    const said = element("p", { class: "hint", role: "status" });
    const say = (words: string) => {
      said.textContent = words;
    };
    const picture = () => pictureOf(figures, comparison, this.#model.value, this.#results);
    const csv = button(t("Download CSV"), "button");
    csv.addEventListener("click", () => save(`${NAME}.csv`, new Blob([csvOf(figures)], { type: "text/csv" })));
    const download = button(t("Download PNG"), "button");
    const saved = async () => save(`${NAME}.png`, await picture());
    download.addEventListener("click", () => void saved().catch((error: Error) => say(`${error.message}.`)));
    const copy = button(t("Copy PNG"), "button");
    // A page without a secure context has no clipboard.
    const copied = async () => navigator.clipboard.write([new ClipboardItem({ "image/png": picture() })]);
    copy.addEventListener("click", () => {
      copied().then(() => say(t("The picture is copied.")), () => say(t("The browser copies no pictures here. Download it.")));
    });
    return element("div", {}, element("div", { class: "result-actions" }, csv, copy, download), said);
  }

  #forgetCharts(): void {
    for (const forget of this.#charts.splice(0)) forget();
  }
}

const EMPTY = t(
  "They appear here: which requests a provider would refuse, how many tokens are sent, what that costs with prompt caching, when a strategy has paid for itself, and how many facts survive.",
);

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function button(label: string, name: string): HTMLButtonElement {
  return element("button", { type: "button", class: name }, label);
}

function summaryOf({ comparison, conversation, limits }: Outcome): string {
  const { convertedFrom, privateMessages } = conversation;
  return [
    t("{requests} in a window of {window} tokens; the threshold is {threshold}.", {
      requests: plural(comparison.requests, "request", "requests"),
      window: written(limits.window),
      threshold: written(limits.threshold),
    }),
    ...(convertedFrom === undefined ? [] : [t("The messages were converted from the format {format} to openai-chat.", { format: convertedFrom })]),
    ...(privateMessages === 0
      ? []
      : [t("{messages} that are only for some agents are left out.", { messages: plural(privateMessages, "message", "messages") })]),
  ].join(" ");
}

/** The colours and dashes of the lines. */
function legendOf(figures: readonly Figures[]): HTMLElement {
  const items = figures.map(({ name }, index) => {
    const swatch = element("span", { class: "lab-swatch", "data-series": String(index), "aria-hidden": "true" });
    return element("li", {}, swatch, name);
  });
  const refused = element("li", {}, element("span", { class: "lab-refused-swatch", "aria-hidden": "true" }), t("a request that is refused"));
  return element("ul", { class: "lab-legend", "aria-label": t("Lines") }, ...items, refused);
}

/** How it was measured, which a reader must know to believe it. */
function methodOf({ comparison: { results } }: Outcome): HTMLElement {
  const packages = ["ai", "@langchain/core", "langchain", "@context-chef/core"] as const;
  const versions = packages.map((name) => `${name} ${dependencies[name]}`).join(", ");
  const notes = [
    t(
      "A request is everything before an answer of the model. After one that would be refused, the simulation goes on as if it had been answered: no strategy reacts to the error of a provider.",
    ),
    t("Tokens are counted as your settings say: estimated, unless they name an encoding."),
    t(
      "All summaries are written without a model, by the extractive summarizer of epitome, so that it runs offline and no strategy has a better one. What a model would have read and written for them is counted and priced.",
    ),
    t(
      "Costs are those of prompts and summaries; the answers are the same for all. The messages with which the request before began too are priced as read from the provider’s cache, as if it still had them.",
    ),
    t(
      "Facts are addresses, paths, identifiers, names, numbers and quotes that epitome finds in the conversation. One counts as kept if the last request has it word for word.",
    ),
    t("The other packages run here in these versions: {versions}.", { versions }),
  ];
  const terms = [...COLUMNS.map(({ title, about }) => [title, about]), ...results.map(({ strategy: { name, about } }) => [name, about])];
  const definitions = terms.flatMap(([term = "", about = ""]) => [element("dt", {}, term), element("dd", {}, about)]);
  return element(
    "details",
    { class: "more lab-method" },
    element("summary", {}, t("How it is measured")),
    element("ul", {}, ...notes.map((note) => element("li", {}, note))),
    element("dl", {}, ...definitions),
  );
}
