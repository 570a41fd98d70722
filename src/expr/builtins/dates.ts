import { type BuiltinCall, optionalTextAt, refuseArgument, textAt } from "./arguments.ts";
import { parseMoment, parseUsualMoment } from "#expr/values/date-layouts.ts";
import { DateValue, parseTimeSpan, TimeSpan, TimeZone, UTC } from "#expr/values/moments.ts";
import type { StepMeter } from "#expr/values/step-meter.ts";
import type { ExprValue } from "#expr/values/values.ts";

/** Steps of parsing a date, and of finding a zone. */
const DATE_STEPS = 200;

/** Parses a date, with an optional layout and an optional zone; UTC by default. */
export function date(call: BuiltinCall, meter: StepMeter): ExprValue {
  meter.spend(DATE_STEPS);
  const text = call.args[0] ?? null;
  if (text instanceof DateValue) return text;
  const layout = optionalTextAt(call, 1);
  const zone = zoneAt(call, 2, meter);
  const read = textAt(call, 0);
  return layout === undefined ? parseUsualMoment(read, zone) : parseMoment(read, layout, zone);
}

export function duration(call: BuiltinCall): ExprValue {
  const value = call.args[0] ?? null;
  return value instanceof TimeSpan ? value : parseTimeSpan(textAt(call, 0));
}

export function timezone(call: BuiltinCall, meter: StepMeter): ExprValue {
  meter.spend(DATE_STEPS);
  return TimeZone.named(textAt(call, 0));
}

function zoneAt(call: BuiltinCall, place: number, meter: StepMeter): TimeZone {
  const value = call.args[place];
  if (value === undefined) return UTC;
  if (value instanceof TimeZone) return value;
  if (typeof value !== "string") return refuseArgument(call, place);
  meter.spend(DATE_STEPS);
  return TimeZone.named(value);
}
