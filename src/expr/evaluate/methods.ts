import { ExprError } from "#expr/diagnostics.ts";
import { formatMoment, MONTHS, WEEKDAYS } from "#expr/values/date-layouts.ts";
import {
  floorDivide,
  DateValue,
  momentOf,
  NamedNumber,
  NANOS_PER_SECOND,
  TimeSpan,
  TimeZone,
  UTC,
} from "#expr/values/moments.ts";
import { divide } from "#expr/values/numbers.ts";
import { isNumber, typeNameOf, type ExprValue } from "#expr/values/values.ts";

/** Calls a method of a date, a month, a weekday, a duration or a zone. No other value has methods. */
export function callMethod(
  object: ExprValue | NamedNumber,
  name: string,
  args: readonly ExprValue[],
): ExprValue | NamedNumber {
  if (object instanceof NamedNumber && name === "String" && args.length === 0) return object.name;
  return callPlainMethod(object instanceof NamedNumber ? object.number : object, name, args);
}

function callPlainMethod(
  object: ExprValue,
  name: string,
  args: readonly ExprValue[],
): ExprValue | NamedNumber {
  const result = methodOf(object, name)?.(args);
  if (result !== undefined) return result;
  const what =
    object === null
      ? `cannot fetch ${name} from <nil>`
      : `${typeNameOf(object)} has no method ${name} for these arguments`;
  throw new ExprError("missing-member", what);
}

/** A method. Gives undefined if the arguments do not fit. */
type Method = (args: readonly ExprValue[]) => ExprValue | NamedNumber | undefined;

function methodOf(object: ExprValue, name: string): Method | undefined {
  if (object instanceof DateValue) {
    const part = PARTS.get(name);
    if (part !== undefined) return (args) => (args.length === 0 ? part(object) : undefined);
    const method = MOMENT_METHODS.get(name);
    return method === undefined ? undefined : (args) => method(object, args);
  }
  if (object instanceof TimeSpan) {
    const method = SPAN_METHODS.get(name);
    return method === undefined ? undefined : (args) => method(object, args);
  }
  const isName = object instanceof TimeZone && name === "String";
  return isName ? () => object.name : undefined;
}

type Methods<T> = ReadonlyMap<
  string,
  (object: T, args: readonly ExprValue[]) => ExprValue | undefined
>;

const integer = (value: number): bigint => BigInt(value);
const unix = ({ nanos }: DateValue, unit: bigint): bigint => floorDivide(nanos, unit);

/** Methods without arguments. Months and weekdays are integers with names; weeks begin on Sunday, which is 0. */
const PARTS: ReadonlyMap<string, (moment: DateValue) => ExprValue | NamedNumber> = new Map([
  ["Year", (it: DateValue): ExprValue | NamedNumber => integer(it.civil.year)],
  ["Month", ({ civil: { month } }) => new NamedNumber(month, MONTHS[month - 1] ?? "")],
  ["Day", (it) => integer(it.civil.day)],
  ["Hour", (it) => integer(it.civil.hour)],
  ["Minute", (it) => integer(it.civil.minute)],
  ["Second", (it) => integer(it.civil.second)],
  ["Nanosecond", (it) => integer(it.civil.nano)],
  ["YearDay", (it) => integer(it.civil.yearDay)],
  ["Weekday", ({ civil: { weekday } }) => new NamedNumber(weekday, WEEKDAYS[weekday] ?? "")],
  ["Unix", (it) => unix(it, NANOS_PER_SECOND)],
  ["UnixMilli", (it) => unix(it, 1_000_000n)],
  ["UnixMicro", (it) => unix(it, 1000n)],
  ["UnixNano", (it) => it.nanos],
  ["IsZero", (it) => new DateValue(it.nanos, UTC).toRfc3339() === "0001-01-01T00:00:00Z"],
  ["UTC", (it) => new DateValue(it.nanos, UTC)],
  ["String", (it) => it.toString()],
]);

const MOMENT_METHODS: Methods<DateValue> = new Map([
  [
    "Add",
    (it: DateValue, args: readonly ExprValue[]) => withSpan(args, ({ nanos }) => it.plus(nanos)),
  ],
  ["Sub", (it, args) => withMoment(args, ({ nanos }) => new TimeSpan(it.nanos - nanos))],
  ["Before", (it, args) => withMoment(args, ({ nanos }) => it.nanos < nanos)],
  ["After", (it, args) => withMoment(args, ({ nanos }) => it.nanos > nanos)],
  ["Equal", (it, args) => withMoment(args, ({ nanos }) => it.nanos === nanos)],
  ["Compare", (it, args) => withMoment(args, ({ nanos }) => BigInt(order(it.nanos, nanos)))],
  ["AddDate", addDate],
  ["In", inZone],
  ["Format", (it, [layout]) => (typeof layout === "string" ? formatMoment(it, layout) : undefined)],
  ["Truncate", (it, args) => withSpan(args, (unit) => it.plus(-excessOf(it, unit)))],
  [
    "Round",
    (it, args) => withSpan(args, (unit) => it.plus(rounding(excessOf(it, unit), unit.nanos))),
  ],
]);

const order = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

function withMoment(
  args: readonly ExprValue[],
  use: (moment: DateValue) => ExprValue,
): ExprValue | undefined {
  const [moment] = args;
  return moment instanceof DateValue && args.length === 1 ? use(moment) : undefined;
}

function withSpan(
  args: readonly ExprValue[],
  use: (span: TimeSpan) => ExprValue,
): ExprValue | undefined {
  const [span] = args;
  return span instanceof TimeSpan && args.length === 1 ? use(span) : undefined;
}

function addDate(moment: DateValue, args: readonly ExprValue[]): ExprValue | undefined {
  const [years, months, days] = args.map((arg) => (isNumber(arg) ? Number(arg) : Number.NaN));
  if (years === undefined || months === undefined || days === undefined) return undefined;
  if (![years, months, days].every(Number.isSafeInteger)) return undefined;
  const { civil, zone } = moment;
  const { year, month, day } = civil;
  return momentOf({ ...civil, year: year + years, month: month + months, day: day + days }, zone);
}

function inZone(moment: DateValue, [zone]: readonly ExprValue[]): ExprValue | undefined {
  return zone instanceof TimeZone ? new DateValue(moment.nanos, zone) : undefined;
}

/** The start of year 1, from which whole units of time are counted, in nanoseconds since the Unix epoch. */
const YEAR_ONE = -62_135_596_800n * NANOS_PER_SECOND;

/** The time from the last whole unit to a date, in nanoseconds. */
const excessOf = ({ nanos }: DateValue, unit: TimeSpan): bigint =>
  unit.nanos <= 0n ? 0n : (nanos - YEAR_ONE) % unit.nanos;

const rounding = (excess: bigint, unit: bigint): bigint =>
  unit <= 0n ? 0n : excess + excess < unit ? -excess : unit - excess;

const SPAN_METHODS: Methods<TimeSpan> = new Map([
  ["Hours", (it: TimeSpan): ExprValue => divide(it.nanos, 3600n * NANOS_PER_SECOND)],
  ["Minutes", (it) => divide(it.nanos, 60n * NANOS_PER_SECOND)],
  ["Seconds", (it) => divide(it.nanos, NANOS_PER_SECOND)],
  ["Milliseconds", (it) => it.nanos / 1_000_000n],
  ["Microseconds", (it) => it.nanos / 1000n],
  ["Nanoseconds", (it) => it.nanos],
  ["String", (it) => it.toString()],
  ["Abs", (it) => new TimeSpan(it.nanos < 0n ? -it.nanos : it.nanos)],
]);
