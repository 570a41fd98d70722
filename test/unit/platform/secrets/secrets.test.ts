import { describe, expect, test } from "vitest";
import { SecretBox } from "#platform/secrets/secrets.ts";

const keyOf = (letter: string): string => btoa(letter.repeat(32));
const boxWith = (current: string, ...previous: readonly string[]): SecretBox =>
  new SecretBox({ FLORIN_SECRET_KEY: current, FLORIN_PREVIOUS_SECRET_KEYS: [...previous] });

const box = boxWith(keyOf("a"));

describe("a secret box", () => {
  test.each(["", "x", "é😀\0", "long".repeat(10_000)])(
    "a secret box opens what it has sealed",
    (text) => {
      expect(box.open(box.seal(text, "test"), "test")).toBe(text);
    },
  );

  test("a secret box seals the same text differently each time and never shows it", () => {
    const [one, two] = [box.seal("secret", "test"), box.seal("secret", "test")];
    expect(one).not.toBe(two);
    expect(Buffer.from(one.split(".")[2] ?? "", "base64url").toString("latin1")).not.toContain(
      "secret",
    );
  });

  test("a secret box opens nothing for another purpose", () => {
    const sealed = box.seal("secret", "client 1");
    expect(() => box.open(sealed, "client 2")).toThrow("was changed or belongs elsewhere");
  });

  test("a secret box opens nothing that was changed", () => {
    const sealed = box.seal("secret", "test");
    const start = sealed.lastIndexOf(".") + 1;
    for (let at = start; at < sealed.length - 1; at++) {
      const other = sealed[at] === "A" ? "B" : "A";
      const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
      expect(() => box.open(changed, "test")).toThrow("was changed or belongs elsewhere");
    }
    expect(() => box.open(sealed.slice(0, -8), "test")).toThrow("was changed or belongs elsewhere");
  });

  test.each(["", "secret", "v1", "v1.a.", "v2.a.AAAA"])(
    "a secret box says that '%s' is no ciphertext",
    (text) => {
      expect(() => box.open(text, "the key x")).toThrow(
        "the stored value of the key x is not a ciphertext",
      );
    },
  );

  test("a secret box opens with a previous key, and knows that it is not the current one", () => {
    const sealed = box.seal("secret", "test");
    const rotated = boxWith(keyOf("b"), keyOf("c"), keyOf("a"));
    expect(rotated.open(sealed, "test")).toBe("secret");
    expect([box.isCurrent(sealed), rotated.isCurrent(sealed)]).toEqual([true, false]);
    expect(rotated.isCurrent(rotated.seal("secret", "test"))).toBe(true);
  });

  test("a secret box names the settings that lack the key", () => {
    const sealed = box.seal("secret", "test");
    expect(() => boxWith(keyOf("b")).open(sealed, "test")).toThrow(/FLORIN_PREVIOUS_SECRET_KEYS/);
  });
});
