import { accessSync, constants, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

/** The folder of Linux whose files are in memory. */
const MEMORY = "/dev/shm";
/** The free bytes that it must have. The tests of a run hold less than a tenth of them at once. */
const BYTES_MIN = 2_000_000_000;

/** Projects whose data is small. They wait for many small writes, each of which takes milliseconds on a disk, and none in memory. */
const IN_MEMORY: ReadonlySet<string> = new Set(["contract", "e2e"]);

/** Makes a temporary folder for the state folders of tests. The returned function removes it after the last test. */
export function setup({ name }: TestProject): () => void {
  const parent = IN_MEMORY.has(name) && hasRoom(MEMORY) ? MEMORY : tmpdir();
  const folder = mkdtempSync(join(parent, "florin-test-"));
  process.env["TMPDIR"] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** Whether a folder is there, can be written to, and has room for the data of tests. Many containers have a small one. */
function hasRoom(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= BYTES_MIN;
  } catch {
    return false;
  }
}
