import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ReadCase } from "./cases.ts";
import { ROOT } from "#scripts/lib/project.ts";

/** The times of one read inside of the process, without HTTP and RPC. */
export interface ReadFigures {
  readonly name: string;
  readonly medianMs: number;
  readonly slowestMs: number;
  /** The limit for the slowest run, in milliseconds. */
  readonly limitMs: number;
}

/**
 * Names of the reads of a whole ledger, after the single reads: copies of the log, which measure both names at once, and the verification.
 */
export const COPY_NAMES = ["export", "import"] as const;
export const VERIFICATION_NAME = "verification";

const RUNS_MAX = 20;
const RUNS_MIN = 3;
/** Time for which a read is repeated, in milliseconds, within `RUNS_MIN` and `RUNS_MAX`. */
const CASE_MS = 300;

/** The times of a ledger's reads inside of a process, and the peak memory of the process. */
export interface ReadReport {
  readonly figures: readonly ReadFigures[];
  /**
   * The rates at which log entries are exported, imported into another ledger, and verified, a second; absent if only other reads were
   * picked.
   */
  readonly exportedPerSecond?: number;
  readonly importedPerSecond?: number;
  readonly verifiedPerSecond?: number;
  readonly memoryMb: number;
}

/**
 * Measures all reads of a ledger with `size` transactions on `node:sqlite`, sequentially, in another process than the one that makes the
 * ledger.
 */
export async function measureReads({ size, reads = [] }: PickedReads): Promise<ReadReport> {
  const folder = mkdtempSync(join(tmpdir(), "florin-bench-"));
  const file = join(folder, "ledger.db");
  try {
    await runReads("fill", { root: ROOT, file, size });
    return await runReads("measure", { root: ROOT, file, size, reads });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export interface PickedReads {
  readonly size: number;
  /**
   * Texts that pick the reads whose names contain one of them; `export`, `import` and `verification` count as names. Absent or empty for
   * all reads.
   */
  readonly reads?: readonly string[];
}

interface ReadTarget extends PickedReads {
  /** The checkout whose engine is measured. */
  readonly root: string;
  /** The database of the ledger. */
  readonly file: string;
}

/** Makes a ledger, or measures its reads, in a process of its own. */
export async function runReads(
  task: "fill" | "measure",
  { root, file, size, reads = [] }: ReadTarget,
): Promise<ReadReport> {
  const args = [task, file, `${size}`, reads.join(",")];
  const child = fork(join(root, "bench/reads/process.ts"), args, { cwd: root });
  const exited = once(child, "exit");
  let report: ReadReport | undefined;
  child.on("message", (message) => {
    report = message as ReadReport; // `process.ts` sends this form.
  });
  await exited;
  if (report === undefined) throw new Error(`the process that should ${task} has failed`);
  return report;
}

/** Measures a read. The first run prepares statements and warms pages, and is not counted. */
export function measureRead({ name, limitMs, run }: ReadCase): ReadFigures {
  run();
  const timesMs: number[] = [];
  const endMs = performance.now() + CASE_MS;
  while (timesMs.length < RUNS_MIN || (timesMs.length < RUNS_MAX && performance.now() < endMs)) {
    const startMs = performance.now();
    run();
    timesMs.push(performance.now() - startMs);
  }
  timesMs.sort((a, b) => a - b);
  return {
    name,
    limitMs,
    medianMs: timesMs[Math.floor(timesMs.length / 2)] ?? 0,
    slowestMs: timesMs.at(-1) ?? 0,
  };
}
