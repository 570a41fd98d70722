import { DrizzleQueryError } from "drizzle-orm/errors";
import { afterEach, expect, test, vi } from "vitest";
import { AppError } from "#platform/errors.ts";
import { logError } from "#platform/log.ts";

afterEach(() => void vi.restoreAllMocks());

/** The line that is logged for an error. */
function lineOf(error: unknown): Record<string, unknown> {
  const logged = vi.spyOn(console, "error").mockReturnValue();
  logError("it failed", error, { part: "a" });
  expect(logged).toHaveBeenCalledOnce();
  return JSON.parse(String(logged.mock.calls[0]?.[0])) as Record<string, unknown>; // a line of the log is a JSON object
}

test("an error is logged with its message, its stack and its cause", () => {
  const line = lineOf(new TypeError("no such thing", { cause: new Error("a reason") }));
  expect(line).toMatchObject({
    level: "error",
    message: "it failed",
    part: "a",
    error: "TypeError: no such thing",
    stack: expect.stringContaining("log.test.ts") as unknown,
    cause: "a reason",
  });
});

test("a thrown value of any kind is logged", () => {
  expect(lineOf("a text")).toMatchObject({ error: "a text" });
});

const failedQuery = (cause?: Error) =>
  new DrizzleQueryError("INSERT INTO t VALUES (?)", ["a payload"], cause);

test.each([
  ["a failed query", failedQuery(new Error("D1_ERROR: full"))],
  ["a failed query within one", failedQuery(failedQuery(new Error("D1_ERROR: full")))],
  [
    "an error that a failed query caused",
    new AppError("OVERLOADED", "busy", { cause: failedQuery(new Error("D1_ERROR: full")) }),
  ],
  ["a failed query of unknown cause", failedQuery()],
])("%s is logged without parameters", (_what, error) => {
  const line = JSON.stringify(lineOf(error));
  expect(line).not.toContain("a payload");
  expect(line).toMatch(/D1_ERROR: full|a query failed/);
});
