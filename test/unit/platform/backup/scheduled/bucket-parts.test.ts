import { randomBytes } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { bucketParts } from "#platform/backup/scheduled/bucket-parts.ts";
import { KnownFiles } from "#platform/backup/scheduled/known-files.ts";
import { KeptBackups, uuidOf } from "#test/support/platform/backup/kept-backups.ts";
import { MemoryBucket } from "#test/support/platform/backup/memory-bucket.ts";

async function opened(): Promise<KeptBackups> {
  const backups = await new KeptBackups().open(1);
  onTestFinished(() => backups.close());
  return backups;
}

/** A folder of parts in an empty bucket. */
async function emptyFolder() {
  const bucket = new MemoryBucket();
  const { sql } = await opened();
  return { bucket, folder: bucketParts(bucket, new KnownFiles(sql, bucket), uuidOf(1)) };
}

const TEXT = randomBytes(1_300_000).toString("hex");

/** Writes a text of 2.6 MB in chunks, and completes the file. */
async function write(
  { begin }: Awaited<ReturnType<typeof emptyFolder>>["folder"],
  chunkSizes: readonly number[],
) {
  const file = begin("log.partial");
  const bytes = Buffer.from(TEXT);
  for (let from = 0, turn = 0; from < bytes.length; turn++) {
    const size = chunkSizes[turn % chunkSizes.length] ?? bytes.length;
    await file.write(bytes.subarray(from, from + size));
    from += size;
  }
  return file.close("log-1-9.jsonl.gz");
}

test("the same text is the same file, in whatever chunks it comes", async () => {
  const { bucket, folder } = await emptyFolder();
  const whole = await write(folder, [TEXT.length]);
  const [stored] = bucket.files.values();
  expect(gunzipSync(stored?.bytes ?? "").toString()).toBe(TEXT);
  for (const sizes of [[16_384], [65_536], [999_999, 2], [1_000_000], [7, 1_500_000]]) {
    expect(await write((await emptyFolder()).folder, sizes)).toEqual(whole);
  }
});

test("a file that is there with the same bytes is left alone, and one with others is replaced", async () => {
  const { bucket, folder } = await emptyFolder();
  const described = await write(folder, [65_536]);
  const [[key, first] = ["", undefined]] = bucket.files;
  expect(await write(folder, [16_384])).toEqual(described);
  expect(bucket.files.get(key)).toBe(first);
  bucket.files.set(key, { bytes: Buffer.from("half"), etag: "left" });
  expect(await write(folder, [16_384])).toEqual(described);
  expect(bucket.files.get(key)?.bytes).toEqual(first?.bytes);
});

test("a file that somebody else replaces meanwhile is not overwritten", async () => {
  const { bucket, folder } = await emptyFolder();
  const key = `ledgers/${uuidOf(1)}/log-1-9.jsonl.gz`;
  bucket.files.set(key, { bytes: Buffer.from("left"), etag: "left" });
  let gets = 0;
  bucket.around = async (operation) => {
    if (operation === "get" && ++gets === 2)
      bucket.files.set(key, { bytes: Buffer.from("other"), etag: "other" });
  };
  await expect(write(folder, [65_536])).rejects.toThrow("was changed while it was written");
  expect(Buffer.from(bucket.files.get(key)?.bytes ?? []).toString()).toBe("other");
});

test.each([1, 2, 3])(
  "no file of a part is written twice where the answer to put %i of the list is lost",
  async (lost) => {
    const backups = await opened();
    backups.pay(2500);
    const written = new Map<string, number>();
    let [puts, seen] = [0, 0];
    backups.bucket.around = async (operation, key) => {
      const isAfter = ++seen % 2 === 0;
      if (!isAfter || !operation.startsWith("put") || !key.startsWith("ledgers/")) return;
      if (!key.endsWith("/parts.jsonl")) written.set(key, (written.get(key) ?? 0) + 1);
      else if (++puts === lost) throw new Error("no answer");
    };
    await backups.day(0);
    expect(backups.keeper().state).toMatchObject({ last: { lacks: 0 }, failure: undefined });
    expect(written.size).toBe(6);
    expect(new Set(written.values())).toEqual(new Set([1]));
    expect(await backups.verify()).toEqual([]);
  },
);
