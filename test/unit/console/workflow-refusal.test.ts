import { describe, expect, test } from "vitest";
import { ApiError } from "#console/api/errors.ts";
import { mistakesOf, placeOf } from "#console/places/workflows/refusal.ts";

const TEXT = "name: pause\nstages:\n  - delay: {duration: soon}\n";

const refused = (details?: string): ApiError =>
  new ApiError("invalid duration 'soon'", {
    status: 400,
    code: "VALIDATION",
    requestId: undefined,
    details,
  });

describe("a definition that was refused", () => {
  test("the mistake begins at the place that the answer names, and ends with its line", () => {
    const refusal = { text: TEXT, error: refused("line 3, column 23") };
    const [mistake] = mistakesOf(TEXT, refusal);
    expect(mistake).toMatchObject({ severity: "error", message: "invalid duration 'soon'" });
    expect(TEXT.slice(mistake?.from, mistake?.to)).toBe("soon}");
  });

  test("a text that was changed since has no mistake, nor has one without a place", () => {
    expect(mistakesOf(`${TEXT} `, { text: TEXT, error: refused("line 3, column 23") })).toEqual([]);
    expect(mistakesOf(TEXT, { text: TEXT, error: refused() })).toEqual([]);
    expect(mistakesOf(TEXT, undefined)).toEqual([]);
    expect(placeOf(refused("stages.0.delay"))).toBeUndefined();
  });

  test("a place behind the end of the text is its end", () => {
    const [mistake] = mistakesOf("a", { text: "a", error: refused("line 9, column 9") });
    expect([mistake?.from, mistake?.to]).toEqual([1, 1]);
  });
});
