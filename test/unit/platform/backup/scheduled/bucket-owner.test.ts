import { expect, onTestFinished, test } from "vitest";
import { claimBucket } from "#platform/backup/scheduled/bucket-owner.ts";
import { KeptBackups } from "#test/support/platform/backup/kept-backups.ts";
import { MemoryBucket } from "#test/support/platform/backup/memory-bucket.ts";

/** A deployment with a ledger of three entries, whose bucket may be that of another one. */
async function paid(bucket?: MemoryBucket): Promise<KeptBackups> {
  const backups = await new KeptBackups().open(1);
  onTestFinished(() => backups.close());
  if (bucket !== undefined) Object.assign(backups, { bucket });
  backups.pay(3);
  return backups;
}

test("a bucket that has an owner is refused to any other deployment, which changes nothing of it", async () => {
  const backups = await paid();
  for (const day of [0, 1, 2]) await backups.day(day);
  const before = [...backups.bucket.files];
  const copy = await paid(backups.bucket);
  copy.kept = 1;
  copy.pay(2);
  await copy.day(3);
  expect(copy.keeper().state).toMatchObject({ last: undefined, run: undefined });
  expect(copy.keeper().state.failure?.reason).toContain("owner.json names another owner");
  expect([...backups.bucket.files]).toEqual(before);
  backups.pay(1);
  await backups.day(4);
  expect(backups.keeper().state).toMatchObject({ last: { added: 1, lacks: 0 } });
  expect(backups.snapshots()).toHaveLength(4);
  expect(await backups.verify()).toEqual([]);
});

test("a bucket whose owner was deleted is claimed by the next deployment that saves itself into it", async () => {
  const backups = await paid();
  await backups.day(0);
  const copy = await paid(backups.bucket);
  backups.bucket.files.delete("owner.json");
  await copy.day(1);
  expect(copy.keeper().state.failure?.reason ?? "").not.toContain("owner.json");
  await backups.day(2);
  expect(backups.keeper().state.failure?.reason).toContain("owner.json names another owner");
});

test("of two deployments that claim a bucket at once, one gets it, and keeps it where an answer is lost", async () => {
  const bucket = new MemoryBucket();
  const claims = await Promise.allSettled([claimBucket(bucket, "one"), claimBucket(bucket, "two")]);
  expect(claims.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  const winner = claims[0].status === "fulfilled" ? "one" : "two";
  await claimBucket(bucket, winner);
  const other = new MemoryBucket();
  let puts = 0;
  other.around = async (operation) => {
    if (operation === "putIf" && ++puts === 2) throw new Error("no answer");
  };
  await expect(claimBucket(other, "one")).rejects.toThrow("no answer");
  await claimBucket(other, "one");
  expect(puts).toBe(2);
});

test("an owner.json that was changed is no reason to write into the bucket", async () => {
  const backups = await paid();
  backups.bucket.files.set("owner.json", { bytes: Buffer.from("{}"), etag: "changed" });
  await backups.day(0);
  expect(backups.keeper().state.failure?.reason).toContain("does not say whose backups it has");
  expect([...backups.bucket.files.keys()]).toEqual(["owner.json"]);
  backups.bucket.files.clear();
  await backups.day(1);
  expect(backups.keeper().state).toMatchObject({ last: { lacks: 0 }, failure: undefined });
});
