/**
 * A request that a client repeats. `{n}` in path and body becomes the number of the repetition, `{now}` the time in milliseconds since the
 * epoch.
 */
export interface StreamRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * The times at which the requests of a stream are sent:
 * - `rate`: at fixed times, whether or not earlier requests were answered. Times count from the moment at which a request was due.
 * - `loop`: by a number of clients, each of which waits for its answer before its next request.
 * - `burst`: all at once, at the beginning. A request that is not answered at the end of the run counts as open.
 */
export type Pace =
  | { readonly kind: "rate"; readonly perSecond: number }
  | { readonly kind: "loop"; readonly clients: number }
  | { readonly kind: "burst"; readonly count: number };

/** The requests of one kind of client in a run. Streams cross a process boundary, so that they are plain data. */
export interface Stream {
  readonly name: string;
  readonly pace: Pace;
  readonly requests: readonly StreamRequest[];
  readonly headers?: Readonly<Record<string, string>>;
  /** The number of loopback addresses, from 127.0.0.2 on, that the requests come from in turn; absent for 127.0.0.1. */
  readonly addresses?: number;
}

export interface StreamResult {
  readonly name: string;
  /**
   * The number of requests by outcome: `200` for a whole answer, `200 open` or `open` if the body or the whole answer was outstanding at
   * the end of the run, `200 broken` or `broken` if the connection ended early.
   */
  readonly outcomes: Readonly<Record<string, number>>;
  /** The time of each request with a whole answer, in milliseconds. */
  readonly timesMs: readonly number[];
  readonly seconds: number;
}

export interface RunJob {
  readonly origin: string;
  readonly durationMs: number;
  readonly streams: readonly Stream[];
}

/** The sum of the outcomes whose statuses fit the pattern. */
export function countOf({ outcomes }: Pick<StreamResult, "outcomes">, pattern: RegExp): number {
  return Object.entries(outcomes)
    .filter(([outcome]) => pattern.test(outcome))
    .reduce((sum, [, count]) => sum + count, 0);
}
