import { folderOf, toText } from "./database-stages.ts";
import type { WantedKeptFile } from "./run-files.ts";
import { sessionOf } from "./run-session.ts";
import type { Finish, RunAt } from "./run-state.ts";
import { RefusedCall, UnclearError } from "#platform/backup/saving/calls.ts";
import { FILES, fileOf, pathOfBytes } from "#platform/backup/saving/file-names.ts";
import { bytesCall, listKeptFiles } from "#platform/backup/saving/kept-files.ts";
import { OperatorError } from "#platform/errors.ts";

const NOT_FOUND = 404;
/** Files that are looked at in one step, where the bucket has them. */
const LOOKED_AT_MAX = 500;
/** Failures in a row after which a file is named that cannot be read: some three minutes. Further files of its object are asked for once. */
const TRIES = 4;

/** Notes which files objects keep, a page at a time. */
export async function keptFiles({ tools, facts, stage }: RunAt<"kept-files">): Promise<Finish> {
  const { reads, session } = await sessionOf(tools, facts);
  const { files, next } = await listKeptFiles(reads, stage.next);
  return () => {
    if (stage.next === undefined) tools.files.clear();
    tools.files.add(files);
    return next === undefined
      ? { stage: { name: "bytes", after: 0 }, facts: { session } }
      : { stage: { name: "kept-files", next }, facts: { session } };
  };
}

/** Saves the bytes of the next file that the bucket does not have; behind the last one, their list. */
export async function bytes({ tools, facts, stage }: RunAt<"bytes">): Promise<Finish> {
  const next = tools.files.next(stage.after, LOOKED_AT_MAX);
  if (next.length === 0) return () => ({ stage: { name: "file-list", after: 0 } });
  const there = next.findIndex(
    ({ file }) => tools.known.sizeOf(pathOfBytes(file.sha256)) !== file.bytes,
  );
  const known = there === -1 ? next : next.slice(0, there);
  const last = known.at(-1);
  if (last !== undefined) {
    return () => {
      for (const { number } of known) tools.files.note(number, "saved");
      return { stage: { name: "bytes", after: last.number } };
    };
  }
  const [wanted] = next;
  if (wanted === undefined) throw new Error("a file that is not known is there");
  return saveFile({ tools, facts, stage }, wanted);
}

/** Throws where the file is to be read again, and where the server does not answer at all. */
async function saveFile(
  { tools, facts }: RunAt<"bytes">,
  { number, file }: WantedKeptFile,
): Promise<Finish> {
  const { reads, session } = await sessionOf(tools, facts);
  const over = { stage: { name: "bytes", after: number }, facts: { session } } as const;
  const key = pathOfBytes(file.sha256);
  try {
    const answer = await reads.send(bytesCall(file));
    const body = answer.body as ReadableStream<Uint8Array> | null; // Bodies are streams of bytes.
    const etag = await putBytes(tools, { key, file, body });
    return () => {
      tools.known.note({ key, bytes: file.bytes, etag });
      tools.files.note(number, "saved");
      return over;
    };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    if (error instanceof RefusedCall && error.status === NOT_FOUND) {
      await listKeptFiles(reads); // A server that does not know the backup either refuses all files.
      return () => {
        tools.files.note(number, "gone");
        return over;
      };
    }
    if (tools.failures < TRIES && !tools.files.isSick(file)) throw error;
    await listKeptFiles(reads); // A server that does not answer this either is not one with a sick object.
    return () => {
      tools.files.note(number, { reason: error.message });
      return over;
    };
  }
}

/** Puts the bytes, and returns the ETag. Throws `OperatorError` where they are not those of the file: nothing is in the bucket then. */
async function putBytes(
  { bucket }: RunAt<"bytes">["tools"],
  {
    key,
    file: { bytes: length, sha256 },
    body,
  }: {
    readonly key: string;
    readonly file: WantedKeptFile["file"];
    readonly body: ReadableStream<Uint8Array> | null;
  },
): Promise<string> {
  const etag = await bucket.putStream(key, { bytes: length, sha256, body });
  if (etag !== undefined) return etag;
  throw new UnclearError("The server sends other bytes than those that were uploaded.");
}

/** Writes the next lines of the list of files, or puts it when all are written. */
export async function fileList({ tools, facts, stage }: RunAt<"file-list">): Promise<Finish> {
  const { lines, last } = tools.files.lines(stage.after);
  if (last !== undefined) {
    return () => {
      tools.staged.append(toText(lines));
      return { stage: { name: "file-list", after: last } };
    };
  }
  const described = await tools.staged.close(tools.bucket, folderOf(facts), fileOf(FILES));
  const objects = new Date(tools.nowMs()).toISOString();
  return () => {
    tools.staged.clear();
    return {
      stage: { name: "places" },
      facts: {
        files: { ...described, ...tools.files.counts() },
        moments: { ...facts.moments, objects },
      },
    };
  };
}
