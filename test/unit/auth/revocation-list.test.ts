import { afterEach, describe, expect, test, vi } from "vitest";
import {
  type KnownRevocation,
  REFRESH_MS,
  RevocationList,
} from "#modules/auth/revocations/revocation-list.ts";

afterEach(() => void vi.useRealTimers());

const START_MS = Date.UTC(2026, 0, 1);
const ISSUED = START_MS / 1000;

const TOKEN = {
  clientId: "shop",
  subject: "ann",
  grantId: "grant",
  tokenId: "token",
  issuedAt: ISSUED,
};

function listOf() {
  const state = {
    nowMs: START_MS,
    rows: [] as KnownRevocation[],
    loads: [] as number[],
    fails: false,
    hangs: false,
    late: undefined as Promise<void> | undefined,
  };
  const list = new RevocationList({
    nowMs: () => state.nowMs,
    load: async (afterId) => {
      state.loads.push(afterId);
      if (state.hangs) await new Promise(() => undefined);
      await state.late;
      if (state.fails) throw new Error("the database does not answer");
      return state.rows.filter(({ id }) => id > afterId);
    },
  });
  const revoke = (kind: KnownRevocation["kind"], value: string, revokedAt = ISSUED) =>
    state.rows.push({
      id: state.rows.length + 1,
      kind,
      value,
      revokedAt,
      expiresMs: START_MS + 3_600_000,
    });
  return { list, state, revoke };
}

describe("the list of revocations", () => {
  test.each([
    ["client", "shop"],
    ["subject", "ann"],
    ["grant", "grant"],
    ["token", "token"],
  ] as const)("the revocation list knows a revoked %s after it was read", async (kind, value) => {
    const { list, revoke } = listOf();
    await list.refresh();
    revoke(kind, value);
    expect(list.isRevoked(TOKEN)).toBe(false);
    expect(await list.refresh()).toBe(true);
    expect(list.isRevoked(TOKEN)).toBe(true);
    expect(list.isRevoked({ ...TOKEN, ...OTHERS })).toBe(false);
  });

  const OTHERS = { clientId: "other", subject: "bob", grantId: undefined, tokenId: undefined };

  test("the list of revocations lets a client that comes back have tokens again", async () => {
    const { list, revoke } = listOf();
    revoke("client", "shop", ISSUED + 10);
    await list.refresh();
    expect(list.isRevoked({ ...TOKEN, issuedAt: ISSUED + 10 })).toBe(true);
    expect(list.isRevoked({ ...TOKEN, issuedAt: ISSUED + 11 })).toBe(false);
  });

  test("the list of revocations is read every 30 seconds, and only what is new", async () => {
    const { list, state, revoke } = listOf();
    expect(list.isDue(state.nowMs)).toBe(true);
    for (const client of ["a", "b", "c"]) revoke("client", client);
    await list.refresh();
    state.nowMs += REFRESH_MS - 1;
    expect(list.isDue(state.nowMs)).toBe(false);
    state.nowMs += 1;
    expect(list.isDue(state.nowMs)).toBe(true);
    expect(await list.refresh()).toBe(false);
    expect(state.loads).toEqual([0, 2]);
  });

  test("the list of revocations reads again what came too late", async () => {
    vi.useFakeTimers();
    const { list, state, revoke } = listOf();
    await list.refresh();
    for (const client of ["shop", "b"]) revoke("client", client);
    const late = Promise.withResolvers<void>();
    state.late = late.promise;
    const refreshing = list.refresh();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await refreshing).toBe(false);
    late.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(await list.refresh()).toBe(true);
    expect(list.isRevoked(TOKEN)).toBe(true);
  });

  test("the list of revocations begins anew where the database was taken back, and keeps what was revoked", async () => {
    const { list, state, revoke } = listOf();
    for (const client of ["a", "b", "shop"]) revoke("client", client);
    await list.refresh();
    state.rows.length = 0;
    revoke("token", "other");
    expect(await list.refresh()).toBe(true);
    expect(list.isRevoked({ ...TOKEN, clientId: "else", tokenId: "other" })).toBe(true);
    expect(list.isRevoked(TOKEN)).toBe(true);
    for (const grant of ["x", "grant"]) revoke("grant", grant);
    expect(await list.refresh()).toBe(true);
    expect(list.isRevoked({ ...TOKEN, clientId: "else" })).toBe(true);
    expect(await list.refresh()).toBe(false);
  });

  test("the list of revocations finds what has got the id of the last one that it had read", async () => {
    const { list, state, revoke } = listOf();
    for (const client of ["a", "b"]) revoke("client", client);
    await list.refresh();
    state.rows.length = 0;
    for (const client of ["shop", "d"]) revoke("client", client);
    expect(await list.refresh()).toBe(true);
    expect(list.isRevoked(TOKEN)).toBe(true);
  });

  test("the list of revocations knows of nothing new where all that it had read was purged", async () => {
    const { list, state, revoke } = listOf();
    revoke("client", "a");
    revoke("client", "shop");
    await list.refresh();
    state.rows.length = 0;
    expect(await list.refresh()).toBe(false);
    expect(await list.refresh()).toBe(false);
    expect(list.isRevoked(TOKEN)).toBe(true);
  });

  test("the list of revocations is read soon after the clock was set back", async () => {
    const { list, state } = listOf();
    await list.refresh();
    state.nowMs -= 3_600_000;
    expect(list.isDue(state.nowMs)).toBe(true);
  });

  test("the list of revocations stays in use while the database does not answer, which is asked again soon", async () => {
    const { list, state, revoke } = listOf();
    revoke("client", "shop");
    await list.refresh();
    state.fails = true;
    state.nowMs += REFRESH_MS;
    expect(await list.refresh()).toBe(false);
    expect(list.isRevoked(TOKEN)).toBe(true);
    expect(list.isDue(state.nowMs)).toBe(false);
    state.nowMs += 2000;
    expect(list.isDue(state.nowMs)).toBe(true);
  });

  test("the list of revocations stays in use while the database hangs, for which no request waits long", async () => {
    vi.useFakeTimers();
    const { list, state, revoke } = listOf();
    revoke("client", "shop");
    await list.refresh();
    state.hangs = true;
    state.nowMs += REFRESH_MS;
    const refreshed = list.refresh();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await refreshed).toBe(false);
    expect(list.isRevoked(TOKEN)).toBe(true);
  });

  test("the list of revocations lets no token pass before it was read for the first time", async () => {
    const { list, state } = listOf();
    state.fails = true;
    await expect(list.refresh()).rejects.toThrow("the database does not answer");
  });

  test("the list of revocations forgets what concerns no token any more", async () => {
    const { list, state, revoke } = listOf();
    revoke("token", "token");
    await list.refresh();
    state.nowMs += 3_600_000;
    await list.refresh();
    expect(list.isRevoked(TOKEN)).toBe(false);
  });
});
