// One conversation about a garden, which each format's example writes in that format.

export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: { readonly bed: number; readonly what: string };
  readonly result: string;
}

export interface Turn {
  readonly ask: string;
  /** A picture in the question, as base64 of a PNG. */
  readonly picture?: string;
  /** Rounds of parallel calls, each with the reasoning that led to it. */
  readonly rounds: readonly { readonly reasoning: string; readonly calls: readonly Call[] }[];
  readonly answer: string;
}

export const SYSTEM = "You look after a garden. Water in the evening, and never promise roses before June.";

/** This many turns; every other one makes two parallel calls and then a third. Texts differ from turn to turn, and some
 * questions come with a picture. */
export function story(turns: number): Turn[] {
  return Array.from({ length: turns }, (_, turn) => ({
    ask: `Turn ${turn}: how is bed ${turn + 2}, and the one behind it, and what becomes of the ${PLANTS[turn % PLANTS.length]}?`,
    ...(turn % 4 === 0 && { picture: PICTURE }),
    rounds: turn % 2 === 0 ? [] : [round(turn, ["moisture", "pests"]), round(turn, ["history"])],
    answer: `Bed ${turn + 2} needs ${turn + 3} litres before Friday. Leave the ${PLANTS[turn % PLANTS.length]}, and tell Ana.`,
  }));
}

const PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const PLANTS = ["beans", "kale", "roses", "tomatoes", "thyme"];

function round(turn: number, names: readonly string[]): Turn["rounds"][number] {
  const calls = names.map((name) => ({
    id: `${name}_${turn}`,
    name,
    input: { bed: turn + 2, what: name },
    result: Array.from(
      { length: 6 },
      (_, day) =>
        `day ${day + 1} of ${name} in bed ${turn + 2}: ${(turn * 37 + day * 11) % 100} percent, seen by sensor ${turn * 10 + day}`,
    ).join("; "),
  }));
  return { reasoning: `The ${names.join(" and the ")} of bed ${turn + 2} must be known first.`, calls };
}

/** The list without the items at these indexes. */
export function without<T>(list: readonly T[], ...indexes: readonly number[]): T[] {
  return list.filter((_, index) => !indexes.includes(index));
}

/** The list with these items instead of the one at this index. */
export function instead(list: readonly unknown[], index: number, ...others: readonly unknown[]): unknown[] {
  return list.toSpliced(index, 1, ...others);
}

/** The list with other fields in the object at this index; fields that are undefined are removed. */
export function altered(list: readonly object[], index: number, fields: Readonly<Record<string, unknown>>): unknown[] {
  const entries = Object.entries({ ...list[index], ...fields }).filter(([, value]) => value !== undefined);
  return instead(list, index, Object.fromEntries(entries));
}
