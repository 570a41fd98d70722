import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Account, Volumes } from "#ledger-engine/rules/types.ts";
import { VolumeCache } from "#ledger-engine/storage/moves/volume-cache.ts";
import { type CachedAccount, AccountCache } from "#ledger-engine/storage/names/account-cache.ts";

const KEPT_MAX = 3;

/** A step of a cache, with the account `name`, which may be kept, or may have been kept before. */
const step = <T>(value: fc.Arbitrary<T>) =>
  fc.record({
    action: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom("get" as const, "set" as const) },
      { weight: 2, arbitrary: fc.constant("trim" as const) },
      { weight: 1, arbitrary: fc.constant("clear" as const) },
    ),
    name: fc.nat({ max: 6 }),
    value,
  });

/** Volumes of any size, of which some exceed 64 bits. */
const amount = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 53n }),
  fc.constantFrom(2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n, 2n ** 64n, 2n ** 200n),
);
const volumes: fc.Arbitrary<Volumes> = fc.record({ input: amount, output: amount });

test("kept volumes are those that were set last, of any size, until all are forgotten", () => {
  fc.assert(
    fc.property(fc.array(step(volumes), { maxLength: 60 }), (steps) => {
      const kept = new VolumeCache(KEPT_MAX);
      const model = new Map<number, Volumes>();
      for (const { action, name, value } of steps) {
        const [account, asset] = [2 ** 32 + (name >> 1), 1 + (name & 1)];
        if (action === "set") {
          kept.set(account, asset, value);
          model.set(name, value);
        }
        if (action === "trim") kept.trim();
        if (action === "clear") kept.clear();
        if (action === "clear" || (action === "trim" && model.size > KEPT_MAX)) model.clear();
        expect(kept.get(account, asset)).toEqual(model.get(name));
        expect(kept.has(account, asset)).toBe(model.has(name));
      }
    }),
  );
});

test("volumes that 64 bits do not hold have a limit of their own", () => {
  const kept = new VolumeCache(100, 2);
  const large = { input: 2n ** 64n, output: 1n };
  kept.set(1, 1, { input: 5n, output: 0n });
  for (const asset of [2, 3]) kept.set(1, asset, large);
  kept.trim();
  expect([1, 2, 3].map((asset) => kept.has(1, asset))).toEqual([true, true, true]);
  kept.set(1, 4, large);
  expect(kept.get(1, 4)).toEqual(large);
  kept.trim();
  expect([1, 2, 3, 4].map((asset) => kept.has(1, asset))).toEqual([false, false, false, false]);
});

const account: fc.Arbitrary<CachedAccount> = fc.record({
  id: fc.oneof(fc.nat(), fc.constant(Number.MAX_SAFE_INTEGER)),
  // Microseconds of the years 1 to 9999, some of which exceed 2^53.
  firstUsage: fc.bigInt({ min: -62_135_596_800_000_000n, max: 253_402_300_799_999_999n }),
});

test("kept accounts are those that were set last, until all are forgotten", () => {
  fc.assert(
    fc.property(fc.array(step(account), { maxLength: 60 }), (steps) => {
      const kept = new AccountCache({ accounts: KEPT_MAX, lengthMax: 1000 });
      const model = new Map<number, CachedAccount>();
      for (const { action, name, value } of steps) {
        const address = `users:${name}${name === 6 ? "\ufffd\ud800" : ""}` as Account;
        if (action === "set") {
          kept.set(address, value);
          model.set(name, value);
        }
        if (action === "trim") kept.trim();
        if (action === "clear") kept.clear();
        if (action === "clear" || (action === "trim" && model.size > KEPT_MAX)) model.clear();
        expect(kept.id(address)).toBe(model.get(name)?.id);
        for (const micros of [value.firstUsage - 1n, value.firstUsage, value.firstUsage + 1n]) {
          const isUnused = micros < (model.get(name)?.firstUsage ?? micros);
          expect(kept.isUnusedAt(address, micros)).toBe(isUnused);
        }
      }
    }),
  );
});

test("kept accounts have a limit of characters", () => {
  const kept = new AccountCache({ accounts: 100, lengthMax: 20 });
  for (const address of ["a:234567", "b:234567", "c:34"] as Account[]) {
    kept.set(address, { id: 1, firstUsage: 0n });
    kept.trim();
  }
  expect(kept.id("a:234567" as Account)).toBe(1);
  kept.set("a:234567" as Account, { id: 2, firstUsage: 0n });
  kept.trim();
  expect(kept.id("a:234567" as Account)).toBe(2);
  kept.set("d" as Account, { id: 3, firstUsage: 0n });
  expect(kept.id("d" as Account)).toBe(3);
  kept.trim();
  expect(kept.id("d" as Account)).toBeUndefined();
});

test("more accounts than the first lists hold are kept, and all of them are found", () => {
  const kept = new AccountCache();
  for (let id = 1; id <= 5000; id++) {
    kept.set(`users:${id}` as Account, { id, firstUsage: BigInt(id) * 1000n });
  }
  kept.trim();
  for (let id = 1; id <= 5000; id++) {
    const address = `users:${id}` as Account;
    const micros = BigInt(id) * 1000n;
    const isUnused = [micros - 1n, micros].map((time) => kept.isUnusedAt(address, time));
    expect([kept.id(address), ...isUnused]).toEqual([id, true, false]);
  }
  expect(kept.id("users:0" as Account)).toBeUndefined();
});
