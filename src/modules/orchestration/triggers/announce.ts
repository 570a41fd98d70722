import { z } from "zod";
import { logError } from "#platform/log.ts";

/** On the queue `triggers`: occurrences that have to be fired. */
export const OccurrenceMessage = z.object({ id: z.string(), trigger: z.int() });

/** An occurrence by its id, and the key of its trigger. */
export type AnnouncedOccurrence = z.output<typeof OccurrenceMessage>;

/** Most messages that are sent in one call. */
const MESSAGES_PER_SEND_MAX = 100;

/** Has occurrences fired. Never throws: if it fails, the sweep announces them. */
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
