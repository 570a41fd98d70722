import { describe, expect, test } from "vitest";
import { KeyCache } from "#modules/auth/keys/key-cache.ts";

const MINUTE_MS = 60_000;
const PAUSE_MS = 30_000;

/** A stand-in for a key, which the cache does not read. */
const keyNamed = (name: string) => ({ name }) as unknown as CryptoKey;

class Issuer {
  keys: readonly (string | undefined)[] = ["a"];
  isDown = false;
  loads = 0;
  nowMs = Date.UTC(2026, 0, 1);
  readonly cache = new KeyCache({
    issuer: "https://issuer.example",
    load: async () => {
      this.loads++;
      if (this.isDown) throw new Error("down");
      return this.keys.map((kid) =>
        kid === undefined ? { key: keyNamed("nameless") } : { kid, key: keyNamed(kid) },
      );
    },
    nowMs: () => this.nowMs,
    pauseMs: PAUSE_MS,
  });
}

describe("the keys of an issuer", () => {
  test("the keys of an issuer are loaded once and found by id", async () => {
    const issuer = new Issuer();
    expect(await issuer.cache.find("a")).toEqual({ name: "a" });
    issuer.nowMs += MINUTE_MS;
    expect(await issuer.cache.find("a")).toEqual({ name: "a" });
    expect(issuer.loads).toBe(1);
  });

  test("the keys of an issuer are found without an id where there is one only, which may have none either", async () => {
    const issuer = new Issuer();
    expect(await issuer.cache.find(undefined)).toEqual({ name: "a" });
    issuer.keys = ["a", undefined];
    issuer.nowMs += 11 * MINUTE_MS;
    expect(await issuer.cache.find(undefined)).toBeUndefined();
    expect(await issuer.cache.find("a")).toEqual({ name: "a" });
    issuer.keys = [undefined];
    issuer.nowMs += PAUSE_MS;
    expect(await issuer.cache.find(undefined)).toEqual({ name: "nameless" });
    expect(await issuer.cache.find("a")).toBeUndefined();
  });

  test("the keys of an issuer are loaded again for an unknown id, but not for each", async () => {
    const issuer = new Issuer();
    await issuer.cache.find("a");
    issuer.keys = ["a", "b"];
    expect(await issuer.cache.find("b")).toBeUndefined();
    issuer.nowMs += PAUSE_MS;
    expect(await issuer.cache.find("b")).toEqual({ name: "b" });
    for (let guess = 0; guess < 100; guess++) {
      expect(await issuer.cache.find(`guess ${guess}`)).toBeUndefined();
    }
    expect(issuer.loads).toBe(2);
  });

  test("the keys of an issuer are loaded again when they are old, so that a withdrawn key is no longer found", async () => {
    const issuer = new Issuer();
    await issuer.cache.find("a");
    issuer.keys = ["b"];
    issuer.nowMs += 9 * MINUTE_MS;
    expect(await issuer.cache.find("a")).toEqual({ name: "a" });
    issuer.nowMs += MINUTE_MS;
    expect(await issuer.cache.find("a")).toBeUndefined();
    expect(await issuer.cache.find("b")).toEqual({ name: "b" });
  });

  test("the keys of an issuer are loaded again after the clock was set back, and for an unknown id then", async () => {
    const issuer = new Issuer();
    await issuer.cache.find("a");
    issuer.keys = ["b"];
    issuer.nowMs -= 60 * MINUTE_MS;
    expect(await issuer.cache.find("b")).toEqual({ name: "b" });
    expect(await issuer.cache.find("a")).toBeUndefined();
  });

  test("the keys of an issuer are not looked for by all tokens at once while the issuer takes its time", async () => {
    let answer = (): void => undefined;
    let loads = 0;
    let nowMs = 0;
    const cache = new KeyCache({
      issuer: "https://issuer.example",
      load: async () => {
        loads++;
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
        return [{ kid: "a", key: keyNamed("a") }];
      },
      nowMs: () => nowMs,
      pauseMs: PAUSE_MS,
      loadsMax: 3,
    });
    const guesses = Array.from({ length: 10 }, (_, at) => cache.find(`guess ${at}`));
    const outcomes = Promise.allSettled(guesses);
    expect(loads).toBe(3);
    // A request that was cancelled never says that its load is over.
    nowMs += MINUTE_MS;
    const found = cache.find("a");
    expect(loads).toBe(4);
    answer();
    expect(await found).toEqual({ name: "a" });
    expect(await cache.find("a")).toEqual({ name: "a" });
    expect(loads).toBe(4);
    void outcomes;
  });

  test("the keys of an issuer are those of the load that was begun last, whichever is answered last", async () => {
    const answers: ((kids: readonly string[]) => void)[] = [];
    const cache = new KeyCache({
      issuer: "https://issuer.example",
      load: async () => {
        const kids = await new Promise<readonly string[]>((resolve) => answers.push(resolve));
        return kids.map((kid) => ({ kid, key: keyNamed(kid) }));
      },
      nowMs: () => 0,
      pauseMs: PAUSE_MS,
    });
    const [early, late] = [cache.find("old"), cache.find("new")];
    answers[1]?.(["new", "old"]);
    expect(await late).toEqual({ name: "new" });
    answers[0]?.(["old"]);
    expect(await early).toEqual({ name: "old" });
    expect(await cache.find("new")).toEqual({ name: "new" });
  });

  test("the keys of an issuer stay in use while one request waits for an issuer who hangs", async () => {
    let loads = 0;
    let nowMs = 0;
    const cache = new KeyCache({
      issuer: "https://issuer.example",
      load: async () => {
        if (loads++ > 0) await new Promise(() => undefined);
        return [{ kid: "a", key: keyNamed("a") }];
      },
      nowMs: () => nowMs,
      pauseMs: PAUSE_MS,
    });
    await cache.find("a");
    nowMs += 11 * MINUTE_MS;
    void cache.find("a"); // the request waits for ever
    for (let request = 0; request < 100; request++) {
      expect(await cache.find("a")).toEqual({ name: "a" });
    }
    expect(loads).toBe(2);
    // After a while, one request asks the issuer again.
    nowMs += MINUTE_MS;
    void cache.find("a");
    expect(await cache.find("a")).toEqual({ name: "a" });
    expect(loads).toBe(3);
  });

  test("the keys of an issuer stay in use while the issuer is down, which is not asked again for a while", async () => {
    const issuer = new Issuer();
    await issuer.cache.find("a");
    issuer.isDown = true;
    issuer.nowMs += 60 * MINUTE_MS;
    expect(await issuer.cache.find("a")).toEqual({ name: "a" });
    expect(await issuer.cache.find("a")).toEqual({ name: "a" });
    expect(issuer.loads).toBe(2);
  });

  test("the keys of an issuer can't be found before they were ever loaded, until the issuer is back", async () => {
    const issuer = new Issuer();
    issuer.isDown = true;
    await expect(issuer.cache.find("a")).rejects.toThrow("down");
    issuer.isDown = false;
    await expect(issuer.cache.find("a")).rejects.toThrow("down");
    expect(issuer.loads).toBe(1);
    issuer.nowMs += PAUSE_MS;
    expect(await issuer.cache.find("a")).toEqual({ name: "a" });
  });
});
