import { tooDeep } from "./comparing.ts";
import { DateValue, TimeSpan, TimeZone } from "./moments.ts";
import type { StepMeter } from "./step-meter.ts";
import { entriesOf, isArray, isMap, isObject, load, type ExprValue } from "./values.ts";
import { ExprError } from "#expr/diagnostics.ts";
import { VALUE_DEPTH_MAX } from "#expr/limits.ts";
import { decimalSource, quoteJson } from "#platform/json.ts";

/** A value as the text of a variable. */
export function printValue(value: ExprValue, meter: StepMeter): string {
  const loaded = load(value);
  const text =
    typeof loaded === "number" ? jsonNumber(loaded) : new Printer(GO, meter).print(loaded);
  meter.spendText(text.length);
  return text;
}

/** A number in JSON, which is JavaScript's notation except for -0. */
const jsonNumber = (value: number): string => (Object.is(value, -0) ? "-0" : String(value));

type Moment = DateValue | TimeSpan | TimeZone;
/** A value that is no collection. */
type Scalar = null | boolean | bigint | number | string | symbol | Moment;

/** The notation of a printer. The traversal of collections is common to all notations. */
interface Notation {
  readonly scalar: (value: Scalar) => string;
  /** Writes a collection; `depth` is 1 for the outermost one. */
  readonly array: (items: readonly string[], depth: number) => string;
  readonly map: (members: readonly string[], depth: number) => string;
  /** Characters in front of each item of a collection at a depth. */
  readonly indentOf: (depth: number) => number;
  /** Writes a key, by whose text members are sorted. */
  readonly key: (key: ExprValue, printer: Printer) => string;
  readonly member: (key: string, text: string) => string;
}

/** Prints values up to `VALUE_DEPTH_MAX`, with sorted keys. */
class Printer {
  readonly #notation: Notation;
  readonly #meter: StepMeter;
  #depth = 0;

  constructor(notation: Notation, meter: StepMeter) {
    this.#notation = notation;
    this.#meter = meter;
  }

  print(value: ExprValue): string {
    this.#meter.spend(1);
    if (typeof value === "string") this.#meter.spendText(value.length);
    if (typeof value !== "object" || value === null || isMoment(value)) {
      return this.#notation.scalar(value);
    }
    if (++this.#depth > VALUE_DEPTH_MAX) throw tooDeep();
    const items = isArray(value) ? value.map((item) => this.print(item)) : this.#members(value);
    const { array, map, indentOf } = this.#notation;
    this.#meter.spendText(items.length * indentOf(this.#depth));
    const text = isArray(value) ? array(items, this.#depth) : map(items, this.#depth);
    this.#depth--;
    return text;
  }

  #members(value: ExprValue): string[] {
    if (!isMap(value) && !isObject(value)) return [];
    const { key: keyOf, member: memberOf } = this.#notation;
    return entriesOf(value)
      .map(([key, member]): [string, ExprValue] => [keyOf(key, this), member])
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => memberOf(key, this.print(member)));
  }
}

const isMoment = (value: ExprValue & object): value is Moment =>
  value instanceof DateValue || value instanceof TimeSpan || value instanceof TimeZone;

/** Go's notation: `[a b]` for arrays and `map[k:v]` for maps. */
const GO: Notation = {
  scalar: (value) => {
    if (typeof value === "number") return shortFloat(value);
    if (typeof value === "symbol") return shortFloat(Number(decimalSource(value)));
    return value === null ? "<nil>" : value.toString();
  },
  array: (items) => `[${items.join(" ")}]`,
  map: (members) => `map[${members.join(" ")}]`,
  indentOf: () => 0,
  key: (key, printer) => printer.print(key),
  member: (key, text) => `${key}:${text}`,
};

/** A float in Go's notation inside of collections: `1.2e+06` from a million on. */
function shortFloat(value: number): string {
  if (value === 0) return jsonNumber(value);
  const exponential = value.toExponential();
  const [digits = "", exponent = "0"] = exponential.split("e");
  const power = Number(exponent);
  if (power >= -4 && power < SHORT_EXPONENT_MAX) return String(value);
  return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

const SHORT_EXPONENT_MAX = 6;

/**
 * A value as JSON in the form of Go's `MarshalIndent`: sorted keys, a line for each item, and an indent of two characters for each level.
 */
export function printJson(value: ExprValue, meter: StepMeter): string {
  const text = new Printer(JSON_TEXT, meter).print(value);
  meter.spendText(text.length);
  return text;
}

const JSON_TEXT: Notation = {
  scalar: (value) => {
    if (typeof value === "number") return jsonNumber(value);
    if (typeof value === "symbol") return decimalSource(value);
    if (typeof value === "string") return quoted(value);
    if (value instanceof DateValue) return quoted(value.toRfc3339());
    if (value instanceof TimeSpan) return String(value.nanos);
    if (value instanceof TimeZone) return quoted(value.name);
    return value === null ? "null" : value.toString();
  },
  array: (items, depth) => `[${linesOf(items, depth)}]`,
  map: (members, depth) => `{${linesOf(members, depth)}}`,
  indentOf: (depth) => depth * INDENT.length,
  key: (key) => nameOf(key),
  member: (key, text) => `${quoted(key)}: ${text}`,
};

const INDENT = "  ";

/** The text between the brackets of a collection; empty for an empty collection. */
function linesOf(items: readonly string[], depth: number): string {
  if (items.length === 0) return "";
  const before = `\n${INDENT.repeat(depth)}`;
  return `${before}${items.join(`,${before}`)}\n${INDENT.repeat(depth - 1)}`;
}

/** A JSON string in Go's notation, which escapes characters with a meaning in HTML and JavaScript. */
const quoted = (text: string): string =>
  quoteJson(text).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

function nameOf(key: ExprValue): string {
  if (typeof key === "string") return key;
  if (typeof key === "bigint") return String(key);
  throw new ExprError("invalid-argument", "the keys of a JSON object are strings");
}
