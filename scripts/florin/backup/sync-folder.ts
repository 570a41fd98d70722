import { closeSync, fsyncSync, openSync } from "node:fs";

/** Makes names in a folder last that were given or changed: without this, a file that was renamed may have its old name after a loss of power. */
export function syncFolder(path: string): void {
  if (process.platform === "win32") return; // Windows opens no folders.
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
