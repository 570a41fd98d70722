import { type BuiltinCall, textAt } from "./arguments.ts";
import { ExprError } from "#expr/diagnostics.ts";
import { printJson, printValue } from "#expr/values/print.ts";
import type { StepMeter } from "#expr/values/step-meter.ts";
import { fromJson as valueOf, typeOf, type ExprValue } from "#expr/values/values.ts";
import { parseJson } from "#platform/json.ts";

export const string = ({ args: [value = null] }: BuiltinCall, meter: StepMeter): ExprValue =>
  printValue(value, meter);

export const type = ({ args: [value = null] }: BuiltinCall): ExprValue => typeOf(value);

export const toJSON = ({ args: [value = null] }: BuiltinCall, meter: StepMeter): ExprValue =>
  printJson(value, meter);

/** Parses JSON. The steps are the text's characters, an upper bound for the number of values. */
export function fromJSON(call: BuiltinCall, meter: StepMeter): ExprValue {
  const text = textAt(call, 0);
  meter.spend(text.length);
  try {
    return valueOf(parseJson(text));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ExprError("invalid-argument", "fromJSON: the text is not valid JSON");
  }
}

export function toBase64(call: BuiltinCall, meter: StepMeter): ExprValue {
  const text = textAt(call, 0);
  meter.spendText(2 * text.length);
  const bytes = new TextEncoder().encode(text.toWellFormed());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

export function fromBase64(call: BuiltinCall, meter: StepMeter): ExprValue {
  const text = textAt(call, 0);
  meter.spendText(text.length);
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return new TextDecoder().decode(bytes);
  } catch {
    throw new ExprError("invalid-argument", "fromBase64: the text is not valid base64");
  }
}
