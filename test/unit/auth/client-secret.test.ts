import { expect, test } from "vitest";
import { hashSecret, lastDigitsOf, matchesSecret } from "#modules/auth/registry/client-secret.ts";

// The example of the reference documentation.
const CLEAR = "4f9d5c1e-0a6b-4b0e-9a53-1c2d3e4f5a6b";
const HASH = "BPcuX5aIFqGRRrAh9oet1Hu+iV8De72Is24Ey6O5shA=";

test("a secret is stored as base64 of its SHA-256, with its last four characters", () => {
  expect(hashSecret(CLEAR)).toBe(HASH);
  expect(lastDigitsOf(CLEAR)).toBe("5a6b");
});

test("a secret matches any of the hashes, and nothing else does", () => {
  const hashes = [hashSecret("other"), HASH];
  expect(matchesSecret(CLEAR, hashes)).toBe(true);
  expect(matchesSecret("other", hashes)).toBe(true);
  expect(matchesSecret(CLEAR.slice(0, -1), hashes)).toBe(false);
  expect(matchesSecret(HASH, hashes)).toBe(false);
  expect(matchesSecret("", [])).toBe(false);
});
