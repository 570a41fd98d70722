import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Files of a state folder that exist only while a server uses it. */
const OF_A_SERVER = [
  "client-secret",
  "lock.sqlite",
  "lock.sqlite-journal",
  "runtime.json",
  "server.json",
  "tmp",
];

/**
 * Packs an unused state folder into a compressed archive. The archive does not depend on the machine, because the runtime names files by
 * hashes of names. A checkpoint moves the write-ahead logs of SQLite into the databases.
 */
export function packState(folder: string, archive: string): void {
  for (const name of OF_A_SERVER) rmSync(join(folder, name), { recursive: true, force: true });
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  for (const file of files.filter((name) => name.endsWith(".sqlite"))) {
    const database = new DatabaseSync(join(folder, file));
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    database.close(); // SQLite removes the log with the last connection.
  }
  // Sorted names and fixed owners make archives of equal states equal.
  execFileSync("tar", [
    "--sort=name",
    "--owner=0",
    "--group=0",
    "-C",
    folder,
    "-czf",
    archive,
    ".",
  ]);
}

/** Unpacks an archive into a new folder. */
export function unpackState(archive: string, folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  execFileSync("tar", ["-C", folder, "-xzf", archive]);
}
