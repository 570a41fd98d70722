import { expect, test, vi } from "vitest";
import { StorageWatch } from "#platform/objects/storage-watch.ts";

test("storage that was never full is healthy without a write", async () => {
  const tryWrite = vi.fn<() => Promise<void>>();
  await new StorageWatch(() => 0).check(tryWrite);
  expect(tryWrite).not.toHaveBeenCalled();
});

test("full storage is unhealthy until a write finds room and no other has failed for a while", async () => {
  let nowMs = 0;
  let hasRoom = false;
  const watch = new StorageWatch(() => nowMs);
  const check = () =>
    watch.check(async () => {
      if (!hasRoom) throw new Error("database or disk is full");
    });
  watch.reportFull();
  await expect(check()).rejects.toThrow("disk is full");
  nowMs += 3_600_000;
  await expect(check()).rejects.toThrow("disk is full");
  hasRoom = true;
  await expect(check()).resolves.toBeUndefined();
  hasRoom = false;
  await expect(check()).resolves.toBeUndefined();
  // One ledger may be full while the others have room.
  hasRoom = true;
  watch.reportFull();
  nowMs += 14_000;
  await expect(check()).rejects.toThrow("a moment ago");
  nowMs += 1000;
  await expect(check()).resolves.toBeUndefined();
});
