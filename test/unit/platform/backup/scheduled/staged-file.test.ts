import { createHash, randomBytes } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { StagedFile } from "#platform/backup/scheduled/staged-file.ts";
import { MemoryBucket } from "#test/support/platform/backup/memory-bucket.ts";
import { MemoryValues } from "#test/support/platform/backup/memory-values.ts";

test("a staged file has all texts in its members, with the hash of its bytes, and is put again after a crash", async () => {
  const values = new MemoryValues();
  const bucket = new MemoryBucket();
  // Texts that hardly compress, so that a member needs several values of the object.
  const texts = Array.from({ length: 6 }, () => `${randomBytes(900_000).toString("base64")}\n`);
  for (const text of texts) new StagedFile(values).append(text);
  new StagedFile(values).append("the end\n");
  expect(Math.max(...values.sizes())).toBeLessThanOrEqual(2_000_000);
  const described = await new StagedFile(values).close(bucket, "folder", "x.jsonl.gz");
  const bytes = bucket.files.get("folder/x.jsonl.gz")?.bytes ?? new Uint8Array();
  expect(gunzipSync(bytes).toString()).toBe([...texts, "the end\n"].join(""));
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  expect(described).toEqual({ file: "x.jsonl.gz", bytes: bytes.length, sha256 });
  expect(await new StagedFile(values).close(bucket, "folder", "x.jsonl.gz")).toEqual(described);
  new StagedFile(values).clear();
  expect(values.sizes()).toEqual([]);
});

test("a file without any text is a file of gzip", async () => {
  const bucket = new MemoryBucket();
  await new StagedFile(new MemoryValues()).close(bucket, "folder", "empty.jsonl.gz");
  const bytes = bucket.files.get("folder/empty.jsonl.gz")?.bytes ?? new Uint8Array();
  expect(gunzipSync(bytes)).toHaveLength(0);
});
