import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** What a state folder has only while a server uses it. */
const OF_A_SERVER = ["lock.sqlite", "lock.sqlite-journal", "runtime.json", "server.json", "tmp"];

/**
 * Packs a state folder, which no server uses, into a compressed archive. Nothing in it depends on the machine: the runtime names files by
 * hashes of names. What SQLite keeps beside its databases is moved into them, and left-over pages are given back.
 */
export function packState(folder: string, archive: string): void {
  for (const name of OF_A_SERVER) rmSync(join(folder, name), { recursive: true, force: true });
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  for (const file of files.filter((name) => name.endsWith(".sqlite"))) {
    const database = new DatabaseSync(join(folder, file));
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    database.close(); // which removes the files beside it
  }
  // The order of names and the missing of owners make archives of the same state alike.
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

/** Unpacks an archive into a folder, which is made. */
export function unpackState(archive: string, folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  execFileSync("tar", ["-C", folder, "-xzf", archive]);
}
