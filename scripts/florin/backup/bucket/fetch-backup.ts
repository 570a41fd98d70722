import {
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeStream } from "node:stream/web";
import { z } from "zod";
import { FILES, LEDGERS, SNAPSHOTS, snapshotsAmong } from "#platform/backup/saving/file-names.ts";
import { MANIFEST, PlainPath } from "#platform/backup/saving/manifest.ts";
import { PARTS } from "#platform/backup/saving/part-list.ts";
import { withPatience } from "#platform/backup/saving/patience.ts";
import { stringifyJson } from "#platform/json.ts";
import type { BackupFolder } from "#scripts/florin/backup/backup-folder.ts";
import { BackupSession } from "#scripts/florin/backup/calls/backup-session.ts";
import { syncFolder } from "#scripts/florin/backup/sync-folder.ts";
import { type Api, UnclearError } from "#scripts/lib/api.ts";
import { OperatorError } from "#scripts/lib/project.ts";

const PATH = "/api/florin/v1/backup/bucket/files";

/** A file in the bucket. */
const FetchedFile = z.object({ key: z.string(), bytes: z.int() });
type FetchedFile = z.output<typeof FetchedFile>;

/**
 * Whether a key is the path of a file of a backup, which leads nowhere else. The names of snapshots have dots and hyphens after each other, which
 * `PlainPath` does not allow.
 */
function isPlain({ key }: FetchedFile): boolean {
  const [top = "", folder = "", ...rest] = key.split("/");
  const isFolder = /^[\w][\w.-]*$/.test(folder) && !folder.includes("..");
  return (
    [FILES, LEDGERS, SNAPSHOTS].includes(top) &&
    isFolder &&
    PlainPath.safeParse(rest.join("/")).success
  );
}

const Listed = z.object({
  data: z.object({ files: z.array(FetchedFile), next: z.string().optional() }),
});

/** A backup that was fetched. */
export interface FetchedBackup {
  readonly snapshot: string;
  readonly files: number;
  readonly bytes: number;
}

/**
 * Fetches a snapshot from the bucket of a deployment into a folder, the last one by default, with the parts of logs and the files of objects. Files
 * that the folder has are not fetched again, so that the next run fetches what is new. Files that somebody else has put into the bucket are named
 * and left out. The manifest comes last. Throws `OperatorError` where
 * the folder has other parts of a log than the bucket.
 */
export async function fetchBackup(
  api: Api,
  folder: BackupFolder,
  {
    snapshot,
    note,
  }: { readonly snapshot: string | undefined; readonly note: (line: string) => void },
): Promise<FetchedBackup> {
  using _lock = folder.lock();
  const session = await BackupSession.begin(api);
  const listed = await listFiles(session);
  const files = listed.filter(isPlain);
  for (const stray of listed)
    if (!isPlain(stray)) note(`  no file of a backup, left out: ${stringifyJson(stray.key)}`);
  const wanted = chosen(files, snapshot);
  const prefix = `${SNAPSHOTS}/${wanted}/`;
  const own = files.filter(({ key }) => key.startsWith(prefix));
  const logs = files.filter(({ key }) => key.startsWith(`${LEDGERS}/`));
  // A list of parts comes behind its parts, and the manifest behind everything.
  const ordered = [
    ...files.filter(({ key }) => key.startsWith(`${FILES}/`)),
    ...logs.filter(({ key }) => !key.endsWith(`/${PARTS}`)),
    ...logs.filter(({ key }) => key.endsWith(`/${PARTS}`)),
    ...own.toSorted((a, b) => Number(isManifest(a)) - Number(isManifest(b))),
  ];
  let [count, bytes] = [0, 0];
  for (const file of ordered) {
    if (!(await fetchFile(session, folder.path, file))) continue;
    count++;
    bytes += file.bytes;
    if (count % 100 === 0) note(`  ${count} files, ${bytes} bytes`);
  }
  return { snapshot: wanted, files: count, bytes };
}

const isManifest = ({ key }: FetchedFile): boolean =>
  key.split("/").length === 3 && key.endsWith(`/${MANIFEST}`);

async function listFiles(session: BackupSession): Promise<FetchedFile[]> {
  const files: FetchedFile[] = [];
  let cursor: string | undefined;
  do {
    const query = { cursor };
    const request = { method: "GET", path: PATH, query, answer: Listed } as const;
    const { data } = await withPatience(() => session.call(request));
    files.push(...data.files);
    cursor = data.next;
  } while (cursor !== undefined);
  return files;
}

/** The name of the snapshot that is fetched. */
function chosen(files: readonly FetchedFile[], snapshot: string | undefined): string {
  const names = files.filter(isManifest).map(({ key }) => key.split("/")[1] ?? "");
  const complete = snapshotsAmong(names);
  const name = snapshot ?? complete.at(-1);
  if (name !== undefined && complete.includes(name)) return name;
  throw new OperatorError(
    `The bucket has no ${snapshot === undefined ? "complete backup" : `complete snapshot ${snapshot}`}.`,
  );
}

/** Fetches a file unless it is there, and says whether it did. */
async function fetchFile(
  session: BackupSession,
  root: string,
  { key, bytes }: FetchedFile,
): Promise<boolean> {
  const path = join(root, key);
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === bytes) return false;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const partial = `${path}.partial`;
  await withPatience(async () => {
    const { body } = await session.send({ method: "GET", path: `${PATH}/content`, query: { key } });
    if (body === null) throw new UnclearError(`The server sends nothing of ${key}.`);
    const output = createWriteStream(partial, { mode: 0o600, flush: true });
    // The types of Node's streams and those of the Web differ in name only.
    await pipeline(Readable.fromWeb(body as unknown as NodeStream), output).catch(
      (cause: unknown) => {
        throw new UnclearError("The server has broken off its answer.", { cause });
      },
    );
    const got = statSync(partial).size;
    // A run that is under way lengthens lists of parts.
    if (key.endsWith(`/${PARTS}`) ? got < bytes : got !== bytes)
      throw new UnclearError(`The server sends ${got} bytes of ${key}, which has ${bytes}.`);
  });
  if (size !== undefined && key.endsWith(`/${PARTS}`)) assertLonger(path, partial);
  renameSync(partial, path);
  syncFolder(dirname(path));
  return true;
}

/** Throws `OperatorError` unless the list of parts in the folder is the beginning of the fetched one. */
function assertLonger(path: string, fetched: string): void {
  if (!existsSync(path) || readFileSync(fetched, "utf8").startsWith(readFileSync(path, "utf8")))
    return;
  throw new OperatorError(
    `${path} is not the beginning of the list in the bucket: the folder has another backup. Fetch into another folder.`,
  );
}
