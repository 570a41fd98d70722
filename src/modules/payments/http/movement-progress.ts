import { z } from "@hono/zod-openapi";
import type { MovementProgress } from "#modules/payments/movements/progress.ts";
import { Count, TimestampOutput } from "#platform/http/index.ts";
import { formatTimestamp, optionalTimestamp } from "#platform/time.ts";

/** Florin's own member of initiations and tasks in both versions of the API: the progress of their movement. */
export const MovementProgressResponse = z
  .object({
    attempts: Count.openapi({
      description: "The attempts so far to move the money or to learn the outcome.",
    }),
    lastError: z.string().optional().openapi({
      description: "The error of the last attempt; absent if it had an outcome.",
    }),
    failingSince: TimestampOutput.optional().openapi({
      description: "The time since which attempts have had no outcome.",
    }),
    nextAttemptAt: TimestampOutput.openapi({
      description:
        "The time of the next attempt; during an attempt, a minute after its start; in the year 9999 while a person has to decide.",
    }),
    needsReview: z.literal(true).optional().openapi({
      description:
        "Present if the original of this restored deployment may have made it, so that a person decides first (`/api/florin/v1/payments/reviews`).",
    }),
  })
  .openapi("PaymentMovementProgress", {
    description: "Florin's own: present while a movement of money is under way.",
  });

/** The member `movement` of an answer; absent without a movement. */
export const toMovementMember = (
  progress: MovementProgress | undefined,
): { readonly movement?: z.input<typeof MovementProgressResponse> } => {
  if (progress === undefined) return {};
  const { attempts, lastError, failingSince, nextAttemptAt, needsReview } = progress;
  return {
    movement: {
      attempts,
      ...(lastError === undefined ? {} : { lastError }),
      ...optionalTimestamp("failingSince", failingSince),
      nextAttemptAt: formatTimestamp(nextAttemptAt),
      ...(needsReview === undefined ? {} : { needsReview }),
    },
  };
};
