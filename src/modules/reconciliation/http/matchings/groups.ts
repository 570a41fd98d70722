import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import {
  GROUP_STATES,
  GroupDetailResponse,
  GroupResponse,
  LINE_STATES,
  LineResponse,
  SIDES,
  toGroupDetailView,
  toGroupView,
  toLineView,
} from "./line-schemas.ts";
import { MatchingParams, numberParam } from "./matchings.ts";
import { BREAK_CLASSES } from "#modules/reconciliation/core/breaks/classify.ts";
import { normaliseReference } from "#modules/reconciliation/core/breaks/classify.ts";
import { PASS_NAME_LENGTH_MAX } from "#modules/reconciliation/core/matching/check-passes.ts";
import { actingOf } from "#modules/reconciliation/http/acting.ts";
import { PageParams, toPage } from "#modules/reconciliation/http/lists.ts";
import {
  decide,
  getGroup,
  getLine,
  listGroups,
  listLines,
  matchByHand,
} from "#modules/reconciliation/matchings/groups.ts";
import type { GroupDecision } from "#modules/reconciliation/matchings/object/matching-object.ts";
import { type AppEnv, ok, operations, registration } from "#platform/http/index.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { toValidationError } from "#platform/validation.ts";

const groups = operations({
  path: "/reconciliation/matchings/{matchingID}/groups",
  tags: ["Matchings"],
  scope: "reconciliation",
});
const lines = operations({
  path: "/reconciliation/matchings/{matchingID}/lines",
  tags: ["Matchings"],
  scope: "reconciliation",
});

/** Longest note and longest reference that is looked for, in characters, and most lines of a side that are matched by hand. */
const NOTE_LENGTH_MAX = 2000;
const REFERENCE_LENGTH_MAX = 500;
const HAND_LINES_MAX = 500;

const GroupParams = MatchingParams.extend({ groupID: numberParam() });
export const LineParams = MatchingParams.extend({ lineID: numberParam() });

const Note = z.string().max(NOTE_LENGTH_MAX).default("");
const DecisionRequest = z
  .strictObject({ note: Note })
  .default({ note: "" })
  .openapi("MatchingDecisionRequest");
const LineIDs = z.array(z.int().min(1)).min(1).max(HAND_LINES_MAX);
const HandMatchRequest = z
  .strictObject({ left: LineIDs, right: LineIDs, note: Note })
  .openapi("MatchByHandRequest");

const NumberFilter = z
  .string()
  .regex(/^\d{1,15}$/)
  .optional()
  .openapi({ type: "integer" });

/** The filters of both lists. Cursors have them as options, empty for none. */
const GroupFilters = z.object({
  state: z.enum(GROUP_STATES).optional(),
  pass: z.string().max(PASS_NAME_LENGTH_MAX).optional(),
  run: NumberFilter,
});
const LineFilters = z.object({
  side: z.enum(SIDES).optional(),
  state: z
    .enum([...LINE_STATES, "unmatched"])
    .optional()
    .openapi({
      description: "`unmatched` for lines that are open or proposed.",
    }),
  asset: z.string().max(64).optional(),
  class: z.enum(BREAK_CLASSES).optional(),
  group: NumberFilter,
  q: z.string().max(REFERENCE_LENGTH_MAX).optional().openapi({
    description: "One of the references of lines, whatever its case and punctuation are.",
  }),
});

type Filters = z.ZodObject;

/** The page that a request asks for, and its filters, which a cursor repeats. Throws `VALIDATION`. */
export function toFilteredPage<F extends Filters>(
  schema: F,
  {
    list,
    query,
    c,
  }: {
    readonly list: string;
    readonly query: z.output<typeof PageParams> &
      Readonly<Record<string, string | number | undefined>>;
    readonly c: Context<AppEnv>;
  },
): { readonly filters: z.output<F>; readonly query: PageQuery } {
  const names = Object.keys(schema.shape);
  const options = Object.fromEntries(names.map((name) => [name, String(query[name] ?? "")]));
  const page = toPage(list, { query, c, options }, "id");
  const named = Object.entries(page.options ?? {}).filter(([, value]) => value !== "");
  const filters = schema.safeParse(Object.fromEntries(named));
  if (!filters.success) throw toValidationError(filters.error, "the filter");
  return { filters: filters.data, query: page };
}

