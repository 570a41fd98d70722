import { z } from "@hono/zod-openapi";
import { PassesRequest, PassResponse, toPass, toPassView } from "./pass-schemas.ts";
import { invalid, NAME_LENGTH_MAX } from "#modules/reconciliation/core/fields.ts";
import { dateOf, dayOf } from "#modules/reconciliation/core/matching/days.ts";
import {
  DEFAULT_PASSES,
  DEFAULT_THRESHOLD,
} from "#modules/reconciliation/core/matching/default-passes.ts";
import { toUuid } from "#modules/reconciliation/http/path-ids.ts";
import type { MatchingChange } from "#modules/reconciliation/matchings/change.ts";
import type { NewMatching } from "#modules/reconciliation/matchings/create.ts";
import { type RunHead, RUN_STATES } from "#modules/reconciliation/matchings/engine/heads.ts";
import { DEFAULT_ACCOUNTS } from "#modules/reconciliation/matchings/fields.ts";
import type { Matching } from "#modules/reconciliation/matchings/matching.ts";
import { fromPrincipalColumn } from "#platform/access/stored-principal.ts";
import type { Principal } from "#platform/context.ts";
import { Count, TimestampOutput } from "#platform/http/index.ts";
import { formatTimestamp, type Timestamp } from "#platform/time.ts";

/** Longest patience with a line whose partner may be late, in business days, and that of a matching that names none. */
const TIMING_DAYS_MAX = 60;
const TIMING_DAYS = 3;

const Name = z.string().max(NAME_LENGTH_MAX);
const DateText = z.string().openapi({ format: "date", example: "2026-03-31" });
export const Threshold = z.int().min(0).max(101).openapi({
  description:
    "The confidence from which a match is made without a person; what is below is proposed. At 101, everything is.",
});
export const TimingDays = z.int().min(0).max(TIMING_DAYS_MAX).openapi({
  description: "For how many business days a line counts as waiting for its partner.",
});
const Address = z.string().openapi({ description: "The address of an account of corrections." });

export const MatchingRequest = z
  .strictObject({
    name: Name,
    leftSourceID: z.string().openapi({ format: "uuid" }),
    rightSourceID: z.string().openapi({ format: "uuid" }),
    period: z
      .strictObject({ from: DateText, to: DateText.nullish() })
      .openapi({ description: "Both days belong to it; without `to`, it has no end." }),
    passes: PassesRequest.nullish().openapi({
      description: "The rules, in their order; absent for the default ones.",
    }),
    threshold: Threshold.default(DEFAULT_THRESHOLD),
    timingDays: TimingDays.default(TIMING_DAYS),
    accounts: z.strictObject({ suspense: Address, fees: Address }).partial().nullish(),
  })
  .openapi("MatchingRequest");

export const MatchingPatchRequest = z
  .strictObject({
    name: Name.optional(),
    passes: PassesRequest.nullable()
      .optional()
      .openapi({ description: "Null for the default ones." }),
    threshold: Threshold.optional(),
    timingDays: TimingDays.optional(),
    period: z
      .strictObject({
        to: DateText.nullable().openapi({ description: "Null for a period without an end." }),
      })
      .optional(),
    accounts: z.strictObject({ suspense: Address, fees: Address }).partial().optional(),
  })
  .openapi("MatchingPatchRequest");

/** The day of a date. Throws `VALIDATION`, naming the field. */
function toDay(date: string, field: string): number {
  const day = dayOf(date);
  if (day === undefined) throw invalid(`${field}: expected a date, such as 2026-03-31`);
  return day;
}

export function toNewMatching(body: z.output<typeof MatchingRequest>): NewMatching {
  const { name, leftSourceID, rightSourceID, period, passes, accounts } = body;
  return {
    name,
    leftSourceId: toUuid(leftSourceID),
    rightSourceId: toUuid(rightSourceID),
    period: {
      from: toDay(period.from, "period.from"),
      to: period.to === null || period.to === undefined ? undefined : toDay(period.to, "period.to"),
    },
    passes: passes?.map(toPass),
    threshold: body.threshold,
    timingDays: body.timingDays,
    accounts: {
      suspense: accounts?.suspense ?? DEFAULT_ACCOUNTS.suspense,
      fees: accounts?.fees ?? DEFAULT_ACCOUNTS.fees,
    },
  };
}

