import { beforeEach, describe, expect, test, vi } from "vitest";
import { StorageWatch } from "#platform/objects/storage-watch.ts";

test("storage that was never full is healthy without a write", async () => {
  const tryWrite = vi.fn<() => Promise<void>>();
  await new StorageWatch(() => 0).check(tryWrite);
  expect(tryWrite).not.toHaveBeenCalled();
});

describe("full storage", () => {
  let nowMs = 0;
  let watch: StorageWatch;
  const tryWrite = vi.fn<() => Promise<void>>();
  const check = () => watch.check(tryWrite);

  beforeEach(() => {
    nowMs = 3_600_000;
    tryWrite.mockReset().mockResolvedValue();
    watch = new StorageWatch(() => nowMs);
    watch.reportFull();
  });

  test("full storage is unhealthy for a while, even if there is room elsewhere", async () => {
    nowMs += 14_999;
    await expect(check()).rejects.toThrow("storage was full a moment ago");
    expect(tryWrite).not.toHaveBeenCalled();
    nowMs += 1;
    await expect(check()).resolves.toBeUndefined();
    expect(watch.isFull).toBe(false);
  });

  test("full storage is unhealthy until a write finds room", async () => {
    tryWrite.mockRejectedValue(new Error("database or disk is full"));
    for (let count = 0; count < 3; count++) {
      nowMs += 15_000;
      await expect(check()).rejects.toThrow("disk is full");
    }
    expect(watch.isFull).toBe(true);
    tryWrite.mockResolvedValue();
    nowMs += 15_000;
    await expect(check()).resolves.toBeUndefined();
    await expect(check()).resolves.toBeUndefined();
    expect(tryWrite).toHaveBeenCalledTimes(4);
  });

  test("full storage is unhealthy while a write that looks for room is under way, and only one check writes", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    tryWrite.mockReturnValue(promise);
    nowMs += 15_000;
    const first = check();
    for (let count = 0; count < 3; count++) {
      await expect(check()).rejects.toThrow("storage was full a moment ago");
    }
    expect(tryWrite).toHaveBeenCalledOnce();
    resolve();
    await first;
    await expect(check()).resolves.toBeUndefined();
  });

  test("full storage stays unhealthy where another write finds no room meanwhile", async () => {
    tryWrite.mockImplementation(async () => {
      nowMs += 10;
      watch.reportFull();
    });
    nowMs += 15_000;
    await expect(check()).resolves.toBeUndefined();
    await expect(check()).rejects.toThrow("storage was full a moment ago");
  });

  test("full storage is tried again where the machine's clock is set back", async () => {
    nowMs -= 3_600_000;
    await expect(check()).resolves.toBeUndefined();
  });
});
