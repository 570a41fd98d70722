/** A batch that records what happens to its messages. The batch of the test pool forgets the delay of a retry. */
export class FakeBatch implements MessageBatch {
  readonly acked: number[] = [];
  /** The indexes of retried messages, each with its delay in seconds. */
  readonly retried: [number, number | undefined][] = [];
  readonly metadata = { metrics: { backlogCount: 0, backlogBytes: 0 } };
  readonly queue: string;
  readonly messages: readonly Message[];

  /** Messages have their indexes as ids, behind `prefix`. */
  constructor(queue: string, bodies: readonly unknown[], { attempts = 1, prefix = "" } = {}) {
    this.queue = queue;
    this.messages = bodies.map((body, index) => ({
      id: `${prefix}${index}`,
      timestamp: new Date(),
      body,
      attempts,
      ack: () => this.acked.push(index),
      retry: (options) => this.retried.push([index, options?.delaySeconds]),
    }));
  }

  ackAll(): void {
    throw new Error("messages are acknowledged one by one");
  }

  retryAll(): void {
    throw new Error("messages are retried one by one");
  }
}
