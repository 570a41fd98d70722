import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Makes a temporary folder for tests that leave state folders behind, and removes it after the last test. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "florin-test-"));
  process.env["TMPDIR"] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
