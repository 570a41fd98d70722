import { createHash } from "node:crypto";
import type { BackupBucket, Pieces } from "./bucket.ts";
import { present } from "#platform/assert.ts";
import { chunksOf, UnclearError } from "#platform/backup/saving/calls.ts";

/** The binding of the bucket for backups, where the Worker has one; see docs/operations/scheduled-backups.md. */
export const BACKUPS_BINDING = "FLORIN_BACKUPS";

type R2 = Pick<R2Bucket, "put" | "get" | "head" | "delete" | "list">;

/** Whether a deployment has bound a bucket for backups. */
export const hasBackupBucket = (env: object): boolean => bindingOf(env) !== undefined;

/** The bucket of a deployment, whose files can be read piece by piece. */
export interface ReadableBucket extends BackupBucket {
  readonly stream: (key: string) => Promise<ReadableStream<Uint8Array> | undefined>;
}

/** The bucket that a deployment has bound; undefined for none. `count` is told of each operation that R2 charges: `A` changes or lists, `B` reads. */
export function backupBucketOf(
  env: object,
  count: (charged: "A" | "B") => void,
): ReadableBucket | undefined {
  const bucket = bindingOf(env);
  return bucket === undefined ? undefined : r2Backups(bucket, count);
}

function bindingOf(env: object): R2 | undefined {
  const binding = (env as Readonly<Record<string, unknown>>)[BACKUPS_BINDING];
  return typeof binding === "object" && binding !== null && "put" in binding && "list" in binding
    ? (binding as R2) // no other kind of binding has both
    : undefined;
}

const r2Backups = (bucket: R2, count: (charged: "A" | "B") => void): ReadableBucket => ({
  put: async (key, pieces) => {
    count("A");
    const { readable, writable } = new FixedLengthStream(pieces.bytes);
    const [put] = await Promise.all([bucket.put(key, readable), pour(pieces, writable)]);
    return present(put, "a put without a condition has an object").etag;
  },
  putStream: async (key, { bytes, sha256, body }) => {
    count("A");
    const { readable, writable } = new FixedLengthStream(bytes);
    const writer = writable.getWriter();
    const [put, poured] = await Promise.allSettled([
      // Whoever writes would wait for ever for a bucket that has refused the file before it has read all of it.
      bucket.put(key, readable, { sha256 }).catch((error: unknown) => refuse(writer, error)),
      pourChecked(body, writer, { bytes, sha256 }),
    ]);
    if (poured.status === "fulfilled" && !poured.value) return undefined;
    // Where one side has failed, the other one fails for that.
    const hasFailed = poured.status === "rejected";
    if (hasFailed && poured.reason instanceof UnclearError) throw poured.reason;
    if (put.status === "rejected") throw put.reason;
    if (hasFailed) throw poured.reason;
    return put.value.etag;
  },
  putIf: async (key, content, etag) => {
    count("A");
    const onlyIf = etag === undefined ? { etagDoesNotMatch: "*" } : { etagMatches: etag };
    const put = await bucket.put(key, content, { onlyIf }); // null where the condition does not hold
    return put?.etag;
  },
  get: async (key) => {
    count("B");
    const found = await bucket.get(key);
    if (found === null) return undefined;
    return { bytes: new Uint8Array(await found.arrayBuffer()), etag: found.etag };
  },
  stream: async (key) => {
    count("B");
    return (await bucket.get(key))?.body;
  },
  head: async (key) => {
    count("B");
    const found = await bucket.head(key);
    return found === null ? undefined : { key, bytes: found.size, etag: found.etag };
  },
  list: async (prefix, { isFolder, cursor }) => {
    count("A");
    const page = await bucket.list({
      prefix,
      ...(isFolder ? { delimiter: "/" } : {}),
      ...(cursor === undefined ? {} : { cursor }),
    });
    const files = page.objects.map(({ key, size: bytes, etag }) => ({ key, bytes, etag }));
    const found = { files, folders: page.delimitedPrefixes };
    return page.truncated ? { ...found, cursor: page.cursor } : found;
  },
  remove: (keys) => bucket.delete([...keys]),
});

async function pour({ all }: Pieces, writable: WritableStream<Uint8Array>): Promise<void> {
  const writer = writable.getWriter();
  try {
    for (const piece of all()) await writer.write(piece);
    await writer.close();
  } catch (error) {
    // Otherwise the bucket would wait for the rest.
    await writer.abort(error);
    throw error;
  }
}

/** Ends a stream because one of its sides has failed, so that the other one does not wait for it, and throws the failure. */
async function refuse(
  writer: WritableStreamDefaultWriter<Uint8Array>,
  error: unknown,
): Promise<never> {
  await writer.abort(error).catch(() => undefined);
  throw error;
}

/** Writes a stream. Returns false, and ends the stream without its last bytes, where their number or their SHA-256 is another one. */
async function pourChecked(
  body: ReadableStream<Uint8Array> | null,
  writer: WritableStreamDefaultWriter<Uint8Array>,
  { bytes, sha256 }: { readonly bytes: number; readonly sha256: string },
): Promise<boolean> {
  const hash = createHash("sha256");
  let length = 0;
  try {
    for await (const chunk of chunksOf(body)) {
      length += chunk.byteLength;
      if (length > bytes) break;
      hash.update(chunk);
      await writer.write(chunk);
    }
    if (length < bytes) throw new UnclearError(`The server sends ${length} of ${bytes} bytes.`);
    if (length > bytes || hash.digest("hex") !== sha256) {
      await writer.abort(new Error("the bytes are others"));
      return false;
    }
    await writer.close();
    return true;
  } catch (error) {
    return refuse(writer, error); // Otherwise the bucket would wait for the rest.
  }
}
