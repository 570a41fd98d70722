import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Makes a temporary folder for the state folders of tests. The returned function removes it after the last test. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "florin-test-"));
  process.env["TMPDIR"] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