export function toMatchingChange(body: z.output<typeof MatchingPatchRequest>): MatchingChange {
  const { name, passes, threshold, timingDays, period, accounts = {} } = body;
  return {
    name,
    passes: passes === null ? null : passes?.map(toPass),
    threshold,
    timingDays,
    periodTo:
      period === undefined ? undefined : period.to === null ? null : toDay(period.to, "period.to"),
    accounts: {
      ...(accounts.suspense === undefined ? {} : { suspense: accounts.suspense }),
      ...(accounts.fees === undefined ? {} : { fees: accounts.fees }),
    },
  };
}

export const AuthorResponse = z
  .object({
    subject: z.string(),
    clientID: z.string(),
    isPerson: z.boolean(),
  })
  .openapi("ReconciliationAuthor", {
    description:
      "Who acted: a person with the client that the person used, or a client for itself.",
  });

export const toAuthorView = ({
  subject,
  clientId,
  isPerson,
}: Principal): z.output<typeof AuthorResponse> => ({
  subject,
  clientID: clientId,
  isPerson: isPerson === true,
});

export const RunResponse = z
  .object({
    id: Count,
    state: z.enum(RUN_STATES),
    phase: z.string().openapi({ description: "What the run is about; empty after its end." }),
    collected: z
      .object({ left: Count, right: Count })
      .openapi({ description: "Lines that were new, or that their sources had changed." }),
    matched: Count.openapi({ description: "Groups that the run has matched." }),
    proposed: Count.openapi({ description: "Groups that the run has proposed." }),
    open: Count.openapi({ description: "Lines without a match at the end." }),
    startedAt: TimestampOutput,
    endedAt: TimestampOutput.optional(),
    error: z.string().optional().openapi({ description: "Why the run has failed." }),
    by: AuthorResponse,
  })
  .openapi("MatchingRun");

export const toRunView = (run: RunHead): z.output<typeof RunResponse> => ({
  id: run.number,
  state: run.state,
  phase: run.phase,
  collected: { ...run.collected },
  matched: run.matched,
  proposed: run.proposed,
  open: run.open,
  startedAt: formatTimestamp(run.startedAt as Timestamp), // Heads have texts of timestamps.
  ...(run.endedAt === undefined ? {} : { endedAt: formatTimestamp(run.endedAt as Timestamp) }),
  ...(run.error === undefined ? {} : { error: run.error }),
  by: toAuthorView(fromPrincipalColumn(run.principal)),
});

export const MatchingResponse = z
  .object({
    id: z.string().openapi({ format: "uuid" }),
    name: z.string(),
    leftSourceID: z.string().openapi({ format: "uuid" }),
    rightSourceID: z.string().openapi({ format: "uuid" }),
    period: z.object({ from: DateText, to: DateText.optional() }),
    hasDefaultPasses: z.boolean(),
    passes: z.array(PassResponse),
    threshold: z.int(),
    timingDays: z.int(),
    accounts: z.object({ suspense: z.string(), fees: z.string() }),
    createdAt: TimestampOutput,
    createdBy: AuthorResponse,
    updatedAt: TimestampOutput,
    revision: Count,
    lastRun: RunResponse.optional(),
  })
  .openapi("Matching");

export const toMatchingView = (matching: Matching): z.output<typeof MatchingResponse> => ({
  id: matching.id,
  name: matching.name,
  leftSourceID: matching.leftSourceId,
  rightSourceID: matching.rightSourceId,
  period: {
    from: dateOf(matching.period.from),
    ...(matching.period.to === undefined ? {} : { to: dateOf(matching.period.to) }),
  },
  hasDefaultPasses: matching.passes === undefined,
  passes: (matching.passes ?? DEFAULT_PASSES).map(toPassView),
  threshold: matching.threshold,
  timingDays: matching.timingDays,
  accounts: { ...matching.accounts },
  createdAt: formatTimestamp(matching.createdAt),
  createdBy: toAuthorView(matching.createdBy),
  updatedAt: formatTimestamp(matching.updatedAt),
  revision: matching.revision,
  ...(matching.lastRun === undefined ? {} : { lastRun: toRunView(matching.lastRun) }),
});
