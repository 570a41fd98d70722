import { logError } from "#platform/log.ts";

/** A row of the catalogue that stands for work. */
export interface WorkRow {
  readonly id: number;
  readonly name: string;
}

/** A work that is recorded row by row. */
export interface Work<T extends WorkRow> {
  /** The next rows that are still to be worked on, beyond the last one that was read. */
  readonly list: (after: number | undefined, limit: number) => Promise<T[]>;
  /** The work on one row. It may have been done before. */
  readonly run: (row: T) => Promise<void>;
  /** Records that rows are done. */
  readonly markDone: (rows: readonly T[]) => Promise<void>;
}

export interface WorkLimits {
  /** Most rows: the platform limits the calls of one invocation. */
  readonly rowsMax: number;
  /** Nothing is begun or waited for beyond this time, in milliseconds since the epoch. */
  readonly untilMs: number;
}

/** What came of it. `isLeft` tells that there may be more to do. */
export interface WorkResult {
  readonly done: number;
  readonly failed: number;
  readonly isLeft: boolean;
}

/** Longest wait for one row, in milliseconds: its work may go on, and is begun again by the next one. */
const ROW_MS_MAX = 3000;
/** Calls under way at once. */
const LANES = 32;
/** Rows that are read, and recorded as done, together. */
const CHUNK_ROWS = 100;

/**
 * Works on rows, many at once, chunk by chunk. Whatever interrupts it, the rows that are not recorded as done are there
 * for the next one. A row that fails holds up no other.
 */
export async function fanOut<T extends WorkRow>(
  work: Work<T>,
  limits: WorkLimits,
): Promise<WorkResult> {
  const { rowsMax, untilMs } = limits;
  let [done, failed] = [0, 0];
  let after: number | undefined;
  while (done + failed < rowsMax && Date.now() < untilMs) {
    const limit = Math.min(CHUNK_ROWS, rowsMax - done - failed);
    const rows = await work.list(after, limit);
    const chunk = await runAll(rows, work, untilMs);
    await work.markDone(chunk.done);
    done += chunk.done.length;
    failed += chunk.failed;
    after = rows.at(-1)?.id;
    const isWhole = chunk.done.length + chunk.failed === rows.length;
    if (isWhole && rows.length < limit) return { done, failed, isLeft: failed > 0 };
  }
  return { done, failed, isLeft: true };
}

async function runAll<T extends WorkRow>(
  rows: readonly T[],
  { run }: Pick<Work<T>, "run">,
  untilMs: number,
): Promise<{ done: T[]; failed: number }> {
  const waiting = rows.values();
  const done: T[] = [];
  let failed = 0;
  const lane = async (): Promise<void> => {
    for (
      let remainingMs = untilMs - Date.now();
      remainingMs > 0;
      remainingMs = untilMs - Date.now()
    ) {
      const next = waiting.next();
      if (next.done === true) return;
      try {
        await within(run(next.value), Math.min(remainingMs, ROW_MS_MAX));
        done.push(next.value);
      } catch (error) {
        failed++;
        logError("the storage of a ledger did not take a change of its bucket", error, {
          ledger: next.value.name,
        });
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return { done, failed };
}

/** Fails after a while, so that an object that hangs holds up nobody. */
async function within(work: Promise<void>, timeoutMs: number): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("no answer in time")), timeoutMs);
  try {
    await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
