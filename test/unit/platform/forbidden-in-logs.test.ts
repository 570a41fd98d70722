import { expect, test } from "vitest";
import { forbiddenIn } from "#test/support/platform/logs/forbidden-in-logs.ts";
import { ServerLog } from "#test/support/platform/logs/server-log.ts";

test.each([
  ["the key psp-secret-1 is not known", "a secret"],
  ['{"card":"4111111111111111"}', "a card number"],
  ["to GB82WEST12345698765432", "an IBAN"],
  ["account 123456789", "an account number"],
])("the line '%s' shows %s", (line, forbidden) => {
  expect(forbiddenIn(line)).toBe(forbidden);
});

test.each([
  "the card ***1111",
  "4111111111111112",
  "c8adc4c2-69be-48bd-88d7-f9ede6d43050",
  "2026-11-22T17:33:29.048Z 1795368234892",
  "GB82WEST12345698765433",
])("the line '%s' may be written", (line) => {
  expect(forbiddenIn(line)).toBeUndefined();
});

test("the output of a server is checked, wherever its chunks are cut", () => {
  const log = new ServerLog();
  log.add("ready\nthe key psp-");
  expect(() => log.assertClean()).not.toThrow();
  log.add("the key psp-");
  log.add("secret-1 is not known\nready");
  expect(() => log.assertClean()).toThrow("a secret in the key psp-secret-1 is not known");
  const unfinished = new ServerLog();
  unfinished.add("4111111111111111");
  expect(() => unfinished.assertClean()).toThrow("a card number");
});
