import { locale } from "#console/parts/language/words.ts";
import { numberSignsOf, toUnits } from "#console/parts/money/parse-amount.ts";
import type { LineField } from "#console/places/reconciliation/queries/groups.ts";
import type {
  MatchingPass,
  MatchingRequest,
} from "#console/places/reconciliation/queries/matchings.ts";

export type PassRequest = NonNullable<MatchingRequest["passes"]>[number];

/** The values of the form of one comparison of texts. */
export interface KeyDraft {
  readonly id: string;
  readonly left: LineField;
  readonly right: LineField;
  readonly ignores: readonly ("case" | "punctuation" | "digits")[];
  /** The characters that count from the beginning; empty for all. */
  readonly prefix: string;
  readonly lengthMin: string;
}

/** The values of the form of one pass. Numbers are texts until they are sent. */
export interface PassDraft {
  readonly id: string;
  readonly name: string;
  readonly keys: readonly KeyDraft[];
  readonly amount: MatchingPass["amount"]["kind"];
  /** In the asset's smallest unit: the tolerance, or the fixed part of the fee. */
  readonly units: string;
  /** In per cent: the tolerance, or the fee. */
  readonly percent: string;
  readonly netSide: "left" | "right";
  /** Empty where dates do not count. */
  readonly days: string;
  readonly dayCount: "days" | "businessDays";
  readonly cardinality: MatchingPass["cardinality"];
  readonly groupMax: string;
  readonly tieBreaks: MatchingPass["tieBreaks"];
  readonly confidence: string;
}

/** Decimals of a per cent that a millionth has. */
const PERCENT_SCALE = 4;

export const newKey = (): KeyDraft => ({
  id: crypto.randomUUID(),
  left: "endToEndId",
  right: "endToEndId",
  ignores: ["case", "punctuation"],
  prefix: "",
  lengthMin: "4",
});

export const newPass = (name: string): PassDraft => ({
  id: crypto.randomUUID(),
  name,
  keys: [],
  amount: "equal",
  units: "0",
  percent: "0",
  netSide: "left",
  days: "2",
  dayCount: "businessDays",
  cardinality: "1:1",
  groupMax: "6",
  tieBreaks: ["date"],
  confidence: "80",
});

/** The values of passes. */
export const draftsOf = (passes: readonly MatchingPass[]): readonly PassDraft[] =>
  passes.map((pass) => ({
    ...newPass(pass.name),
    keys: pass.keys.map(keyDraftOf),
    ...amountDraftOf(pass.amount),
    days: pass.dates === undefined ? "" : String(pass.dates.max),
    dayCount: pass.dates?.count ?? "businessDays",
    cardinality: pass.cardinality,
    groupMax: String(pass.groupMax),
    tieBreaks: pass.tieBreaks,
    confidence: String(pass.confidence),
  }));

function keyDraftOf({ left, right, normalise, lengthMin }: MatchingPass["keys"][number]): KeyDraft {
  const prefix = normalise.find((step) => step.kind === "prefix");
  return {
    ...newKey(),
    left,
    right,
    ignores: normalise.flatMap((step) => (step.kind === "prefix" ? [] : [step.kind])),
    prefix: prefix === undefined ? "" : String(prefix.length),
    lengthMin: String(lengthMin),
  };
}

function amountDraftOf(amount: MatchingPass["amount"]): Partial<PassDraft> {
  if (amount.kind === "equal") return { amount: "equal" };
  const percent = percentText(amount.millionths);
  if (amount.kind === "tolerance")
    return { amount: "tolerance", units: String(amount.absolute), percent };
  return { amount: "fee", units: String(amount.fixed), percent, netSide: amount.netSide };
}

const PERCENT = new Intl.NumberFormat(locale, {
  maximumFractionDigits: PERCENT_SCALE,
  useGrouping: false,
});

/** So many millionths in per cent: 14,000 is `1.4`. */
export const percentText = (millionths: number | bigint): string =>
  PERCENT.format(Number(millionths) / 10 ** PERCENT_SCALE);

/** The millionths of a text in per cent; undefined for a text that is no such number. */
export function toMillionths(text: string): bigint | undefined {
  const found = toUnits(text === "" ? "0" : text, PERCENT_SCALE, numberSignsOf(locale));
  return found === undefined || found < 0n ? undefined : found;
}

/** The integer of a text; undefined for a text that is none. */
export const toInteger = (text: string): bigint | undefined =>
  /^\d{1,30}$/.test(text) ? BigInt(text) : undefined;

/** The passes of the form as the API has them. The inputs have been checked before. */
export const toPasses = (drafts: readonly PassDraft[]): PassRequest[] => drafts.map(toPass);

const toPass = (draft: PassDraft): PassRequest => ({
  name: draft.name,
  keys: draft.keys.map(toKey),
  amount: toAmount(draft),
  ...(draft.days === "" ? {} : { dates: { max: Number(draft.days), count: draft.dayCount } }),
  cardinality: draft.cardinality,
  ...(draft.cardinality === "1:1" ? {} : { groupMax: Number(draft.groupMax) }),
  tieBreaks: [...draft.tieBreaks],
  confidence: Number(draft.confidence),
});

const toKey = ({ left, right, ignores, prefix, lengthMin }: KeyDraft) => ({
  left,
  right,
  normalise: [
    ...ignores.map((kind) => ({ kind })),
    ...(prefix === "" ? [] : [{ kind: "prefix" as const, length: Number(prefix) }]),
  ],
  lengthMin: Number(lengthMin),
});

function toAmount({
  amount,
  units,
  percent,
  netSide,
}: PassDraft): NonNullable<PassRequest["amount"]> {
  if (amount === "equal") return { kind: "equal" };
  const whole = toInteger(units) ?? 0n;
  const millionths = toMillionths(percent) ?? 0n;
  return amount === "tolerance"
    ? { kind: "tolerance", absolute: whole, millionths }
    : { kind: "fee", netSide, fixed: whole, millionths };
}

/** The passes with one of them a place earlier or later. */
export function moved(
  drafts: readonly PassDraft[],
  place: number,
  step: 1 | -1,
): readonly PassDraft[] {
  const one = drafts[place];
  const other = drafts[place + step];
  if (one === undefined || other === undefined) return drafts;
  return drafts.with(place, other).with(place + step, one);
}
