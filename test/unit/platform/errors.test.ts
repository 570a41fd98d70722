import { describe, expect, test } from "vitest";
import { LEDGER_ERRORS } from "#ledger-engine";
import { assert as assertThat, present } from "#platform/assert.ts";
import { AppError, ErrorCatalogue } from "#platform/errors.ts";
import { attempt, unwrap } from "#platform/result.ts";

const ERRORS = new ErrorCatalogue(LEDGER_ERRORS);

describe("an expected failure", () => {
  test("an expected failure has a status, a code of the closed set and a message that begins with the code", () => {
    const error = new AppError("CONFLICT", "duplicate reference", { details: "r1" });
    expect([ERRORS.statusOf(error.kind), ERRORS.codeOf(error.kind)]).toEqual([409, "CONFLICT"]);
    expect(ERRORS.toBody(error)).toEqual({
      errorCode: "CONFLICT",
      errorMessage: "[CONFLICT] duplicate reference",
      details: "r1",
    });
    expect(ERRORS.toBody(new AppError("NOT_FOUND", "x"))).not.toHaveProperty("details");
  });

  test.each([
    ["UNAUTHENTICATED", 401, "VALIDATION"],
    ["METHOD_NOT_ALLOWED", 405, "VALIDATION"],
    ["EXCLUSIVE_OPTIONS", 412, "VALIDATION"],
    ["BODY_TOO_LARGE", 413, "VALIDATION"],
    ["RATE_LIMITED", 429, "VALIDATION"],
    ["BULK_SIZE_EXCEEDED", 413, "BULK_SIZE_EXCEEDED"],
    ["INSUFFICIENT_FUND", 400, "INSUFFICIENT_FUND"],
    ["LEDGER_NOT_FOUND", 404, "LEDGER_NOT_FOUND"],
    ["OVERLOADED", 503, "INTERNAL"],
  ] as const)("an expected failure of kind %s is a %i with the code %s", (kind, status, code) => {
    expect([ERRORS.statusOf(kind), ERRORS.codeOf(kind)]).toEqual([status, code]);
    expect(ERRORS.codes).toContain(code);
  });
});

test("a kind that no table has is a bug", () => {
  expect(() => new ErrorCatalogue().codeOf("NO_POSTINGS")).toThrow("no module declares");
});

describe("a result", () => {
  test("a result of an object carries a value across", () => {
    expect(unwrap(attempt(() => 7))).toBe(7);
  });

  test("a result of an object carries an expected failure across, as plain data", () => {
    const result = attempt(() => {
      throw new AppError("NOT_FOUND", "no such thing", { details: "d", cause: new Error("x") });
    });
    expect(result).toStrictEqual({
      ok: false,
      failure: { kind: "NOT_FOUND", message: "no such thing", details: "d" },
    });
    expect(() => unwrap(result)).toThrow(
      new AppError("NOT_FOUND", "no such thing", { details: "d" }),
    );
  });

  test("a result of an object carries across when to try again", () => {
    const result = attempt(() => {
      throw new AppError("RATE_LIMITED", "too often", { retryAfterSeconds: 7 });
    });
    expect(() => unwrap(result)).toThrow(expect.objectContaining({ retryAfterSeconds: 7 }));
  });

  test("a result of an object does not hide a bug", () => {
    const bug = new TypeError("bug");
    expect(() =>
      attempt(() => {
        throw bug;
      }),
    ).toThrow(bug);
  });
});

describe("an invariant", () => {
  test("an invariant that does not hold is a bug, not an expected failure", () => {
    expect(() => assertThat(false, "ids increase")).toThrow("invariant broken: ids increase");
    expect(() => present(null, "it was made")).toThrow("invariant broken: it was made");
    expect(present(0, "zero is a value")).toBe(0);
    expect(() => assertThat(true, "")).not.toThrow();
  });
});
