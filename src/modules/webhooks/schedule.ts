import type { DeliveryMessage } from "#platform/events/messages.ts";
import { logError } from "#platform/log.ts";
import { armClock } from "#platform/objects/deployment-clock.ts";
import { type Clock, type Timestamp, toMillis } from "#platform/time.ts";

/** What triggers an attempt: a message, which can be lost, and a durable alarm, which cannot. */
export interface SchedulePorts {
  readonly send: (messages: readonly MessageSendRequest<DeliveryMessage>[]) => Promise<void>;
  /** Makes sure that the sweep runs at that time, in milliseconds since the epoch, or before. */
  readonly armClock: (atMs: number) => Promise<void>;
}

export interface DueDelivery {
  readonly id: string;
  readonly nextAttemptAt: Timestamp;
}

/** How long after its due time a pending delivery counts as forgotten, because its message was lost. */
export const OVERDUE_AFTER_MS = 15_000;
/** How long a claim lasts: more than twice as long as a batch, which starts calls for 10 s, each of 30 s at most. */
export const CLAIM_MS_MAX = 90_000;

/** Longest delay of a message, in seconds; a limit of the platform. */
const DELAY_SECONDS_MAX = 24 * 3600;
/** Most messages that are sent in one call; a limit of the platform. */
const MESSAGES_PER_SEND_MAX = 100;

/** The queue and the clock of a deployment. */
export const platformPorts = (env: Pick<Env, "DELIVERIES" | "CLOCK">): SchedulePorts => ({
  send: async (messages) => {
    await env.DELIVERIES.sendBatch(messages);
  },
  armClock: (atMs) => armClock(env, atMs),
});

/** Plans attempts. `arm` guarantees that they happen, and `announce` that they happen on time. */
export class Schedule {
  readonly #ports: SchedulePorts;
  readonly #clock: Clock;

  constructor(ports: SchedulePorts, clock: Clock) {
    this.#ports = ports;
    this.#clock = clock;
  }

  /** Lets the sweep look after deliveries that are due at `dueAt` or later. */
  async arm(dueAt: Timestamp): Promise<void> {
    await this.#ports.armClock(toMillis(dueAt) + OVERDUE_AFTER_MS);
  }

  /**
   * Sends a message for each delivery, which arrives when the delivery is due. If sending fails, the sweep does it
   * later.
   */
  async announce(due: readonly DueDelivery[]): Promise<void> {
    const nowMs = toMillis(this.#clock());
    const messages = due
      .map(({ id, nextAttemptAt }) => ({
        body: { deliveryId: id },
        // Rounded up, as a message that comes too early finds nothing to do.
        delaySeconds: Math.max(0, Math.ceil((toMillis(nextAttemptAt) - nowMs) / 1000)),
      }))
      .filter(({ delaySeconds }) => delaySeconds <= DELAY_SECONDS_MAX);
    try {
      for (let index = 0; index < messages.length; index += MESSAGES_PER_SEND_MAX) {
        await this.#ports.send(messages.slice(index, index + MESSAGES_PER_SEND_MAX));
      }
    } catch (error) {
      logError("messages for deliveries could not be sent", error, { count: messages.length });
    }
  }
}
