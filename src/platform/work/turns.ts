/** How long work goes on before it lets others have their turn, in milliseconds. */
const STRETCH_MS = 10;

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
  await new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
  lastReadMs = Date.now();
}
