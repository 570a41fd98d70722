import { describe, expect, test } from "vitest";
import {
  OVERLAP_MS,
  PREVIOUS_SECRETS_MAX,
  rotate,
  type Secrets,
  validSecrets,
} from "#modules/webhooks/core/secrets.ts";
import { fromMillis } from "#platform/time.ts";

const HOUR_MS = 3_600_000;
const at = (hours: number) => fromMillis(Date.parse("2026-03-01T00:00:00Z") + hours * HOUR_MS);
const only = (current: string): Secrets => ({ current, previous: [] });

/** The secrets of a config that began with `a`, after changes at the given hours. */
const after = (...changes: readonly (readonly [hour: number, secret: string])[]): Secrets =>
  changes.reduce(
    (secrets, [hour, secret]) => rotate(secrets, { secret, immediate: false }, at(hour)),
    only("a"),
  );

describe("a secret that is replaced", () => {
  test("a secret that is replaced stays valid for a day, behind the new one", () => {
    const secrets = after([0, "b"]);
    expect(OVERLAP_MS).toBe(24 * HOUR_MS);
    expect(validSecrets(secrets, at(0))).toEqual(["b", "a"]);
    expect(validSecrets(secrets, at(23.99))).toEqual(["b", "a"]);
    expect(validSecrets(secrets, at(24))).toEqual(["b"]);
  });

  test("a secret that is replaced keeps its own end when others are replaced after it", () => {
    const secrets = after([0, "b"], [10, "c"], [20, "d"]);
    expect(validSecrets(secrets, at(20))).toEqual(["d", "c", "b", "a"]);
    expect(validSecrets(secrets, at(24))).toEqual(["d", "c", "b"]);
    expect(validSecrets(secrets, at(34))).toEqual(["d", "c"]);
    expect(validSecrets(secrets, at(44))).toEqual(["d"]);
  });

  test("a secret that is replaced is dropped from the list by the next change after its end", () => {
    expect(after([0, "b"], [24, "c"]).previous.map(({ secret }) => secret)).toEqual(["b"]);
  });

  test("a secret that is replaced ends early when too many are replaced after it", () => {
    const names = ["b", "c", "d", "e", "f"];
    const secrets = after(...names.map((name, index) => [index, name] as const));
    expect(PREVIOUS_SECRETS_MAX).toBe(4);
    expect(validSecrets(secrets, at(5))).toEqual(["f", "e", "d", "c", "b"]);
  });

  test("a secret that is replaced is no previous one any more when it comes back", () => {
    const secrets = after([0, "b"], [1, "a"]);
    expect(validSecrets(secrets, at(1))).toEqual(["a", "b"]);
    expect(validSecrets(secrets, at(24.5))).toEqual(["a", "b"]);
    expect(validSecrets(secrets, at(25))).toEqual(["a"]);
  });
});

describe("the same secret again", () => {
  test("the same secret again changes nothing", () => {
    const secrets = after([0, "b"]);
    expect(rotate(secrets, { secret: "b", immediate: false }, at(1))).toBe(secrets);
  });

  test("the same secret again ends the others where that is wanted, once", () => {
    const wanted = { secret: "b", immediate: true };
    const ended = rotate(after([0, "b"]), wanted, at(1));
    expect(ended).toEqual(only("b"));
    expect(rotate(ended, wanted, at(1))).toBe(ended);
    const expired = after([0, "b"]);
    expect(rotate(expired, wanted, at(24))).toBe(expired);
  });
});

test("an immediate change ends all secrets before it", () => {
  const wanted = { secret: "d", immediate: true };
  expect(rotate(after([0, "b"], [1, "c"]), wanted, at(2))).toEqual(only("d"));
});
