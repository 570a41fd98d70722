import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Gives tests that leave state folders behind a temporary folder of their own, and takes it away after the last one. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "florin-test-"));
  process.env["TMPDIR"] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
