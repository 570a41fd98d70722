import { expect, test } from "vitest";
import { objectsAtOnce } from "#platform/objects/side-by-side.ts";
import { TEST_SETTINGS } from "#test/support/platform/settings.ts";

/** An environment with a value of the setting under test, the only part that is read. */
const withDirect = (value: string) =>
  ({ ...TEST_SETTINGS, FLORIN_DIRECT: value }) as unknown as Env;

test("a few objects of one machine are called at once, and as many as wanted where each has its own", () => {
  expect(objectsAtOnce(withDirect("true"), 24)).toBe(4);
  expect(objectsAtOnce(withDirect("true"), 2)).toBe(2);
  expect(objectsAtOnce(withDirect("false"), 24)).toBe(24);
});
