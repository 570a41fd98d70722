import { z } from "@hono/zod-openapi";
import { AuthorResponse, toAuthorView } from "./matching-schemas.ts";
import { BREAK_CLASSES } from "#modules/reconciliation/core/breaks/classify.ts";
import { dateOf } from "#modules/reconciliation/core/matching/days.ts";
import { LINE_FIELDS } from "#modules/reconciliation/core/matching/line.ts";
import type { GroupDetail } from "#modules/reconciliation/matchings/engine/group-reads.ts";
import type { StoredGroup } from "#modules/reconciliation/matchings/engine/groups.ts";
import { DECISIONS } from "#modules/reconciliation/matchings/engine/journal.ts";
import type { JournalEntry } from "#modules/reconciliation/matchings/engine/journal.ts";
import type { LineDetail } from "#modules/reconciliation/matchings/engine/line-reads.ts";
import { fromPrincipalColumn } from "#platform/access/stored-principal.ts";
import { BigInteger, Count, TimestampOutput } from "#platform/http/index.ts";
import { formatTimestamp, type Timestamp } from "#platform/time.ts";

export const SIDES = ["left", "right"] as const;
export const LINE_STATES = ["open", "proposed", "matched", "held"] as const;
export const GROUP_STATES = ["proposed", "matched", "declined", "broken"] as const;

const Field = z.enum(LINE_FIELDS);

export const LineResponse = z
  .object({
    id: Count,
    side: z.enum(SIDES),
    sourceLineID: z.string().openapi({ description: "The name of the line in its source." }),
    date: z.string().openapi({ format: "date" }),
    amount: BigInteger,
    asset: z.string(),
    fee: BigInteger.optional(),
    texts: z.partialRecord(Field, z.string()),
    state: z.enum(LINE_STATES),
    group: Count.optional().openapi({ description: "The match or proposal that has the line." }),
    breakClass: z.enum(BREAK_CLASSES).optional().openapi({
      description: "Why the line had no match at the end of the last run.",
    }),
    relatedLine: Count.optional().openapi({ description: "The line that the class speaks of." }),
    corrects: z.string().optional().openapi({
      description: "The name of the earlier line of the source that this one takes back.",
    }),
    ledger: z.string().optional(),
    transactionID: BigInteger.optional(),
    account: z.string().optional(),
    otherAccount: z.string().optional(),
    paymentID: z.string().optional(),
    statementID: z.string().optional(),
    fileLine: Count.optional(),
    valueDate: z.string().optional(),
    category: z.string().optional(),
    raw: z.string().optional(),
  })
  .openapi("MatchingLine");

const given = <T extends object>(members: T) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]?: Exclude<T[Name], undefined>;
  };

export function toLineView(line: LineDetail): z.output<typeof LineResponse> {
  const { id, side, amount, asset, state, fee, group, breakClass, relatedLine, corrects } = line;
  return {
    id,
    side,
    sourceLineID: line.sourceId,
    date: dateOf(line.day),
    amount,
    asset,
    texts: given(line.texts),
    state,
    ...given({ fee, group, breakClass, relatedLine, corrects, ...line.evidence }),
  };
}

const GroupFields = z.object({
  id: Count,
  state: z.enum(GROUP_STATES),
  run: Count.optional().openapi({ description: "The run that has made it; absent for a person." }),
  pass: z.string(),
  confidence: z.int(),
  isAmbiguous: z.boolean().openapi({
    description: "Whether several combinations of its lines fit, so that a person has to choose.",
  }),
});

export const GroupResponse = GroupFields.extend({
  left: Count.openapi({ description: "The number of lines of the left side." }),
  right: Count,
}).openapi("MatchingGroup");

const fieldsOf = (group: StoredGroup): z.output<typeof GroupFields> => ({
  id: group.id,
  state: group.state === "candidate" ? "proposed" : group.state, // Lists leave candidates out.
  ...(group.run === 0 ? {} : { run: group.run }),
  pass: group.pass,
  confidence: group.confidence,
  isAmbiguous: group.isAmbiguous,
});

export const toGroupView = (group: StoredGroup): z.output<typeof GroupResponse> => ({
  ...fieldsOf(group),
  left: group.left.length,
  right: group.right.length,
});

const DecisionResponse = z
  .object({
    what: z.enum(DECISIONS),
    at: TimestampOutput,
    note: z.string(),
    by: AuthorResponse,
    run: Count.optional().openapi({
      description: "The run that has decided, in the name of `by`.",
    }),
  })
  .openapi("MatchingDecision");

const toDecisionView = (decision: JournalEntry): z.output<typeof DecisionResponse> => ({
  what: decision.what,
  at: formatTimestamp(decision.at as Timestamp), // Authors have texts of timestamps.
  note: decision.note,
  by: toAuthorView(fromPrincipalColumn(decision.principal)),
  ...(decision.run === 0 ? {} : { run: decision.run }),
});

export const GroupDetailResponse = GroupFields.extend({
  left: z.object({ count: Count, lines: z.array(LineResponse) }),
  right: z.object({ count: Count, lines: z.array(LineResponse) }),
  evidence: z.object({
    keys: z
      .array(z.object({ left: Field, right: Field, text: z.string() }))
      .openapi({ description: "The texts that are equal after normalising." }),
    sums: z.array(z.object({ asset: z.string(), left: BigInteger, right: BigInteger })),
    days: Count.openapi({ description: "Calendar days from the first line to the last one." }),
  }),
  decisions: z.array(DecisionResponse),
}).openapi("MatchingGroupDetail", {
  description: "A group with the first 100 lines of each side.",
});

export const toGroupDetailView = (group: GroupDetail): z.output<typeof GroupDetailResponse> => ({
  ...fieldsOf(group),
  left: { count: group.left.length, lines: group.leftLines.map(toLineView) },
  right: { count: group.right.length, lines: group.rightLines.map(toLineView) },
  evidence: {
    keys: group.evidence.keys.map((key) => ({ ...key })),
    sums: group.evidence.sums.map((sum) => ({ ...sum })),
    days: group.evidence.days,
  },
  decisions: group.decisions.map(toDecisionView),
});
