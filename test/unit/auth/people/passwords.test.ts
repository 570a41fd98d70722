import { expect, test } from "vitest";
import { hashPassword, matchesPassword } from "#modules/auth/people/passwords.ts";
import { derivePasswordKey, type PasswordWork } from "#platform/secrets/password-key.ts";

test("a password is stored as a salted hash with the parameters that it was made with", async () => {
  const [one, other] = await Promise.all([
    hashPassword("correct horse", derivePasswordKey),
    hashPassword("correct horse", derivePasswordKey),
  ]);
  expect(one).toMatch(/^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/);
  expect(one).not.toBe(other);
  expect(one).not.toContain("horse");
});

test("a password's hash matches the password only", async () => {
  const stored = await hashPassword("correct horse", derivePasswordKey);
  expect(await matchesPassword("correct horse", stored, derivePasswordKey)).toBe(true);
  expect(await matchesPassword("correct horsf", stored, derivePasswordKey)).toBe(false);
  expect(await matchesPassword("", stored, derivePasswordKey)).toBe(false);
});

test("a letter matches however the keyboard writes it", async () => {
  const stored = await hashPassword("Café Central", derivePasswordKey);
  expect(await matchesPassword("Cafe\u0301 Central", stored, derivePasswordKey)).toBe(true);
});

test("nobody's password matches, after the same work", async () => {
  const works: PasswordWork[] = [];
  const derive = (work: PasswordWork): Promise<string> => {
    works.push(work);
    return derivePasswordKey(work);
  };
  const stored = await hashPassword("another horse", derivePasswordKey);
  expect(await matchesPassword("correct horse", stored, derive)).toBe(false);
  expect(await matchesPassword("correct horse", undefined, derive)).toBe(false);
  const costs = works.map(({ salt, ...cost }) => ({ ...cost, saltLength: salt.length }));
  expect(costs).toHaveLength(2);
  expect(costs[1]).toEqual(costs[0]);
});

test("the key is the one of RFC 7914", async () => {
  const salt = Buffer.from("SodiumChloride").toString("base64url");
  const key = await derivePasswordKey({ password: "pleaseletmein", salt, N: 16384, r: 8, p: 1 });
  // The first half of the 64 bytes of the third test vector in RFC 7914, section 12.
  expect(Buffer.from(key, "base64url").toString("hex")).toBe(
    "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2",
  );
});
