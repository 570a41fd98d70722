import type { z } from "zod";
import { log, logError } from "#platform/log.ts";
import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";

/** A message that is well formed. */
export interface Received<T> {
  readonly message: Message;
  readonly body: T;
}

/** The messages of a batch that are well formed. The others are acknowledged: no repetition would make them better. */
export function parseMessages<T>(batch: MessageBatch, schema: z.ZodType<T>): Received<T>[] {
  const received: Received<T>[] = [];
  for (const message of batch.messages) {
    const parsed = schema.safeParse(message.body);
    if (parsed.success) {
      received.push({ message, body: parsed.data });
    } else {
      log("error", "malformed message dropped", { queue: batch.queue, messageId: message.id });
      message.ack();
    }
  }
  return received;
}

/** Acknowledges messages when the work that they ask for is done, and has them sent again when it failed. */
export async function acknowledgeAfter(
  received: readonly Received<unknown>[],
  work: () => Promise<void>,
): Promise<void> {
  if (received.length === 0) return;
  try {
    await work();
    for (const { message } of received) message.ack();
  } catch (error) {
    logError("messages could not be handled", error, { count: received.length });
    for (const { message } of received) {
      const waitMs = waitAfterFailures(MESSAGE_BACKOFF, message.attempts);
      message.retry({ delaySeconds: Math.ceil(waitMs / 1000) });
    }
  }
}

/** When a message is sent again. */
const MESSAGE_BACKOFF = doubling(1000, 300_000);
