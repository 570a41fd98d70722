/** How long work goes on before it lets others have their turn, in milliseconds. */
const STRETCH_MS = 10;

/**
 * How often sockets are read before work goes on, at most: a reading takes 61 of the connections that have something to do, and a request
 * needs some of them until it is answered. A reading that is over so soon, in milliseconds, had not much to do.
 */
const READINGS_MAX = 4;
const QUICK_MS = 3;

/** When the runtime has last read its sockets and timers, in milliseconds since the epoch, as far as this isolate knows. */
let lastReadMs = 0;

/**
 * Lets requests be read between two steps of work that goes on beside them. The local runtime has one thread for all objects, and reads its
 * sockets and timers only when no promise is left to go on with: chains of steps that follow each other keep everybody else waiting for
 * as long as one of them has something to do. Where the last reading is a while ago, each chain waits for a timer here, so that the
 * thread comes to its end of work and reads:
 *
 *     chain A   step ─ step ─ step ─┐ (a turn is due)             ┌─ step ─ …
 *     chain B   step ─ step ────────── step ─┐                    ├─ step ─ …
 *     thread                                 └ idle: reads sockets ┘
 */
export async function takeTurns(): Promise<void> {
  if (Math.abs(Date.now() - lastReadMs) < STRETCH_MS) return;
  await readSockets();
  lastReadMs = Date.now();
}

/** The longest rest, in milliseconds: a clock that steps makes none longer. */
const REST_MS_MAX = 100;

/**
 * Does a piece of a long work, and rests for a share of the time that it took. A request takes several readings of sockets until it is
 * answered: with a rest, few of them come between pieces of work.
 */
export async function restAfter<T>(share: number, work: () => Promise<T>): Promise<T> {
  const startMs = Date.now();
  const result = await work();
  await pause(Math.min(REST_MS_MAX, Math.max(0, (Date.now() - startMs) * share)));
  return result;
}

/** Requests come in a burst where there are so many of them between two looks, between which sockets are read so often. */
const BURST_MIN = 16;
const READINGS_BETWEEN = 24;
/** The longest wait for the end of a burst, in milliseconds. */
const BURST_WAIT_MS = 2000;

/** How many requests have come to this isolate. */
let arrivals = 0;

/** Counts a request that has come. */
export function countArrival(): void {
  arrivals++;
}

/**
 * Long work waits here until requests no longer come in a burst, for two seconds at most. Sockets are read some at a time, in the order in
 * which requests came, and the next ones once the work for the last ones waits for something. So the small requests among those that came
 * together are answered first, and are not held up by the long work of others that came in the same moment:
 *
 *     requests   s L s L s s L s
 *     thread     s s s s s (calm) L L L
 */
export async function letBurstPass(): Promise<void> {
  const sinceMs = Date.now();
  let seen = arrivals;
  await pause(0);
  while (arrivals - seen >= BURST_MIN && Math.abs(Date.now() - sinceMs) < BURST_WAIT_MS) {
    seen = arrivals;
    for (let reading = 0; reading < READINGS_BETWEEN; reading++) await pause(0);
  }
}

async function readSockets(): Promise<void> {
  for (let reading = 0; reading < READINGS_MAX; reading++) {
    const sinceMs = Date.now();
    await pause(0);
    if (Math.abs(Date.now() - sinceMs) <= QUICK_MS) return;
  }
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
