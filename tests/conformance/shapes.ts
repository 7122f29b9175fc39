// The required fields of each kind of part, checked against the SDK's types: a table that lacks one does not compile.

import type { Fields } from "./check.js";

export type Rule = (value: unknown) => boolean;

/** The names in the field `type` of a union. */
export type Kind<U> = U extends { type?: infer T } ? Extract<T, string> : never;

/** The members of a union that have this name in `type`. */
export type Member<U, K> = U extends { type?: infer T } ? (K extends T ? U : never) : never;

/** The names of the required fields of a type. */
export type Required<U> = U extends unknown ? { [K in keyof U]-?: object extends Pick<U, K> ? never : K }[keyof U] : never;

/** A rule for every required field of a type. */
export type Rules<U> = { readonly [F in Exclude<Required<U>, "type">]: Rule };

/** The same for each kind of a union. */
export type Shapes<U> = { readonly [K in Kind<U>]: Rules<Member<U, K>> };

export const text: Rule = (value) => typeof value === "string";
export const filled: Rule = (value) => typeof value === "string" && value.trim() !== "";
export const list: Rule = Array.isArray;
export const object: Rule = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
export const present: Rule = (value) => value !== undefined;

/** One of these words. */
export function oneOf(...words: readonly unknown[]): Rule {
  return (value) => words.includes(value);
}

/** Anything that one of these rules accepts. */
export function either(...rules: readonly Rule[]): Rule {
  return (value) => rules.some((rule) => rule(value));
}

/** Names the fields of a part that break the rules for its kind. */
export function misshapen(
  part: Fields,
  shapes: Readonly<Record<string, Readonly<Record<string, Rule>>>>,
  where: string,
): string[] {
  const kind = part["type"];
  const rules = typeof kind === "string" && Object.hasOwn(shapes, kind) ? shapes[kind] : undefined;
  return rules === undefined ? [`${where} is not of a kind that the SDK knows: ${String(kind)}`] : broken(part, rules, where);
}

/** Names the fields that break these rules. */
export function broken(value: Fields, rules: Readonly<Record<string, Rule>>, where: string): string[] {
  return Object.entries(rules).flatMap(([field, rule]) =>
    rule(value[field]) ? [] : [`${where}.${field} is invalid`],
  );
}
