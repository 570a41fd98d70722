import { createHash } from "node:crypto";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { present } from "#platform/assert.ts";
import { BACKUPS_BINDING, backupBucketOf } from "#platform/backup/scheduled/r2-bucket.ts";
import { backupBucket } from "#test/support/deployment/bucket-backups.ts";

const CHUNK = new Uint8Array(64 * 1024).fill(7);
const CHUNKS = 40;

/** A body of many chunks. */
const body = (chunks = CHUNKS): ReadableStream<Uint8Array> => {
  let left = chunks;
  return new ReadableStream<Uint8Array>({
    pull: (controller) => (left-- > 0 ? controller.enqueue(CHUNK) : controller.close()),
  });
};

const described = {
  bytes: CHUNK.length * CHUNKS,
  sha256: createHash("sha256")
    .update(Buffer.concat(Array.from({ length: CHUNKS }, () => CHUNK)))
    .digest("hex"),
};

test("a stream is put whose bytes are those that are described, and no other one", async () => {
  const bucket = present(
    backupBucketOf(env, () => undefined),
    "a bucket is bound",
  );
  const key = "files/streamed";
  const longer = { ...described, body: body(CHUNKS + 1) };
  expect(await bucket.putStream(key, longer)).toBeUndefined();
  const sha256 = "0".repeat(64);
  expect(await bucket.putStream(key, { ...described, sha256, body: body() })).toBeUndefined();
  const short = bucket.putStream(key, { ...described, body: body(CHUNKS - 1) });
  await expect(short).rejects.toThrow("The server sends");
  expect(await bucket.head(key)).toBeUndefined();
  expect(await bucket.putStream(key, { ...described, body: body() })).toBeDefined();
  expect(await bucket.head(key)).toMatchObject({ bytes: described.bytes });
  await backupBucket.delete(key);
});

test("a bucket that refuses a file before it has read all of it says why at once", async () => {
  const full = {
    put: () => Promise.reject(new Error("put: the bucket is full (10001)")),
    list: (options?: R2ListOptions) => backupBucket.list(options),
  };
  const found = backupBucketOf({ [BACKUPS_BINDING]: full }, () => undefined);
  const refusing = present(found, "a bucket is bound");
  const put = refusing.putStream("files/refused", { ...described, body: body() });
  await expect(put).rejects.toThrow("the bucket is full");
});
