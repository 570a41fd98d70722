import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { ownerErrorOf } from "#modules/orchestration/triggers/firing/owners.ts";
import type { LaneFigures } from "#modules/orchestration/triggers/lane/lane-object.ts";
import { triggerFigures } from "#modules/orchestration/triggers/lane/lanes.ts";
import { getTrigger } from "#modules/orchestration/triggers/store.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { endpoint, errors, json } from "#platform/http/endpoint.ts";
import { dataOf, TimestampOutput } from "#platform/http/schemas.ts";
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
    refused: z.int().openapi({
      description: "Events that were not taken, as too many waited for filters of the same owner.",
    }),
    lastError: z
      .object({ message: z.string(), eventID: z.string(), at: TimestampOutput })
      .optional()
      .openapi({ description: "The last failure of an evaluation." }),
    ownerError: z.string().optional().openapi({
      description:
        "Why the trigger starts nothing, whatever the event is: who has created it is gone, or may start no workflows any more.",
    }),
    budgetLeft: z.int().openapi({
      description:
        "The steps that all triggers of the same owner may still take at once. Where it is not above zero, their events wait.",
    }),
  })
  .openapi("TriggerWork");

/** What only Florin tells of triggers. */
export function registerFlorinTriggers(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/triggers/{triggerID}/work",
      operationId: "florinReadTriggerWork",
      summary: "Show how the filter of a trigger is doing",
      description:
        'What waits for the filter, what its evaluations took, how the last failure reads, and whether who has created the trigger may still start anything. Filters that an index decides alone, as `event.status == "SUCCEEDED"`, are not evaluated and not counted. The filters of all triggers of one client and subject share a budget of steps a second; what exceeds it waits in order.',
      tags: ["Triggers"],
      scope: "orchestration:read",
      params: Params,
      responses: { 200: json("Its figures", dataOf(TriggerWorkResponse)), ...errors(404) },
    },
    async ({ params, c }) => {
      const { context } = c.var;
      const trigger = await getTrigger(context, params.triggerID);
      const [figures, ownerError] = await Promise.all([
        triggerFigures(context.env, trigger),
        ownerErrorOf(context, trigger),
      ]);
      return { status: 200, body: { data: toWorkView(figures, ownerError) } };
    },
  );
}

function toWorkView(
  figures: LaneFigures,
  ownerError: string | undefined,
): z.output<typeof TriggerWorkResponse> {
  const { waitingSinceMs, lastError, fired, ...counts } = figures;
  return {
    ...counts,
    matches: fired,
    ...(ownerError === undefined ? {} : { ownerError }),
    ...(waitingSinceMs === undefined ? {} : { waitingSince: timeOf(waitingSinceMs) }),
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
