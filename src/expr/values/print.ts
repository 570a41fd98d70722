import { tooDeep } from "./comparing.ts";
import { DateValue, TimeSpan, TimeZone } from "./moments.ts";
import type { StepMeter } from "./step-meter.ts";
import { entriesOf, isArray, isMap, isObject, load, type ExprValue } from "./values.ts";
import { VALUE_DEPTH_MAX } from "#expr/limits.ts";
import { ExprError } from "#expr/syntax/diagnostics.ts";
import { decimalSource, quoteJson } from "#platform/json.ts";

/** A value as a text: what a variable of a workflow receives. */
export function printValue(value: ExprValue, meter: StepMeter): string {
  const loaded = load(value);
  const text = typeof loaded === "number" ? jsonNumber(loaded) : new Printer(meter).print(loaded);
  meter.spendText(text.length);
  return text;
}

/** A number as JSON has it, which for floats is what JavaScript writes. */
const jsonNumber = (value: number): string => (Object.is(value, -0) ? "-0" : String(value));

/** Prints as Go does: `[a b]` for arrays and `map[k:v]` for maps, with sorted keys. */
class Printer {
  readonly #meter: StepMeter;
  #depth = 0;

  constructor(meter: StepMeter) {
    this.#meter = meter;
  }

  print(value: ExprValue): string {
    this.#meter.spend(1);
    if (typeof value === "number") return shortFloat(value);
    if (typeof value === "symbol") return this.print(load(value));
    if (typeof value === "object") return value === null ? "<nil>" : this.#printCollection(value);
    if (typeof value === "string") this.#meter.spendText(value.length);
    return String(value);
  }

  #printCollection(value: ExprValue & object): string {
    if (value instanceof DateValue || value instanceof TimeSpan || value instanceof TimeZone) {
      return value.toString();
    }
    if (++this.#depth > VALUE_DEPTH_MAX) throw tooDeep();
    const text = isArray(value)
      ? `[${value.map((item) => this.print(item)).join(" ")}]`
      : `map[${this.#members(value).join(" ")}]`;
    this.#depth--;
    return text;
  }

  #members(value: ExprValue): string[] {
    if (!isMap(value) && !isObject(value)) return [];
    return entriesOf(value)
      .map(([key, member]): [string, ExprValue] => [this.print(key), member])
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => `${key}:${this.print(member)}`);
  }
}

/** A float as Go prints it inside of collections: `1.2e+06` from a million on. */
function shortFloat(value: number): string {
  if (value === 0) return jsonNumber(value);
  const exponential = value.toExponential();
  const [digits = "", exponent = "0"] = exponential.split("e");
  const power = Number(exponent);
  if (power >= -4 && power < SHORT_EXPONENT_MAX) return String(value);
  return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

const SHORT_EXPONENT_MAX = 6;

/** A value as JSON, with sorted keys. */
export function printJson(value: ExprValue, meter: StepMeter): string {
  const text = new JsonPrinter(meter).print(value);
  meter.spendText(text.length);
  return text;
}

class JsonPrinter {
  readonly #meter: StepMeter;
  #depth = 0;

  constructor(meter: StepMeter) {
    this.#meter = meter;
  }

  print(value: ExprValue): string {
    this.#meter.spend(1);
    if (typeof value === "number") return jsonNumber(value);
    if (typeof value === "symbol") return decimalSource(value);
    if (typeof value === "object") return value === null ? "null" : this.#printCollection(value);
    if (typeof value !== "string") return String(value);
    this.#meter.spendText(value.length);
    return quoteJson(value);
  }

  #printCollection(value: ExprValue & object): string {
    if (value instanceof DateValue) return quoteJson(value.toRfc3339());
    if (value instanceof TimeSpan) return String(value.nanos);
    if (value instanceof TimeZone) return quoteJson(value.name);
    if (++this.#depth > VALUE_DEPTH_MAX) throw tooDeep();
    const text = isArray(value)
      ? `[${value.map((item) => this.print(item)).join(",")}]`
      : `{${this.#members(value).join(",")}}`;
    this.#depth--;
    return text;
  }

  #members(value: ExprValue): string[] {
    if (!isMap(value) && !isObject(value)) return [];
    return entriesOf(value)
      .map(([key, member]): [string, ExprValue] => [nameOf(key), member])
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => `${quoteJson(key)}:${this.print(member)}`);
  }
}

function nameOf(key: ExprValue): string {
  if (typeof key === "string") return key;
  if (typeof key === "bigint") return String(key);
  throw new ExprError("invalid-argument", "the keys of a JSON object are strings");
}
