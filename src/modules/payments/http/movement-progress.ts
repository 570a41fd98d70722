import { z } from "@hono/zod-openapi";
import type { MovementProgress } from "#modules/payments/movements/progress.ts";
import { Count, TimestampOutput } from "#platform/http/schemas.ts";
import { formatTimestamp, optionalTimestamp } from "#platform/time.ts";

/** Florin's own member of initiations and tasks in both versions of the API: the progress of their movement. */
export const MovementProgressResponse = z
  .object({
    attempts: Count.openapi({
      description: "How often it was tried to move the money, or to learn what has become of it.",
    }),
    lastError: z.string().optional().openapi({
      description: "Why the last attempt has had no outcome, where it has had none.",
    }),
    failingSince: TimestampOutput.optional().openapi({
      description: "Since when attempts have had no outcome.",
    }),
    nextAttemptAt: TimestampOutput.openapi({
      description: "When the next attempt is due. An attempt that is under way has a minute.",
    }),
  })
  .openapi("PaymentMovementProgress", {
    description: "Florin's own: it is here while money is on its way.",
  });

/** The member `movement` of an answer; absent without a movement. */
export const toMovementMember = (
  progress: MovementProgress | undefined,
): { readonly movement?: z.input<typeof MovementProgressResponse> } => {
  if (progress === undefined) return {};
  const { attempts, lastError, failingSince, nextAttemptAt } = progress;
  return {
    movement: {
      attempts,
      ...(lastError === undefined ? {} : { lastError }),
      ...optionalTimestamp("failingSince", failingSince),
      nextAttemptAt: formatTimestamp(nextAttemptAt),
    },
  };
};
