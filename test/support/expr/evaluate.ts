import {
  evaluateExpression,
  type ExprValue,
  fromJson,
  type HostAnswer,
  momentAt,
  parseExpression,
  printDiagnostic,
  valueText,
} from "#expr";
import { isArray, isMap, load } from "#expr/values/values.ts";
import { parseJson } from "#platform/json.ts";

/** The payload of the cases. */
export const PAYLOAD = fromJson(
  parseJson(`{
    "id": "pay_1", "status": "SUCCEEDED", "asset": "EUR/2", "reference": "r-7",
    "amount": 1200000, "rate": 0.5, "big": 123456789012345678901, "edge": 9007199254740991,
    "nothing": null, "yes": true, "tags": ["a", "b", "c"], "numbers": [3, 1, 2], "empty": [],
    "metadata": {"order": "42", "in": "word", "a key": 1},
    "transactions": [{"id": 5, "metadata": {"order": "7"}, "postings": [
      {"source": "world", "destination": "users:1", "amount": 10, "asset": "EUR/2"},
      {"source": "users:1", "destination": "bank", "amount": 250, "asset": "EUR/2"}]}],
    "links": [{"name": "one", "uri": "/one"}, {"name": "late", "uri": "/late"}]
  }`),
);

/** A function of the caller: it knows one value, waits for a second one, and refuses all others. */
export function link(args: readonly ExprValue[]): HostAnswer {
  const [, rel] = args;
  if (args.length !== 2)
    return { kind: "error", message: `expect two arguments, got ${args.length}` };
  if (rel === "one") return { kind: "value", value: { name: "First", list: [1, 2] } };
  if (rel === "late") return { kind: "pending", key: "/late" };
  return {
    kind: "error",
    message: `link '${show(rel ?? null).replaceAll('"', "")}' not defined for object`,
  };
}

/** the time 2025-06-15T15:06:40Z, a Sunday */
const NOW = momentAt(1_750_000_000_000_000n);

/** The result of an expression as the cases write it: floats have a dot, strings have quotes. */
export function resultOf(source: string): string {
  const parsed = parseExpression(source);
  if (!parsed.ok) return `refused: ${printDiagnostic(source, parsed.diagnostic)}`;
  const result = evaluateExpression(parsed.expression, {
    names: { event: PAYLOAD },
    functions: { link },
    now: () => NOW,
  });
  if (result.kind === "pending") return `pending: ${result.key}`;
  if (result.kind === "error") return `failed: ${printDiagnostic(source, result.diagnostic)}`;
  return show(result.value);
}

function show(value: ExprValue): string {
  if (value === null) return "nil";
  if (typeof value === "symbol") return show(load(value));
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") return Number.isInteger(value) ? `${value}.0` : `${value}`;
  if (typeof value !== "object") return String(value);
  if (isArray(value)) return `[${value.map(show).join(", ")}]`;
  if (isMap(value)) {
    return `{${[...value].map(([key, item]) => `${show(key)}: ${show(item)}`).join(", ")}}`;
  }
  const text = valueText(value);
  return text.kind === "text" ? text.text : text.diagnostic.message;
}
