/** A request that a client sends again and again. `{n}` in path and body becomes its number, `{now}` the time in milliseconds. */
export interface StreamRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * When the requests of a stream are sent:
 * - `rate`: at fixed times, whether or not earlier requests were answered. Times count from the moment at which a request was due.
 * - `loop`: by so many clients, each of which waits for its answer.
 * - `burst`: all at once, at the beginning. A request that is not answered at the end of the run counts as open.
 */
export type Pace =
  | { readonly kind: "rate"; readonly perSecond: number }
  | { readonly kind: "loop"; readonly clients: number }
  | { readonly kind: "burst"; readonly count: number };

/** What one kind of client does during a run. Streams cross a process boundary, so they are plain data. */
export interface Stream {
  readonly name: string;
  readonly pace: Pace;
  readonly requests: readonly StreamRequest[];
  readonly headers?: Readonly<Record<string, string>>;
  /** The number of loopback addresses that the requests come from in turn: 127.0.0.2 and those after it. 127.0.0.1 without it. */
  readonly addresses?: number;
}

/** What became of the requests of a stream. */
export interface StreamResult {
  readonly name: string;
  /**
   * Number of requests by how they ended: `200` with its whole body, `200 open` or `open` where the body or the whole answer was still to
   * come at the end of the run, `200 broken` or `broken` where the connection ended before.
   */
  readonly outcomes: Readonly<Record<string, number>>;
  /** How long each request took whose whole answer came, in milliseconds. */
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
