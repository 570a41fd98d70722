import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { sha256 } from "#ledger-engine/storage/log/text-digest.ts";

test.each([
  ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
])("the digest of %j is that of FIPS 180-4", (text, hex) => {
  expect(sha256(text, "hex")).toBe(hex);
  expect(sha256(text, "base64url")).toBe(Buffer.from(hex, "hex").toString("base64url"));
});

/** Lengths around the size of the buffer in bytes. A character takes one, two, three or, as a surrogate pair, four bytes. */
test.each([1, 21_844, 21_845, 21_846, 65_535, 65_536, 65_537, 200_000])(
  "a text of %i characters is hashed whole, whatever was hashed before it",
  (length) => {
    for (const character of ["a", "é", "€", "😀", "\ud800"]) {
      const text = character.repeat(length).slice(0, length);
      const expected = createHash("sha256").update(text, "utf8").digest("hex");
      sha256("another text".repeat(1000), "hex");
      expect(sha256(text, "hex")).toBe(expected);
    }
  },
);
