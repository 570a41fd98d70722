import { expect, test } from "vitest";
import page from "../../../docs/differences.md" with { type: "text" };
import { send } from "#test/support/platform/api.ts";

const PREFIX = "/api/florin/v1";

/** The operations in the page of differences, without the prefix of their path. */
const LISTED = page
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .flatMap((line) => [...line.matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) \/[^`]*)`/g)])
  .map(([, operation = ""]) => operation);

test("the page of differences lists the routes of Florin's own", async () => {
  const response = await send("/openapi.json");
  const { paths } = await response.json<{ paths: Record<string, Record<string, unknown>> }>();
  const operations = Object.entries(paths)
    .filter(([path]) => path.startsWith(PREFIX))
    .flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.slice(PREFIX.length)}`),
    );
  expect(LISTED.toSorted()).toEqual(operations.toSorted());
});
