/** Time for which work continues before it yields, in milliseconds. */
const STRETCH_MS = 10;

/**
 * Most reads of sockets before work continues, and the time below which a read had little to do, in milliseconds. A read serves up to 61
 * connections, and a request needs several reads until it is answered.
 */
const READINGS_MAX = 4;
const QUICK_MS = 3;

/** Time of the runtime's last known read of its sockets and timers, in milliseconds since the epoch. */
let lastReadMs = 0;

/**
 * Lets the runtime read requests between two steps of concurrent work. The local runtime has one thread for all objects, and reads its
 * sockets and timers only when no promise is ready: chains of steps block all other work as long as one chain has a step. If the last read
 * is some time ago, each chain waits here for a timer, so that the thread becomes idle and reads:
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

/** The longest rest, in milliseconds, also after a step of the clock. */
const REST_MS_MAX = 100;

/**
 * Does a piece of long work, and rests for a share of the time that the piece took. A request takes several reads of sockets until it is
 * answered; the rest leaves time for several reads in a row.
 */
export async function runWithRests<T>(share: number, work: () => Promise<T>): Promise<T> {
  const startMs = Date.now();
  const result = await work();
  await pause(Math.min(REST_MS_MAX, Math.max(0, (Date.now() - startMs) * share)));
  return result;
}

/** A burst: the least number of requests between two checks, and the reads of sockets between two checks. */
const BURST_MIN = 16;
const READINGS_BETWEEN = 24;
/** The longest wait for the end of a burst, in milliseconds. */
const BURST_WAIT_MS = 2000;

/** Requests that this isolate has received. */
let arrivals = 0;

export function countRequest(): void {
  arrivals++;
}

/**
 * Waits until requests no longer come in a burst, for two seconds at most; long work calls it before it begins. The runtime reads some
 * sockets at a time, in the order of the requests, and the next sockets when the work for the last ones waits. Small requests of a burst
 * are therefore answered before the long work that came with them:
 *
 *     requests   s L s L s s L s
 *     thread     s s s s s (calm) L L L
 */
export async function waitForLull(): Promise<void> {
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
