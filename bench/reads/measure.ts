import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ReadCase } from "./cases.ts";
import { ROOT } from "#scripts/lib/project.ts";

/** What one read takes inside the process, without HTTP and RPC. */
export interface ReadFigures {
  readonly name: string;
  readonly medianMs: number;
  readonly slowestMs: number;
  /** The longest that the slowest run may take. */
  readonly limitMs: number;
}

/** What is read as a whole, after the single reads: the log is copied, which takes both at once, or the ledger is verified. */
export const COPY_NAMES = ["export", "import"] as const;
export const VERIFICATION_NAME = "verification";

const RUNS_MAX = 20;
const RUNS_MIN = 3;
/** How long a read is repeated, within the limits above on the number of runs. */
const CASE_MS = 300;

/** How long the reads of a ledger take inside a process, and how much memory that process used at most. */
export interface ReadReport {
  readonly figures: readonly ReadFigures[];
  /**
   * Log entries that are exported in a second, imported into another ledger, and verified. Absent where only other reads were
   * picked.
   */
  readonly exportedPerSecond?: number;
  readonly importedPerSecond?: number;
  readonly verifiedPerSecond?: number;
  readonly memoryMb: number;
}

/**
 * Measures all reads of a ledger with `size` transactions on `node:sqlite`, one after the other, in a process that has not
 * made the ledger.
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
   * Texts of which the names of the reads contain one. `export`, `import` and `verification` count as names. Without any, all are
   * measured.
   */
  readonly reads?: readonly string[];
}

interface ReadTarget extends PickedReads {
  /** The checkout whose engine is measured. */
  readonly root: string;
  /** The database of the ledger. */
  readonly file: string;
}

/** Makes a ledger, or measures the reads of one, in a process of its own. */
export async function runReads(
  task: "fill" | "measure",
  { root, file, size, reads = [] }: ReadTarget,
): Promise<ReadReport> {
  const args = [task, file, `${size}`, reads.join(",")];
  const child = fork(join(root, "bench/reads/process.ts"), args, { cwd: root });
  const exited = once(child, "exit");
  let report: ReadReport | undefined;
  child.on("message", (message) => {
    report = message as ReadReport; // as `process.ts` sends it
  });
  await exited;
  if (report === undefined) throw new Error(`the process that should ${task} has failed`);
  return report;
}

/** The first run prepares statements and warms pages; it is not counted. */
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
