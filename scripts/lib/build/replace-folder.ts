import { existsSync, renameSync, rmSync } from "node:fs";

/** Replaces a folder by another one, so that the folder is never incomplete. */
export function replaceFolder(folder: string, fresh: string): void {
  const old = `${fresh}-old`;
  if (existsSync(folder)) renameSync(folder, old);
  renameSync(fresh, folder);
  rmSync(old, { recursive: true, force: true });
}
