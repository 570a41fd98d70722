import { z } from "zod";

/** The schemas of the answers about reconciliation that the demo reads. */

const Amount = z.union([z.int(), z.bigint()]).transform(BigInt);
const Posting = z.object({ source: z.string(), destination: z.string(), amount: Amount });

export const MadeAnswer = z.object({ data: z.object({ id: z.string() }) });

/** An uploaded file. */
export type Uploaded = z.output<typeof Uploaded>;
const Uploaded = z.object({
  id: z.string(),
  state: z.enum(["reading", "ready", "refused"]),
  format: z.string().optional(),
  lines: z.int(),
  refusal: z.object({ message: z.string() }).optional(),
});
export const UploadAnswer = z.object({ data: Uploaded });

export type MatchingRun = z.output<typeof MatchingRun>;
const MatchingRun = z.object({
  id: z.int(),
  state: z.enum(["collecting", "matching", "done", "failed"]),
  collected: z.object({ left: z.int(), right: z.int() }),
  matched: z.int(),
  proposed: z.int(),
  open: z.int(),
  error: z.string().optional(),
});
export const RunAnswer = z.object({ data: MatchingRun });

/** A line that is not matched. */
export type OpenBreak = z.output<typeof OpenBreak>;
const OpenBreak = z.object({
  id: z.int(),
  side: z.enum(["left", "right"]),
  amount: Amount,
  texts: z.object({ endToEndId: z.string().optional(), providerId: z.string().optional() }),
  breakClass: z.string().optional(),
});
export const BreakPage = z.object({
  cursor: z.object({ data: z.array(OpenBreak), hasMore: z.boolean() }),
});

/** What the server suggests to book for a break. */
export type Suggestion = z.output<typeof Suggestion>;
const Suggestion = z.object({
  why: z.string(),
  script: z.string().optional(),
  dryRun: z.object({ postings: z.array(Posting) }).optional(),
  refusal: z.string().optional(),
});
export const SuggestionAnswer = z.object({ data: Suggestion });

export type BookedCorrection = z.output<typeof BookedCorrection>;
const BookedCorrection = z.object({
  state: z.string(),
  closes: z.array(z.int()),
  transactionID: z.union([z.int(), z.bigint()]).transform(Number).optional(),
  error: z.string().optional(),
});
export const CorrectionAnswer = z.object({ data: BookedCorrection });

export type ClearingState = z.output<typeof ClearingState>;
const ClearingState = z.object({
  assets: z.array(z.object({ asset: z.string(), balance: Amount, completeness: z.string() })),
  items: z.array(z.object({ account: z.string(), open: Amount })),
});
export const ClearingAnswer = z.object({ data: ClearingState });

const Side = z.object({
  closing: z.object({ lines: z.int(), amount: Amount }),
  outstanding: z.array(z.object({ class: z.string(), lines: z.int(), amount: Amount })),
});
/** The close of a matching's period in one asset. */
export type AssetCloseState = z.output<typeof AssetCloseState>;
const AssetCloseState = z.object({
  asset: z.string(),
  left: Side,
  right: Side,
  difference: Amount,
});
export const CloseAnswer = z.object({ data: z.object({ assets: z.array(AssetCloseState) }) });
