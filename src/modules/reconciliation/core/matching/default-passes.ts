import type { LineField } from "./line.ts";
import type { KeyComparison, Pass } from "./pass.ts";

const EXACT = { kind: "equal" } as const;
const WEEK = { max: 5, count: "businessDays" } as const;

const equalTexts = (left: LineField, right: LineField = left): KeyComparison => ({
  left,
  right,
  normalise: [{ kind: "case" }, { kind: "punctuation" }],
  lengthMin: 4,
});

/** Characters that banks of most formats keep of a reference. */
const KEPT_CHARACTERS = 16;

const truncatedTexts = (field: LineField): KeyComparison => ({
  ...equalTexts(field),
  normalise: [
    { kind: "case" },
    { kind: "punctuation" },
    { kind: "prefix", length: KEPT_CHARACTERS },
  ],
  lengthMin: 8,
});

const pair = (name: string, confidence: number, keys: readonly KeyComparison[]): Pass => ({
  name,
  keys,
  amount: EXACT,
  dates: WEEK,
  cardinality: "1:1",
  groupMax: 1,
  tieBreaks: ["date"],
  confidence,
});

const CARD_FEE = { fixed: 25n, millionths: 14_000n };

/**
 * The passes of a matching that names none: references first, then amounts and dates, fees and sums, the surest first. The threshold of a
 * matching is 90 by default, so that what the last four find is proposed only.
 */
export const DEFAULT_PASSES: readonly Pass[] = [
  pair("end-to-end id", 100, [equalTexts("endToEndId")]),
  pair("provider's id", 99, [equalTexts("providerId")]),
  pair("instruction id", 98, [equalTexts("instructionId")]),
  pair("truncated end-to-end id", 95, [truncatedTexts("endToEndId")]),
  { ...pair("batch", 95, [equalTexts("batchId")]), cardinality: "n:m", groupMax: 1000 },
  {
    ...pair("several lines of a reference", 94, [equalTexts("endToEndId")]),
    cardinality: "n:m",
    groupMax: 100,
  },
  pair("counterparty's account, amount and date", 90, [equalTexts("counterpartyAccount")]),
  {
    ...pair("reference and card fee", 85, [equalTexts("endToEndId")]),
    amount: { kind: "fee", netSide: "left", ...CARD_FEE },
  },
  { ...pair("amount and date", 80, []), dates: { max: 2, count: "businessDays" } },
  {
    ...pair("one line, several postings", 60, []),
    cardinality: "1:n",
    groupMax: 6,
    dates: { max: 2, count: "businessDays" },
  },
  {
    ...pair("several lines, one posting", 60, []),
    cardinality: "n:1",
    groupMax: 6,
    dates: { max: 2, count: "businessDays" },
  },
];

/** The confidence from which a match is made without a person, where a matching names none. */
export const DEFAULT_THRESHOLD = 90;
