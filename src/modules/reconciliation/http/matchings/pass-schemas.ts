import { z } from "@hono/zod-openapi";
import {
  DAYS_APART_MAX,
  FEE_MILLIONTHS_MAX,
  GROUP_LINES_MAX,
  KEYS_MAX,
  PASS_NAME_LENGTH_MAX,
  PASSES_MAX,
  STEPS_MAX,
  TEXT_LENGTH_MAX,
  TOLERANCE_MILLIONTHS_MAX,
} from "#modules/reconciliation/core/matching/check-passes.ts";
import type { Pass } from "#modules/reconciliation/core/matching/index.ts";
import { LINE_FIELDS } from "#modules/reconciliation/core/matching/line.ts";
import { CARDINALITIES, TIE_BREAKS } from "#modules/reconciliation/core/matching/pass.ts";
import { BigInteger, BigIntegerInput } from "#platform/http/index.ts";

const Field = z.enum(LINE_FIELDS);
const upTo = (max: bigint, what: string) =>
  BigIntegerInput.refine((value) => value >= 0n && value <= max, `expected 0 to ${max} ${what}`);
const UNITS_MAX = 10n ** 30n;

const Normalisation = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("case") }),
  z.strictObject({ kind: z.literal("punctuation") }),
  z.strictObject({ kind: z.literal("digits") }),
  z.strictObject({ kind: z.literal("prefix"), length: z.int().min(1).max(TEXT_LENGTH_MAX) }),
]);

const KeyRequest = z.strictObject({
  left: Field,
  right: Field.optional().openapi({ description: "By default the field of the left side." }),
  normalise: z.array(Normalisation).max(STEPS_MAX).default([]).openapi({
    description:
      "Steps that make texts equal, in their order: `case` (and accents), `punctuation`, `digits` only, `prefix` of a length.",
  }),
  lengthMin: z.int().min(1).max(TEXT_LENGTH_MAX).default(1).openapi({
    description: "The least number of characters of a text after these steps.",
  }),
});

const AmountRequest = z
  .discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("equal") }),
    z.strictObject({
      kind: z.literal("tolerance"),
      absolute: upTo(UNITS_MAX, "units").default(0n),
      millionths: upTo(TOLERANCE_MILLIONTHS_MAX, "millionths").default(0n),
    }),
    z.strictObject({
      kind: z.literal("fee"),
      netSide: z.enum(["left", "right"]),
      fixed: upTo(UNITS_MAX, "units").default(0n),
      millionths: upTo(FEE_MILLIONTHS_MAX, "millionths").default(0n),
    }),
  ])
  .openapi({
    description:
      "`equal`; within a `tolerance` of so many units or millionths, whichever is more; or equal after a `fee` of so many units and millionths, which one side has paid.",
  });

export const PassRequest = z
  .strictObject({
    name: z.string().trim().min(1).max(PASS_NAME_LENGTH_MAX),
    keys: z.array(KeyRequest).max(KEYS_MAX).default([]),
    amount: AmountRequest.default({ kind: "equal" }),
    dates: z
      .strictObject({
        max: z.int().min(0).max(DAYS_APART_MAX),
        count: z.enum(["days", "businessDays"]).default("businessDays"),
      })
      .nullish()
      .openapi({ description: "How far days may be apart; absent where dates do not count." }),
    cardinality: z.enum(CARDINALITIES).default("1:1"),
    groupMax: z.int().min(1).max(GROUP_LINES_MAX).optional().openapi({
      description:
        "Most lines of one side that belong together: 1 for pairs, by default 6 otherwise.",
    }),
    tieBreaks: z.array(z.enum(TIE_BREAKS)).max(TIE_BREAKS.length).default(["date"]),
    confidence: z.int().min(0).max(100),
  })
  .openapi("MatchingPassRequest");

export const PassesRequest = z.array(PassRequest).min(1).max(PASSES_MAX);

/** The number of lines of one side that a pass groups which names none. */
const GROUP_LINES_DEFAULT = 6;

export const toPass = (pass: z.output<typeof PassRequest>): Pass => ({
  name: pass.name,
  keys: pass.keys.map((key) => ({ ...key, right: key.right ?? key.left })),
  amount: pass.amount,
  dates: pass.dates ?? undefined,
  cardinality: pass.cardinality,
  groupMax: pass.groupMax ?? (pass.cardinality === "1:1" ? 1 : GROUP_LINES_DEFAULT),
  tieBreaks: [...new Set(pass.tieBreaks)],
  confidence: pass.confidence,
});

const AmountResponse = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("equal") }),
  z.object({ kind: z.literal("tolerance"), absolute: BigInteger, millionths: BigInteger }),
  z.object({
    kind: z.literal("fee"),
    netSide: z.enum(["left", "right"]),
    fixed: BigInteger,
    millionths: BigInteger,
  }),
]);

export const PassResponse = z
  .object({
    name: z.string(),
    keys: z.array(
      z.object({
        left: Field,
        right: Field,
        normalise: z.array(Normalisation),
        lengthMin: z.int(),
      }),
    ),
    amount: AmountResponse,
    dates: z.object({ max: z.int(), count: z.enum(["days", "businessDays"]) }).optional(),
    cardinality: z.enum(CARDINALITIES),
    groupMax: z.int(),
    tieBreaks: z.array(z.enum(TIE_BREAKS)),
    confidence: z.int(),
  })
  .openapi("MatchingPass");

export const toPassView = ({ dates, ...pass }: Pass): z.output<typeof PassResponse> => ({
  ...pass,
  keys: pass.keys.map((key) => ({ ...key, normalise: [...key.normalise] })),
  amount: { ...pass.amount },
  tieBreaks: [...pass.tieBreaks],
  ...(dates === undefined ? {} : { dates: { ...dates } }),
});
