import { z } from "@hono/zod-openapi";
import {
  BreakChangeRequest,
  BreakCommentRequest,
  BreakHistoryResponse,
  BreakResponse,
  BreakSumResponse,
  toBreakHistoryView,
  toBreakSumView,
  toBreakView,
} from "./break-schemas.ts";
import {
  breakSums,
  changeBreak,
  commentBreak,
  getBreak,
  listBreaks,
} from "#modules/reconciliation/breaks/breaks.ts";
import { BREAK_CLASSES } from "#modules/reconciliation/core/breaks/classify.ts";
import { BREAK_STATUSES } from "#modules/reconciliation/core/breaks/status.ts";
import { dayNumberOf } from "#modules/reconciliation/core/matching/days.ts";
import { actingOf } from "#modules/reconciliation/http/acting.ts";
import { PageParams } from "#modules/reconciliation/http/lists.ts";
import { LineParams, toFilteredPage } from "#modules/reconciliation/http/matchings/groups.ts";
import { SIDES } from "#modules/reconciliation/http/matchings/line-schemas.ts";
import { MatchingParams } from "#modules/reconciliation/http/matchings/matchings.ts";
import type { ServiceContext } from "#platform/context.ts";
import { ok, operations, registration } from "#platform/http/index.ts";

const breaks = operations({
  path: "/reconciliation/matchings/{matchingID}/breaks",
  tags: ["Breaks"],
  scope: "reconciliation",
});

const BreakFilters = z.object({
  side: z.enum(SIDES).optional(),
  class: z.enum(BREAK_CLASSES).optional(),
  asset: z.string().max(64).optional(),
  status: z.enum(BREAK_STATUSES).optional(),
  assignee: z.string().max(256).optional(),
  minDays: z
    .string()
    .regex(/^\d{1,6}$/)
    .optional()
    .openapi({ type: "integer", description: "Breaks that are at least so many days old." }),
});

export const registerBreaks = registration(
  breaks.get("", {
    operationId: "florinListBreaks",
    summary: "List the breaks of a matching",
    description:
      "The lines that are not matched. A page may have fewer than `pageSize`, or none, where few fit the filter; `hasMore` tells whether there are further ones.",
    params: MatchingParams,
    query: PageParams.extend(BreakFilters.shape),
    answer: ok.page("A page of breaks, the newest first", BreakResponse, toBreakView),
    errors: [404],
    handle: async ({ params, query, context, c }) => {
      const { filters, query: page } = toFilteredPage(BreakFilters, { list: "breaks", query, c });
      const { minDays, class: breakClass, ...of } = filters;
      const dayTo = minDays === undefined ? undefined : todayOf(context) - Number(minDays);
      return listBreaks(await actingOf(c, context), params.matchingID, {
        filter: { ...of, breakClass, dayTo },
        query: page,
      });
    },
  }),
  breaks.get("/sums", {
    operationId: "florinSumBreaks",
    summary: "Sum the breaks of a matching by class and age",
    params: MatchingParams,
    answer: ok.list("The sums", BreakSumResponse, toBreakSumView),
    errors: [404],
    handle: async ({ params, context, c }) =>
      breakSums(await actingOf(c, context), params.matchingID, todayOf(context)),
  }),
  breaks.get("/{lineID}", {
    operationId: "florinReadBreak",
    summary: "Read a break, with all that was said and done about it",
    params: LineParams,
    answer: ok.data("The break", BreakHistoryResponse, toBreakHistoryView),
    errors: [404],
    handle: async ({ params, context, c }) =>
      getBreak(await actingOf(c, context), params.matchingID, params.lineID),
  }),
  breaks.patch("/{lineID}", {
    operationId: "florinChangeBreak",
    summary: "Set the status or the assignee of a break",
    params: LineParams,
    body: BreakChangeRequest,
    answer: ok.data("The break", BreakHistoryResponse, toBreakHistoryView),
    errors: [404, 409],
    handle: async ({ params, body, context, c }) =>
      changeBreak(await actingOf(c, context), params.matchingID, { line: params.lineID, ...body }),
  }),
  breaks.post("/{lineID}/comments", {
    operationId: "florinCommentBreak",
    summary: "Comment on a break",
    params: LineParams,
    body: BreakCommentRequest,
    answer: ok.created("The break", BreakHistoryResponse, toBreakHistoryView),
    errors: [404, 409],
    handle: async ({ params, body, context, c }) =>
      commentBreak(await actingOf(c, context), params.matchingID, {
        line: params.lineID,
        text: body.text,
      }),
  }),
);

const todayOf = ({ clock }: Pick<ServiceContext, "clock">): number => dayNumberOf(clock());
