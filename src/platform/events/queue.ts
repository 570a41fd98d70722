import type { z } from "zod";
import { log, logError } from "#platform/log.ts";
import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";

/** A message that is well formed. */
export interface Received<T> {
  readonly message: Message;
  readonly body: T;
}

/** The well-formed messages of a batch. Malformed messages are acknowledged, because no repetition would repair them. */
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

/** Acknowledges messages after their work, and has them sent again if the work failed. */
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

/** Waits before a message is sent again. */
const MESSAGE_BACKOFF = doubling(1000, 300_000);
