import { type BuiltinCall, countAt, integerAt, optionalTextAt, textAt } from "./arguments.ts";
import { lengthOf } from "#expr/source.ts";
import type { StepMeter } from "#expr/values/step-meter.ts";
import type { ExprValue } from "#expr/values/values.ts";

const SPACES = " \t\n\v\f\r\u0085\u00a0\u1680\u2028\u2029\u202f\u205f\u3000";

/** Cuts white space, or the given characters, from both ends. */
export function trim(call: BuiltinCall, meter: StepMeter): ExprValue {
  const text = textAt(call, 0);
  const cut = new Set(optionalTextAt(call, 1) ?? SPACES);
  meter.spendText(text.length + cut.size);
  const characters = Array.from(text);
  let [start, end] = [0, characters.length];
  while (start < end && cut.has(characters[start] ?? "")) start++;
  while (end > start && cut.has(characters[end - 1] ?? "")) end--;
  return characters.slice(start, end).join("");
}

export function trimPrefix(call: BuiltinCall): ExprValue {
  const [text, prefix] = [textAt(call, 0), optionalTextAt(call, 1) ?? " "];
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}

export function trimSuffix(call: BuiltinCall): ExprValue {
  const [text, suffix] = [textAt(call, 0), optionalTextAt(call, 1) ?? " "];
  return text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text;
}

export function upper(call: BuiltinCall, meter: StepMeter): ExprValue {
  const text = textAt(call, 0);
  meter.spendText(text.length);
  return text.toUpperCase();
}

export function lower(call: BuiltinCall, meter: StepMeter): ExprValue {
  const text = textAt(call, 0);
  meter.spendText(text.length);
  return text.toLowerCase();
}

export const split = (call: BuiltinCall, meter: StepMeter): ExprValue => parts(call, meter);

/** Splits a text after each separator, which stays at the end of its part. */
export const splitAfter = (call: BuiltinCall, meter: StepMeter): ExprValue => {
  const separator = textAt(call, 1);
  const all = parts(call, meter);
  return all.map((part, index) => (index < all.length - 1 ? part + separator : part));
};

/** The parts of a text, at most as many as the third argument says, unless it is negative. */
function parts(call: BuiltinCall, meter: StepMeter): string[] {
  const [text, separator] = [textAt(call, 0), textAt(call, 1)];
  const most = call.args.length > 2 ? integerAt(call, 2) : -1n;
  meter.spendText(text.length);
  const all = separator === "" ? Array.from(text) : text.split(separator);
  meter.spend(all.length);
  if (most < 0n || most >= all.length) return all;
  if (most === 0n) return [];
  const kept = all.slice(0, Number(most) - 1);
  return [...kept, all.slice(Number(most) - 1).join(separator)];
}

/** Replaces all occurrences, or as many as the fourth argument says, unless it is negative. */
export function replace(call: BuiltinCall, meter: StepMeter): ExprValue {
  const [text, old, by] = [textAt(call, 0), textAt(call, 1), textAt(call, 2)];
  const most = call.args.length > 3 ? integerAt(call, 3) : -1n;
  meter.spendText(text.length);
  const pieces = old === "" ? ["", ...Array.from(text), ""] : text.split(old);
  meter.spend(pieces.length);
  const count = most < 0n ? pieces.length - 1 : Math.min(Number(most), pieces.length - 1);
  meter.spendText(text.length + count * by.length);
  const [replaced, kept] = [pieces.slice(0, count + 1), pieces.slice(count + 1)];
  return [replaced.join(by), ...kept].join(old);
}

export function repeat(call: BuiltinCall, meter: StepMeter): ExprValue {
  const [text, count] = [textAt(call, 0), countAt(call, 1)];
  meter.spendText(text.length * count);
  return text === "" ? "" : text.repeat(count);
}

export const indexOf = (call: BuiltinCall, meter: StepMeter): ExprValue => {
  const [text, part] = [textAt(call, 0), textAt(call, 1)];
  meter.spendText(text.length);
  return placeIn(text, text.indexOf(part));
};

export const lastIndexOf = (call: BuiltinCall, meter: StepMeter): ExprValue => {
  const [text, part] = [textAt(call, 0), textAt(call, 1)];
  meter.spendText(text.length);
  return placeIn(text, text.lastIndexOf(part));
};

/** The position in characters of a UTF-16 index. */
const placeIn = (text: string, unit: number): bigint =>
  unit === -1 ? -1n : BigInt(lengthOf(text.slice(0, unit)));

export const hasPrefix = (call: BuiltinCall): ExprValue =>
  textAt(call, 0).startsWith(textAt(call, 1));
export const hasSuffix = (call: BuiltinCall): ExprValue =>
  textAt(call, 0).endsWith(textAt(call, 1));
