import { expect, test } from "vitest";
import type { Quota } from "#modules/auth/core/quota.ts";
import { HeldTokens } from "#modules/auth/quotas/held-tokens.ts";
import { QuotaList } from "#modules/auth/quotas/quota-list.ts";

test("a quota that has not changed is the known object after the list is read again", async () => {
  const quotas: Quota[] = [{ streams: 1 }, { streams: 1 }, { streams: 2 }];
  const list = new QuotaList({
    load: async () => new Map([["a", quotas.shift() ?? {}]]),
    nowMs: () => 0,
  });
  await list.refresh();
  const first = list.find("a");
  await list.refresh();
  expect(list.find("a")).toBe(first);
  await list.refresh();
  expect(list.find("a")).toEqual({ streams: 2 });
});

test("a list that was read while its isolate changed a quota is read again", async () => {
  const loads = [
    Promise.withResolvers<Map<string, Quota>>(),
    Promise.withResolvers<Map<string, Quota>>(),
  ];
  const list = new QuotaList({
    load: async () => loads.shift()?.promise ?? new Map(),
    nowMs: () => 0,
  });
  const [first, second] = loads;
  const before = list.refresh();
  list.forget();
  first?.resolve(new Map([["a", { streams: 1 }]]));
  await before;
  expect(list.isDue(0)).toBe(true);
  const after = list.refresh();
  second?.resolve(new Map([["a", { streams: 2 }]]));
  await after;
  expect(list.isDue(0)).toBe(false);
  expect(list.find("a")).toEqual({ streams: 2 });
});

test("a refusal at a high rate is remembered for a quarter of a second, so that few requests ask", () => {
  const held = new HeldTokens({ perSecond: 1000, burst: 1000 });
  let asked = 0;
  for (let nowMs = 0; nowMs < 1000; nowMs++) {
    if (held.refusedMs(1, nowMs) > 0) continue;
    asked += 1;
    held.noteRefused(1, 1, nowMs);
  }
  expect(asked).toBe(4);
});
