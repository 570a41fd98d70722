/**
 * The names of a backup's folders and files, in a directory or as the keys of a bucket:
 *
 *     ledgers/<uuid>/     parts of a ledger's log, to which each run adds
 *     files/<ab>/<abcd…>  files that objects keep, by the SHA-256 of their bytes
 *     snapshots/<number>-<time>/   everything else, as of one run; its manifest says which parts of ledgers belong to it
 */
export const SNAPSHOTS = "snapshots";
export const LEDGERS = "ledgers";
export const FILES = "files";
/** The folders and files of a snapshot. */
export const DATABASE = "database";
export const OBJECTS = "objects";
export const KEYS = "keys.json";

/** The names of snapshots: their number, and the time at which they began. Other entries of the folder are none of the backup's. */
const SNAPSHOT = /^(\d{6})-\d{4}-\d\d-\d\dT[\d-]{8}\.\d{3}Z$/;

/** Those of some names that are snapshots', in the order in which they were made, whatever clocks said. */
export const snapshotsAmong = (names: readonly string[]): string[] =>
  names.filter((name) => SNAPSHOT.test(name)).toSorted();

/** The name of a snapshot that begins now, as an ISO 8601 time: it comes after all others. */
export function nameOfNext(snapshots: readonly string[], began: string): string {
  const [, last = "0"] = SNAPSHOT.exec(snapshots.at(-1) ?? "") ?? [];
  return `${String(Number(last) + 1).padStart(6, "0")}-${began.replaceAll(":", "-")}`;
}

/** The file of a table, or of the objects of a class. */
export const fileOf = (name: string): string => `${name}.jsonl.gz`;

/** Where a file that an object keeps is in a backup, by the SHA-256 of its bytes in lower-case hexadecimal digits. */
export const pathOfBytes = (sha256: string): string => `${FILES}/${sha256.slice(0, 2)}/${sha256}`;
