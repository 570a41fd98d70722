import { z } from "@hono/zod-openapi";
import { asClient } from "#modules/auth/index.ts";
import { resumeTrigger } from "#modules/orchestration/triggers/resume.ts";
import {
  COUNTED_MAX,
  triggerWork,
  type TriggerWork,
} from "#modules/orchestration/triggers/work.ts";
import {
  deploymentOf,
  ok,
  operations,
  registration,
  TimestampOutput,
} from "#platform/http/index.ts";
import { formatTimestamp, fromMillis } from "#platform/time.ts";

const Params = z.object({ triggerID: z.string() });

const TriggerWorkResponse = z
  .object({
    waiting: z.int().openapi({ description: "Events that wait for the filter." }),
    waitingSince: TimestampOutput.optional().openapi({
      description: "Since when the first of these events waits.",
    }),
    evaluations: z.int().openapi({ description: "How often the filter was evaluated." }),
    steps: z.int().openapi({ description: "The steps that these evaluations took together." }),
    matches: z.int().openapi({ description: "How often an evaluation let the event through." }),
    failures: z.int().openapi({ description: "How often an evaluation failed." }),
    pending: z.int().openapi({
      description: `Occurrences that are still to be fired: their message is under way, a link is read again, or variables and filters wait for the budget. At most ${COUNTED_MAX} are counted.`,
    }),
    refused: z.int().openapi({
      description:
        "Events that the database keeps as occurrences, as too many waited for filters of the same owner. Their filters are evaluated when there is room.",
    }),
    lastError: z
      .object({ message: z.string(), eventID: z.string(), at: TimestampOutput })
      .optional()
      .openapi({ description: "The last failure of an evaluation." }),
    ownerError: z.string().optional().openapi({
      description:
        "Why the trigger starts nothing, whatever the event is: the client or user that has created it is gone, or may not start workflows any more.",
    }),
    stopped: z
      .object({
        since: TimestampOutput,
        depth: z.int().openapi({
          description: "How many triggers, one after the other, led to the event that stopped it.",
        }),
        occurrenceID: z.string().openapi({ description: "The occurrence of that event." }),
        reason: z.string(),
        toDo: z.string(),
        missed: z.int().openapi({
          description: `Occurrences that started nothing since then; at most ${COUNTED_MAX} are counted.`,
        }),
      })
      .optional()
      .openapi({ description: "Why the trigger was stopped; absent for a trigger that fires." }),
    budgetLeft: z.int().openapi({
      description:
        "The steps that all triggers of the same owner may still take at once. Where it is not above zero, their events wait.",
    }),
  })
  .openapi("TriggerWork");

const TO_DO =
  "Look at what the workflow of the trigger writes and at the filter of the trigger, mend the loop, and resume the trigger with POST /api/florin/v1/triggers/{triggerID}/resume.";

const reasonOf = (depth: number): string =>
  `The trigger is part of a loop: ${depth} triggers, one after the other, led to an event that it fires for.`;

function toWorkView({
  figures,
  pending,
  ownerError,
  stop,
}: TriggerWork): z.output<typeof TriggerWorkResponse> {
  const { waitingSinceMs, lastError, fired, ...counts } = figures;
  return {
    ...counts,
    pending,
    matches: fired,
    ...(ownerError === undefined ? {} : { ownerError }),
    ...(waitingSinceMs === undefined ? {} : { waitingSince: timeOf(waitingSinceMs) }),
    ...(stop === undefined
      ? {}
      : {
          stopped: {
            since: formatTimestamp(stop.since),
            depth: stop.depth,
            occurrenceID: stop.occurrenceId,
            reason: reasonOf(stop.depth),
            toDo: TO_DO,
            missed: stop.missed,
          },
        }),
    ...(lastError === undefined
      ? {}
      : {
          lastError: {
            message: lastError.message,
            eventID: lastError.eventId,
            at: timeOf(lastError.atMs),
          },
        }),
  };
}

const timeOf = (atMs: number): string => formatTimestamp(fromMillis(atMs));

const triggers = operations({ path: "/triggers", tags: ["Triggers"], scope: "orchestration" });

export const registerFlorinTriggers = registration(
  triggers.get("/{triggerID}/work", {
    operationId: "florinReadTriggerWork",
    summary: "Show how the filter of a trigger is doing",
    description:
      'What waits for the filter, what its evaluations took, how the last failure reads, and whether who has created the trigger may still start anything. Filters that an index decides alone, as `event.status == "SUCCEEDED"`, are not evaluated and not counted. The filters of all triggers of one client and subject share a budget of steps a second; what exceeds it waits in order.',
    params: Params,
    answer: ok.data("Its figures", TriggerWorkResponse, toWorkView),
    errors: [404],
    handle: ({ params, context }) => triggerWork(context, params.triggerID),
  }),
  triggers.post("/{triggerID}/resume", {
    operationId: "florinResumeTrigger",
    summary: "Let a trigger fire again that was stopped",
    description:
      "A trigger is stopped when it is part of a loop: more triggers than `FLORIN_TRIGGER_DEPTH` allows led, one after the other, to an event that it fires for. Mend the loop first, by a filter say. The events that came meanwhile are occurrences with an error, and start nothing later. A trigger acts for whoever has created it, so that whoever resumes it needs the same scopes.",
    params: Params,
    answer: ok.data("Its figures", TriggerWorkResponse),
    errors: [404],
    handle: async ({ params: { triggerID }, context, c }) => {
      const acting = await asClient(context, deploymentOf(c).scopes);
      await resumeTrigger(acting, triggerID);
      return toWorkView(await triggerWork(acting, triggerID));
    },
  }),
);