const decision = (what: GroupDecision["what"], operationId: string, summary: string) =>
  groups.post(`/{groupID}/${what}`, {
    operationId,
    summary,
    params: GroupParams,
    body: DecisionRequest,
    answer: ok.data("The group", GroupDetailResponse, toGroupDetailView),
    errors: [404, 409],
    handle: async ({ params, body, context, c }) =>
      decide(await actingOf(c, context), params.matchingID, {
        what,
        group: params.groupID,
        note: body.note,
      }),
  });

export const registerMatchingGroups = registration(
  groups.get("", {
    operationId: "florinListMatchingGroups",
    summary: "List the matches and proposals of a matching",
    description:
      "A page may have fewer groups than `pageSize`, or none, where few groups fit the filter; `hasMore` tells whether there are further ones.",
    params: MatchingParams,
    query: PageParams.extend(GroupFilters.shape),
    answer: ok.page("A page of groups, the newest first", GroupResponse, toGroupView),
    errors: [404],
    handle: async ({ params, query, context, c }) => {
      const { filters, query: page } = toFilteredPage(GroupFilters, {
        list: "matching-groups",
        query,
        c,
      });
      const filter = {
        ...filters,
        run: filters.run === undefined ? undefined : Number(filters.run),
      };
      return listGroups(await actingOf(c, context), params.matchingID, { filter, query: page });
    },
  }),
  groups.post("", {
    operationId: "florinMatchByHand",
    summary: "Match lines by hand",
    description:
      "Lines of both sides that nobody has matched yet, at most 500 of a side. They are of one asset, and where their sums differ, the note says why. Proposals that have one of them are dissolved. If a run or another person was first, the answer is 409, and nothing has changed.",
    params: MatchingParams,
    body: HandMatchRequest,
    answer: ok.created("The match", GroupDetailResponse, toGroupDetailView),
    errors: [404, 409],
    handle: async ({ params, body, context, c }) =>
      matchByHand(await actingOf(c, context), params.matchingID, body),
  }),
  groups.get("/{groupID}", {
    operationId: "florinReadMatchingGroup",
    summary: "Read a match or proposal, with its lines and evidence",
    params: GroupParams,
    answer: ok.data("The group", GroupDetailResponse, toGroupDetailView),
    errors: [404],
    handle: async ({ params, context, c }) =>
      getGroup(await actingOf(c, context), params.matchingID, params.groupID),
  }),
  decision("confirm", "florinConfirmGroup", "Confirm a proposal"),
  decision("decline", "florinDeclineGroup", "Decline a proposal, which no run makes again"),
  decision("break", "florinBreakGroup", "Break a match, which no run makes again"),
  lines.get("", {
    operationId: "florinListMatchingLines",
    summary: "List the lines of a matching",
    description:
      "A page may have fewer lines than `pageSize`, or none, where few lines fit the filter; `hasMore` tells whether there are further ones.",
    params: MatchingParams,
    query: PageParams.extend(LineFilters.shape),
    answer: ok.page("A page of lines, the newest first", LineResponse, toLineView),
    errors: [404],
    handle: async ({ params, query, context, c }) => {
      const { filters, query: page } = toFilteredPage(LineFilters, {
        list: "matching-lines",
        query,
        c,
      });
      const { class: breakClass, q, group: id, ...others } = filters;
      const group = id === undefined ? undefined : Number(id);
      const reference = q === undefined ? undefined : normaliseReference(q);
      return listLines(await actingOf(c, context), params.matchingID, {
        filter: { ...others, breakClass, reference, group },
        query: page,
      });
    },
  }),
  lines.get("/{lineID}", {
    operationId: "florinReadMatchingLine",
    summary: "Read a line",
    params: LineParams,
    answer: ok.data("The line", LineResponse, toLineView),
    errors: [404],
    handle: async ({ params, context, c }) =>
      getLine(await actingOf(c, context), params.matchingID, params.lineID),
  }),
);
