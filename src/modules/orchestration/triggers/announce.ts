import { z } from "zod";
import { logError } from "#platform/log.ts";

/** A message of the queue `florin-triggers`: an occurrence that has to be fired. */
export const OccurrenceMessage = z.object({ id: z.string(), trigger: z.int() });

/** An occurrence by its id, and the key of its trigger. */
export type AnnouncedOccurrence = z.output<typeof OccurrenceMessage>;

const MESSAGES_PER_SEND_MAX = 100;

/** Sends occurrences to the queue that fires them. Never throws: the sweep announces occurrences that could not be sent. */
export async function announceOccurrences(
  env: Env,
  occurrences: readonly AnnouncedOccurrence[],
): Promise<void> {
  try {
    for (let at = 0; at < occurrences.length; at += MESSAGES_PER_SEND_MAX) {
      const part = occurrences.slice(at, at + MESSAGES_PER_SEND_MAX);
      await env.TRIGGERS.sendBatch(part.map((body) => ({ body })));
    }
  } catch (error) {
    logError("occurrences could not be announced; the sweep announces them again", error, {
      count: occurrences.length,
    });
  }
}
