import { decimalSource, stringifyJson } from "#platform/json.ts";

/** Texts that need no quotes. Words that YAML reads as something else, and numbers, are not among them. */
const PLAIN = /^[A-Za-z_][A-Za-z0-9_./-]*$/;
const RESERVED = new Set(["true", "false", "null", "yes", "no", "on", "off", "y", "n"]);

/** A value of JSON as YAML 1.2, with exact numbers. Texts with any other character than letters and digits are quoted as in JSON. */
export function toYaml(value: unknown): string {
  const lines = linesOf(value);
  return `${lines.join("\n")}\n`;
}

function linesOf(value: unknown): string[] {
  if (Array.isArray(value) && value.length > 0)
    return value.flatMap((item) => indented("- ", linesOf(item)));
  const entries = entriesOf(value);
  if (entries.length === 0) return [scalarOf(value)];
  return entries.flatMap(([name, member]) => {
    const lines = linesOf(member);
    const isNested = entriesOf(member).length > 0 || (Array.isArray(member) && member.length > 0);
    const key = `${textOf(name)}:`;
    return isNested ? [key, ...lines.map((line) => `  ${line}`)] : [`${key} ${lines[0] ?? ""}`];
  });
}

const entriesOf = (value: unknown): [string, unknown][] =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];

/** Lines of which the first one has a mark in front, and the others spaces. */
const indented = (mark: string, lines: readonly string[]): string[] =>
  lines.map((line, place) => `${place === 0 ? mark : " ".repeat(mark.length)}${line}`);

function scalarOf(value: unknown): string {
  if (typeof value === "string") return textOf(value);
  if (typeof value === "symbol") return decimalSource(value);
  if (Array.isArray(value)) return "[]";
  return typeof value === "object" && value !== null ? "{}" : String(value);
}

const textOf = (text: string): string =>
  PLAIN.test(text) && !RESERVED.has(text.toLowerCase()) ? text : stringifyJson(text);
