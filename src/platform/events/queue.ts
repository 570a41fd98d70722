import type { z } from "zod";
import { log, logError } from "#platform/log.ts";
import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";

/** A message that is well formed. */
export interface Received<T> {
  readonly message: Message;
  readonly body: T;
}

/** What happens to malformed messages, which no repetition would repair. */
type OnMalformed = (message: Message) => void;

/** The well-formed messages of a batch. By default, malformed messages are acknowledged. */
export function parseMessages<T>(
  batch: MessageBatch,
  schema: z.ZodType<T>,
  onMalformed: OnMalformed = (message) => drop(batch.queue, message),
): Received<T>[] {
  const received: Received<T>[] = [];
  for (const message of batch.messages) {
    const parsed = schema.safeParse(message.body);
    if (parsed.success) {
      received.push({ message, body: parsed.data });
    } else {
      onMalformed(message);
    }
  }
  return received;
}

function drop(queue: string, message: Message): void {
  log("error", "malformed message dropped", { queue, messageId: message.id });
  message.ack();
}

/** Acknowledges messages after their work. If the work failed, has them sent again after `onFailure`, which never throws. */
export async function acknowledgeAfter(
  received: readonly Received<unknown>[],
  work: () => Promise<void>,
  onFailure: (messages: readonly Message[], error: unknown) => Promise<void> = async () =>
    undefined,
): Promise<void> {
  if (received.length === 0) return;
  try {
    await work();
    for (const { message } of received) message.ack();
  } catch (error) {
    logError("messages could not be handled", error, { count: received.length });
    await onFailure(
      received.map(({ message }) => message),
      error,
    );
    for (const { message } of received) {
      const waitMs = waitAfterFailures(MESSAGE_BACKOFF, message.attempts);
      message.retry({ delaySeconds: Math.ceil(waitMs / 1000) });
    }
  }
}

/** Waits before a message is sent again. */
const MESSAGE_BACKOFF = doubling(1000, 300_000);
