// Tables in Markdown, padded so that a terminal shows them well too.

/** A table whose first `texts` columns are aligned left; the columns of figures after them are aligned right. */
export function table(columns, rows, texts = 1) {
  const all = [columns, ...rows].map((row) => row.map((cell) => String(cell).replaceAll("|", "\\|")));
  const widths = columns.map((_, column) => Math.max(3, ...all.map((row) => widthOf(row[column]))));
  const line = (cells) =>
    `| ${cells.map((cell, column) => padded(cell, widths[column], column >= texts)).join(" | ")} |`;
  const dashes = widths.map((width, column) => (column >= texts ? `${"-".repeat(width - 1)}:` : "-".repeat(width)));
  const rule = `| ${dashes.join(" | ")} |`;
  return [line(all[0]), rule, ...all.slice(1).map(line)].join("\n");
}

const widthOf = (text) => [...text].length;

const padded = (text, width, right) => {
  const space = " ".repeat(width - widthOf(text));
  return right ? space + text : text + space;
};

/** A number with three significant digits. */
export function figure(value) {
  if (value === undefined || value === null || Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  if (size >= 10_000) return Math.round(value).toLocaleString("en");
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.01 ? 3 : 5);
}

export const times = (ratio) => (Number.isFinite(ratio) ? `${figure(ratio)} ×` : "–");
