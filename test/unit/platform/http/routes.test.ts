import { OpenAPIHono } from "@hono/zod-openapi";
import { describe, expect, test } from "vitest";
import type { AppEnv } from "#platform/http/context.ts";
import { empty, endpoint, type Method } from "#platform/http/endpoint.ts";
import { methodFinder } from "#platform/http/routes.ts";

const PATHS: readonly (readonly [Method, string])[] = [
  ["get", "/v2"],
  ["get", "/v2/{ledger}"],
  ["post", "/v2/{ledger}"],
  ["get", "/v2/_info"],
  ["delete", "/v2/{ledger}/metadata/{key}"],
  ["head", "/{ledger}/accounts"],
  ["get", "/{ledger}/accounts/{address}"],
];

function finder() {
  const app = new OpenAPIHono<AppEnv>();
  for (const [method, path] of PATHS) {
    const answers = {
      operationId: `${method} ${path}`,
      summary: "",
      responses: { 204: empty("") },
    };
    endpoint(app, { method, path, scope: "public", ...answers }, () => ({ status: 204 }));
  }
  return methodFinder(app);
}

describe("the methods of a path", () => {
  test.each([
    ["/v2", ["GET"]],
    ["/v2/main", ["GET", "POST"]],
    ["/v2/main/metadata/k", ["DELETE"]],
    ["/main/accounts", ["HEAD"]],
    ["/main/accounts/users:1", ["GET"]],
    ["/v2/main/", ["GET", "POST"]],
    ["/main/accounts/", ["HEAD"]],
    ["/constructor/accounts", ["HEAD"]],
  ])("the methods of %s are those of its operations", (path, methods) => {
    expect(finder()(path)).toEqual(methods);
  });

  test.each([
    ["/v2/accounts", ["GET", "POST"]],
    ["/v2/accounts/users:1", []],
    ["/v2/_info", ["GET"]],
  ])(
    "the methods of %s do not include those of a path with a parameter in place of a fixed segment",
    (path, methods) => {
      expect(finder()(path)).toEqual(methods);
    },
  );

  test.each(["/", "/main", "/v2//", "//", "/main/accounts/a/b", "/main//a", ""])(
    "the path %j has no methods",
    (path) => {
      expect(finder()(path)).toEqual([]);
    },
  );
});
