import { z } from "@hono/zod-openapi";
import { CorrectionResponse, toCorrectionView } from "./correction-schemas.ts";
import type { BreakHistory } from "#modules/reconciliation/breaks/breaks.ts";
import { BREAK_STATUSES } from "#modules/reconciliation/core/breaks/status.ts";
import { AGE_BUCKETS } from "#modules/reconciliation/core/clearing/open-items.ts";
import { OPEN_CLASSES } from "#modules/reconciliation/core/closing/close-report.ts";
import {
  LineResponse,
  SIDES,
  toLineView,
} from "#modules/reconciliation/http/matchings/line-schemas.ts";
import {
  AuthorResponse,
  toAuthorView,
} from "#modules/reconciliation/http/matchings/matching-schemas.ts";
import type { BreakDetail, BreakEvent } from "#modules/reconciliation/matchings/desk/break-work.ts";
import type { BreakSum } from "#modules/reconciliation/matchings/desk/sums.ts";
import { fromPrincipalColumn } from "#platform/access/stored-principal.ts";
import { BigInteger, Count, TimestampOutput } from "#platform/http/index.ts";
import { formatTimestamp, type Timestamp } from "#platform/time.ts";

/** Longest comment, and longest name of an assignee, in characters. */
const COMMENT_LENGTH_MAX = 4000;
const ASSIGNEE_LENGTH_MAX = 256;

export const BreakChangeRequest = z
  .strictObject({
    status: z.enum(BREAK_STATUSES).optional(),
    assignee: z.string().max(ASSIGNEE_LENGTH_MAX).optional().openapi({
      description: "The name of whoever looks after the break; empty for nobody.",
    }),
  })
  .refine(({ status, assignee }) => status !== undefined || assignee !== undefined, {
    message: "name a status or an assignee",
  })
  .openapi("BreakChangeRequest");

export const BreakCommentRequest = z
  .strictObject({ text: z.string().trim().min(1).max(COMMENT_LENGTH_MAX) })
  .openapi("BreakCommentRequest");

export const BreakResponse = LineResponse.extend({
  status: z.enum(BREAK_STATUSES),
  assignee: z.string().optional(),
  comments: Count,
}).openapi("Break");

export const toBreakView = ({ work, ...line }: BreakDetail): z.output<typeof BreakResponse> => ({
  ...toLineView(line),
  status: work.status,
  ...(work.assignee === undefined ? {} : { assignee: work.assignee }),
  comments: work.comments,
});

export const BreakHistoryResponse = BreakResponse.extend({
  events: z.array(
    z.object({
      what: z.enum(["comment", "status", "assign"]),
      text: z.string(),
      at: TimestampOutput,
      by: AuthorResponse,
    }),
  ),
  corrections: z.array(CorrectionResponse),
}).openapi("BreakHistory");

export const toBreakHistoryView = ({
  events,
  corrections,
  ...of
}: BreakHistory): z.output<typeof BreakHistoryResponse> => ({
  ...toBreakView(of),
  events: events.map(toEventView),
  corrections: corrections.map(toCorrectionView),
});

const toEventView = ({ what, text, at, principal }: BreakEvent) => ({
  what,
  text,
  at: formatTimestamp(at as Timestamp), // authors have texts of timestamps
  by: toAuthorView(fromPrincipalColumn(principal)),
});

export const BreakSumResponse = z
  .object({
    side: z.enum(SIDES),
    asset: z.string(),
    class: z.enum(OPEN_CLASSES),
    fromDays: Count,
    toDays: Count.optional(),
    lines: Count,
    amount: BigInteger,
  })
  .openapi("BreakSum");

export const toBreakSumView = ({ bucket, ...sum }: BreakSum): z.output<typeof BreakSumResponse> => {
  const { from = 0, to } = AGE_BUCKETS[bucket] ?? {};
  return { ...sum, fromDays: from, ...(to === undefined ? {} : { toDays: to }) };
};
