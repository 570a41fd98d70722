import { z } from "@hono/zod-openapi";
import type { StoredCorrection } from "#modules/reconciliation/corrections/correction.ts";
import { CORRECTION_KINDS, CORRECTION_STATES } from "#modules/reconciliation/corrections/states.ts";
import type { SuggestedBooking } from "#modules/reconciliation/corrections/suggest.ts";
import { SIDES } from "#modules/reconciliation/http/matchings/line-schemas.ts";
import {
  AuthorResponse,
  toAuthorView,
} from "#modules/reconciliation/http/matchings/matching-schemas.ts";
import { BigInteger, Count, TimestampInput, TimestampOutput } from "#platform/http/index.ts";
import { formatTimestamp } from "#platform/time.ts";

/** Longest note, and longest address of an account, in characters. */
const NOTE_LENGTH_MAX = 2000;
const ADDRESS_LENGTH_MAX = 1024;
/** Longest script, in characters: a row of D1 has at most 2 MB. */
const SCRIPT_LENGTH_MAX = 100_000;

const Note = z.string().max(NOTE_LENGTH_MAX).default("");
const Address = z.string().min(1).max(ADDRESS_LENGTH_MAX);
const Vars = z.record(z.string(), z.string());

export const CorrectionRequestBody = z
  .strictObject({
    note: Note,
    account: Address.optional().openapi({
      description:
        "The account of the matching's side that the suggested booking changes, where the suggestion names none.",
    }),
    timestamp: TimestampInput.optional().openapi({
      description: "The effective date of the transaction; by default, now.",
    }),
    script: z.string().min(1).max(SCRIPT_LENGTH_MAX).optional().openapi({
      description: "A Numscript of your own, in place of the suggested one.",
    }),
    vars: Vars.optional(),
    side: z.enum(SIDES).optional().openapi({
      description:
        "The side whose lines your script makes. Needed only where both sides are accounts of ledgers.",
    }),
    closes: z.array(z.int().min(1)).min(1).optional().openapi({
      description: "The lines that your script closes, that of the break among them.",
    }),
  })
  .refine(({ script, account }) => script === undefined || account === undefined, {
    message: "account belongs to the suggested booking, and not to a script of your own",
    path: ["account"],
  })
  .refine(
    ({ script, vars, side, closes }) =>
      script !== undefined || [vars, side, closes].every((member) => member === undefined),
    { message: "vars, side and closes belong to a script of your own", path: ["script"] },
  )
  .default({ note: "" })
  .openapi("BreakCorrectionRequest");

export const WriteOffRequest = z
  .strictObject({
    counter: Address.openapi({
      description: "The account to which the break is written off.",
      example: "expenses:write-offs",
    }),
    note: Note,
    account: Address.optional(),
    timestamp: TimestampInput.optional(),
  })
  .openapi("BreakWriteOffRequest");

export const CorrectionDecisionRequest = z
  .strictObject({ note: Note })
  .default({ note: "" })
  .openapi("CorrectionDecisionRequest");

export const CorrectionResponse = z
  .object({
    id: z.string(),
    matchingID: z.string(),
    line: Count,
    closes: z.array(Count),
    kind: z.enum(CORRECTION_KINDS),
    state: z.enum(CORRECTION_STATES).openapi({
      description:
        "`waiting` for a second person; `booked` when the transaction is in the ledger; `failed` with `error` where nothing was booked.",
    }),
    needsApproval: z.boolean(),
    ledger: z.string(),
    side: z.enum(SIDES),
    script: z.string(),
    vars: Vars,
    timestamp: TimestampOutput.optional(),
    note: z.string(),
    requestedBy: AuthorResponse,
    decidedBy: AuthorResponse.optional(),
    decisionNote: z.string().optional(),
    error: z.string().optional(),
    transactionID: BigInteger.optional(),
    group: Count.optional().openapi({ description: "The match of the lines with the booking." }),
    createdAt: TimestampOutput,
    updatedAt: TimestampOutput,
  })
  .openapi("BreakCorrection");

export function toCorrectionView(
  correction: StoredCorrection,
): z.output<typeof CorrectionResponse> {
  const { id, matchingId, line, closes, kind, state, needsApproval } = correction;
  const { timestamp, decidedBy, decisionNote, error, transactionID, group } = correction;
  return {
    id,
    matchingID: matchingId,
    line,
    closes: [...closes],
    kind,
    state,
    needsApproval,
    ledger: correction.ledger,
    side: correction.side,
    script: correction.script,
    vars: { ...correction.vars },
    ...(timestamp === undefined ? {} : { timestamp: formatTimestamp(timestamp) }),
    note: correction.note,
    requestedBy: toAuthorView(correction.requestedBy),
    ...(decidedBy === undefined ? {} : { decidedBy: toAuthorView(decidedBy) }),
    ...(decisionNote === undefined ? {} : { decisionNote }),
    ...(error === undefined ? {} : { error }),
    ...(transactionID === undefined ? {} : { transactionID }),
    ...(group === undefined ? {} : { group }),
    createdAt: formatTimestamp(correction.createdAt),
    updatedAt: formatTimestamp(correction.updatedAt),
  };
}

export const SuggestionResponse = z
  .object({
    why: z.string().openapi({ description: "Why this booking, or why there is none." }),
    correction: z
      .object({
        ledger: z.string(),
        side: z.enum(SIDES),
        amount: BigInteger.openapi({
          description: "What the booking adds to the side, as its lines have signs.",
        }),
        asset: z.string(),
        account: z.string().optional().openapi({
          description: "Absent where you have to say which account of the side changes.",
        }),
        counter: z.string(),
        closes: z.array(Count),
      })
      .optional(),
    script: z.string().optional(),
    dryRun: z
      .object({
        postings: z.array(
          z.object({
            source: z.string(),
            destination: z.string(),
            amount: BigInteger,
            asset: z.string(),
          }),
        ),
      })
      .optional()
      .openapi({ description: "What the ledger would commit now." }),
    refusal: z.string().optional().openapi({ description: "Why the ledger would refuse." }),
  })
  .openapi("BreakCorrectionSuggestion");

export function toSuggestionView({
  why,
  correction,
  script,
  dryRun,
  refusal,
}: SuggestedBooking): z.output<typeof SuggestionResponse> {
  return {
    why,
    ...(correction === undefined ? {} : { correction: toBookingView(correction) }),
    ...(script === undefined ? {} : { script }),
    ...(dryRun === undefined
      ? {}
      : {
          dryRun: {
            postings: dryRun.postings.map(({ source, destination, amount, asset }) => ({
              source,
              destination,
              amount,
              asset,
            })),
          },
        }),
    ...(refusal === undefined ? {} : { refusal }),
  };
}

const toBookingView = ({
  account,
  closes,
  ...booking
}: NonNullable<SuggestedBooking["correction"]>) => ({
  ...booking,
  ...(account === undefined ? {} : { account }),
  closes: [...closes],
});
