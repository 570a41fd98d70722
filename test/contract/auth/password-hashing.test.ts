import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { type HashCaller, PasswordHashObject } from "#modules/auth/index.ts";
import { PASSWORD_THREADS_BINDING } from "#platform/secrets/password-key.ts";
import { freshName } from "#test/support/platform/api.ts";

const WORK = { password: "correct horse", salt: "c2FsdA", N: 2, r: 8, p: 3 };

/** Runs work with an object whose hashing threads the test ends, one after another. */
async function withThreads(
  use: (hashes: {
    readonly ask: (name: string, isKnown?: boolean) => void;
    readonly started: readonly string[];
    readonly settled: ReadonlyMap<string, string>;
    readonly end: (name: string) => Promise<void>;
  }) => Promise<void>,
): Promise<void> {
  const object = env.PASSWORD_HASHES.getByName(freshName("hashes"));
  await runInDurableObject(object, async (_, state) => {
    const started: string[] = [];
    const ends = new Map<string, () => void>();
    const settled = new Map<string, string>();
    const fetch = async (_url: string, { body }: { body: string }): Promise<Response> => {
      const { password } = JSON.parse(body) as typeof WORK;
      started.push(password);
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.set(password, resolve);
      await promise;
      return new Response(`key of ${password}`);
    };
    const threads = { [PASSWORD_THREADS_BINDING]: { fetch } };
    const hashes = new PasswordHashObject(state, Object.assign({ ...env }, threads));
    const settle = async (name: string, caller: HashCaller): Promise<void> => {
      const result = await hashes.derive({ ...WORK, password: name }, caller);
      settled.set(name, result.ok ? result.value : result.failure.kind);
    };
    const ask = (name: string, isKnown = false): void =>
      void settle(name, { key: name.slice(0, 1), isKnown });
    const end = async (name: string): Promise<void> => {
      ends.get(name)?.();
      await scheduler.wait(0);
    };
    await use({ ask, started, settled, end });
  });
}

test("passwords of strangers are hashed one after another, address by address", async () => {
  await withThreads(async ({ ask, started, settled, end }) => {
    for (const name of ["a1", "a2", "a3", "b1", "b2"]) ask(name);
    for (const name of ["a1", "b1", "a2", "b2", "a3"]) {
      await end("");
      expect(started.at(-1)).toBe(name);
      await end(name);
      expect(settled.get(name)).toBe(`key of ${name}`);
    }
    expect(started).toHaveLength(5);
  });
});

test("a browser that is known does not wait behind strangers, and two hashes at a time are all", async () => {
  await withThreads(async ({ ask, started, end }) => {
    for (const name of ["a1", "b1", "c1"]) ask(name);
    for (const name of ["x1", "y1"]) ask(name, true);
    await end("");
    expect(started).toEqual(["a1", "x1"]);
    await end("x1");
    expect(started).toEqual(["a1", "x1", "y1"]);
    await end("y1");
    expect(started).toEqual(["a1", "x1", "y1"]);
    await end("a1");
    expect(started).toEqual(["a1", "x1", "y1", "b1"]);
    for (const name of ["b1", "c1"]) await end(name);
  });
});

test("an address of which too many passwords wait is refused, and the others are not", async () => {
  await withThreads(async ({ ask, started, settled, end }) => {
    for (let count = 1; count <= 8; count++) ask(`a${count}`);
    ask("b1");
    await end("");
    expect([...settled]).toEqual([6, 7, 8].map((count) => [`a${count}`, "RATE_LIMITED"]));
    await end("a1");
    expect(started).toEqual(["a1", "b1"]);
    for (const name of ["b1", "a2", "a3", "a4", "a5"]) await end(name);
    expect(settled.size).toBe(9);
  });
});

test("a hashing object without threads makes the same key itself", async () => {
  const object = env.PASSWORD_HASHES.getByName(freshName("hashes"));
  const result = await object.derive(WORK, { key: "a", isKnown: false });
  expect(result.ok && result.value).toMatch(/^[\w-]{43}$/);
});

test("work that the threads refuse is an error, and the next one goes on", async () => {
  const object = env.PASSWORD_HASHES.getByName(freshName("hashes"));
  await runInDurableObject(object, async (_, state) => {
    const answers = [new Response("no memory", { status: 500 }), new Response("key")];
    const fetch = async (): Promise<Response> => answers.shift() ?? Response.error();
    const threads = { [PASSWORD_THREADS_BINDING]: { fetch } };
    const hashes = new PasswordHashObject(state, Object.assign({ ...env }, threads));
    const caller = { key: "a", isKnown: false };
    await expect(hashes.derive(WORK, caller)).rejects.toThrow("no memory");
    expect(await hashes.derive(WORK, caller)).toEqual({ ok: true, value: "key" });
  });
});
