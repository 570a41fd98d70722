import { expect, test } from "vitest";
import { hashPassword, matchesPassword } from "#modules/auth/people/passwords.ts";

test("a password is stored as a salted hash with the parameters that it was made with", async () => {
  const [one, other] = await Promise.all([
    hashPassword("correct horse"),
    hashPassword("correct horse"),
  ]);
  expect(one).toMatch(/^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/);
  expect(one).not.toBe(other);
  expect(one).not.toContain("horse");
});

test("only the password itself matches", async () => {
  const stored = await hashPassword("correct horse");
  expect(await matchesPassword("correct horse", stored)).toBe(true);
  expect(await matchesPassword("correct horsf", stored)).toBe(false);
  expect(await matchesPassword("", stored)).toBe(false);
});

test("a letter matches however the keyboard writes it", async () => {
  expect(await matchesPassword("Cafe\u0301 Central", await hashPassword("Café Central"))).toBe(
    true,
  );
});

test("nobody's password matches, after the same work", async () => {
  const timed = async (stored: string | undefined): Promise<number> => {
    const startedMs = performance.now();
    expect(await matchesPassword("correct horse", stored)).toBe(false);
    return performance.now() - startedMs;
  };
  const stored = await hashPassword("another horse");
  await timed(stored);
  // A check without the work would take a thousandth of it; a busy machine makes no difference of that size.
  expect(await timed(undefined)).toBeGreaterThan((await timed(stored)) / 20);
});
