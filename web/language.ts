// The language of the page: its catalog for the app, and the texts of what is written in TypeScript.

/** A catalog, as `languages/` has it. */
interface Catalog {
  texts: Readonly<Record<string, string>>;
  plurals: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

let code = "en";
let json: string | undefined;
let catalog: Catalog | undefined;
let rules: Intl.PluralRules | undefined;
/** How numbers are written, by how many decimals they have. */
const formats = new Map<number, Intl.NumberFormat>();

/** Has the texts in another language than English, before anything asks for one. */
export function setLanguage(chosen: string, catalogJson: string): void {
  [code, json] = [chosen, catalogJson];
}

/** The code of the page's language. */
export function pageLanguage(): string {
  return code;
}

/** The catalog as JSON; undefined in English. */
export function catalogText(): string | undefined {
  return json;
}

/** The category of a number in the page's language, such as `one`. */
export function pluralCategory(number: number): string {
  rules ??= new Intl.PluralRules(code);
  return rules.select(number);
}

/** A text in the language of the page, with a value in the place of each `{name}`. */
export function t(english: string, values: Readonly<Record<string, string | number>> = {}): string {
  const text = entries()?.texts[english] ?? english;
  return text.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));
}

/** A number with a word for what is counted, such as `1 request` or `2 requests`. */
export function plural(number: number, one: string, many: string): string {
  const n = written(number);
  const forms = entries()?.plurals[many];
  const form = forms?.[pluralCategory(number)] ?? forms?.["other"];
  return form?.replace("{n}", n) ?? `${n} ${number === 1 ? one : many}`;
}

/** A number as it is written in the page's language, rounded to this many decimals. */
export function written(number: number, decimals = 0): string {
  let format = formats.get(decimals);
  if (format === undefined) {
    format = new Intl.NumberFormat(code, { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
    formats.set(decimals, format);
  }
  return format.format(number);
}

// The app reads the catalog by itself, and most visits open nothing that is written in TypeScript.
function entries(): Catalog | undefined {
  if (catalog === undefined && json !== undefined) {
    catalog = JSON.parse(json) as Catalog;
  }
  return catalog;
}
