import { z } from "@hono/zod-openapi";
import {
  CorrectionDecisionRequest,
  CorrectionRequestBody,
  CorrectionResponse,
  SuggestionResponse,
  toCorrectionView,
  toSuggestionView,
  WriteOffRequest,
} from "./correction-schemas.ts";
import { bookCorrection, bookWriteOff } from "#modules/reconciliation/corrections/create.ts";
import { confirmCorrection, refuseCorrection } from "#modules/reconciliation/corrections/decide.ts";
import { listCorrections } from "#modules/reconciliation/corrections/list.ts";
import { correctionOf } from "#modules/reconciliation/corrections/store.ts";
import { suggestBooking } from "#modules/reconciliation/corrections/suggest.ts";
import { actingOf } from "#modules/reconciliation/http/acting.ts";
import { LIST, listing } from "#modules/reconciliation/http/lists.ts";
import { LineParams } from "#modules/reconciliation/http/matchings/groups.ts";
import { MatchingParams } from "#modules/reconciliation/http/matchings/matchings.ts";
import { uuidParam } from "#modules/reconciliation/http/path-ids.ts";
import { getMatching } from "#modules/reconciliation/matchings/store.ts";
import { ok, operations, registration, TimestampInput } from "#platform/http/index.ts";

const TAGS = ["Breaks"];
const breaks = operations({
  path: "/reconciliation/matchings/{matchingID}/breaks/{lineID}",
  tags: TAGS,
  scope: "reconciliation",
  params: LineParams,
});
const corrections = operations({
  path: "/reconciliation/matchings/{matchingID}/corrections/{correctionID}",
  tags: TAGS,
  scope: "reconciliation",
  params: MatchingParams.extend({ correctionID: uuidParam() }),
});
const all = operations({
  path: "/reconciliation/corrections",
  tags: TAGS,
  scope: "reconciliation",
});

const decision = (
  verb: "confirm" | "refuse",
  decide: typeof confirmCorrection,
  { summary, description }: { readonly summary: string; readonly description: string },
) =>
  corrections.post(`/${verb}`, {
    operationId: `florin${verb === "confirm" ? "Confirm" : "Refuse"}Correction`,
    summary,
    description,
    body: CorrectionDecisionRequest,
    answer: ok.data("The correction", CorrectionResponse, toCorrectionView),
    errors: [404, 409],
    handle: async ({ params, body, context, c }) =>
      decide(await actingOf(c, context), {
        matchingId: params.matchingID,
        id: params.correctionID,
        note: body.note,
      }),
  });

export const registerCorrections = registration(
  breaks.get("/correction", {
    operationId: "florinSuggestCorrection",
    summary: "Suggest the booking that corrects a break",
    description:
      "A Numscript where the break tells what to book, with a dry run of it, and a sentence where it does not.",
    query: z.object({
      account: z.string().max(1024).optional(),
      timestamp: TimestampInput.optional().openapi({
        description: "The effective date of the booking; by default, now.",
      }),
    }),
    answer: ok.data("The suggestion", SuggestionResponse, toSuggestionView),
    errors: [404, 409],
    handle: async ({ params, query, context, c }) =>
      suggestBooking(await actingOf(c, context), params.matchingID, {
        line: params.lineID,
        account: query.account,
        timestamp: query.timestamp,
      }),
  }),
  breaks.post("/correction", {
    operationId: "florinBookCorrection",
    summary: "Book the correction of a break",
    description:
      "Books the suggestion, or a script of your own, and matches the booking with the lines that it closes. The caller writes the ledger with its own rights. A booking that would not close the break is refused before anything moves. Two calls for one break book once. Where `FLORIN_RECONCILIATION_FOUR_EYES` is set, a script of your own waits for another person, as a write-off does.",
    body: CorrectionRequestBody,
    answer: ok.created("The correction", CorrectionResponse, toCorrectionView),
    errors: [404, 409],
    handle: async ({ params, body, context, c }) => {
      const { account, timestamp, script, vars, side, closes, note } = body;
      const request = { account, timestamp, script, vars, side, closes, note };
      return bookCorrection(await actingOf(c, context), params.matchingID, {
        line: params.lineID,
        ...request,
      });
    },
  }),
  breaks.post("/write-off", {
    operationId: "florinWriteOffBreak",
    summary: "Write a break off",
    description:
      "Closes the break by a booking against the named account. Where `FLORIN_RECONCILIATION_FOUR_EYES` is set, the state is `waiting` until another person confirms it.",
    body: WriteOffRequest,
    answer: ok.created("The correction", CorrectionResponse, toCorrectionView),
    errors: [404, 409],
    handle: async ({ params, body, context, c }) => {
      const { counter, account, timestamp, note } = body;
      return bookWriteOff(await actingOf(c, context), params.matchingID, {
        line: params.lineID,
        counter,
        account,
        timestamp,
        note,
      });
    },
  }),
  all.get("", {
    operationId: "florinListCorrections",
    summary: "List corrections and write-offs of all matchings",
    description: "Filters: `id`, `matchingID`, `state`, `kind`, `line` and `createdAt`.",
    ...LIST,
    answer: ok.page(
      "A page of corrections, the newest first",
      CorrectionResponse,
      toCorrectionView,
    ),
    handle: listing("corrections", listCorrections),
  }),
  corrections.get("", {
    operationId: "florinReadCorrection",
    summary: "Read a correction",
    answer: ok.data("The correction", CorrectionResponse, toCorrectionView),
    errors: [404],
    handle: async ({ params, context, c }) => {
      const acting = await actingOf(c, context);
      await getMatching(acting, params.matchingID);
      return correctionOf(acting, params.matchingID, params.correctionID);
    },
  }),
  decision("confirm", confirmCorrection, {
    summary: "Confirm a write-off or a correction as a second person",
    description:
      "Makes the booking. Whoever confirms has logged in, has not asked for it, and may write the ledger.",
  }),
  decision("refuse", refuseCorrection, {
    summary: "Refuse a write-off or a correction, or take it back",
    description: "Nothing is booked, and the lines are open again.",
  }),
);
