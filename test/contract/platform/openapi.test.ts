import { validate } from "@hyperjump/json-schema/openapi-3-1";
import { beforeAll, describe, expect, test } from "vitest";
import { send } from "#test/support/platform/api.ts";

interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly responses: Readonly<Record<string, { readonly content?: unknown }>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly securitySchemes: {
      readonly oauth2: {
        readonly flows: { readonly clientCredentials: { readonly scopes: object } };
      };
    };
  };
}

let document: Document;
let operations: { path: string; method: string; operation: Operation }[];

beforeAll(async () => {
  document = await (await send("/openapi.json")).json();
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
});

const nameOf = ({ path, method }: { path: string; method: string }): string => `${method} ${path}`;

describe("the OpenAPI document", () => {
  test("is for everyone to read", async () => {
    const response = await send("/openapi.json");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
  });

  test("is valid OpenAPI 3.1, its schemas included", async () => {
    const check = await validate("https://spec.openapis.org/oas/3.1/schema-base");
    const output = check(document as unknown as Parameters<typeof check>[0], "BASIC"); // it came as JSON
    expect(output).toEqual({ valid: true });
  });

  test("refers to nothing that it doesn't hold", () => {
    const missing = referencesIn(document).filter((reference) => !resolves(reference));
    expect(missing).toEqual([]);
  });

  test("names every operation once, and says what it does", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(ids).toEqual([...new Set(ids)]);
    const unnamed = operations.filter(
      ({ operation }) => !operation.operationId || !operation.summary,
    );
    expect(unnamed.map(nameOf)).toEqual([]);
  });

  test("declares the parameters of every path", () => {
    const wrong = operations.filter(({ path, operation }) => {
      const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === "path");
      const named = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
      return declared.length !== named.length || declared.some(({ name }) => !named.includes(name));
    });
    expect(wrong.map(nameOf)).toEqual([]);
  });

  test("gives every operation known scopes, or none at all", () => {
    const known = Object.keys(
      document.components.securitySchemes.oauth2.flows.clientCredentials.scopes,
    );
    const wrong = operations.filter(({ operation: { security } }) => {
      if (security?.length === 0) return false;
      const [requirement, ...others] = security ?? [];
      const scopes = requirement?.["oauth2"] ?? [];
      return (
        others.length > 0 || scopes.length !== 1 || !scopes.every((scope) => known.includes(scope))
      );
    });
    expect(wrong.map(nameOf)).toEqual([]);
  });

  test("describes a success and the errors of every operation", () => {
    const wrong = operations.filter(({ operation: { responses, security } }) => {
      const statuses = Object.keys(responses);
      const expected = security?.length === 0 ? [] : ["401", "500", "503"];
      const succeeds = statuses.some((status) => /^[23]/.test(status));
      return !succeeds || !expected.every((status) => responses[status]?.content !== undefined);
    });
    expect(wrong.map(nameOf)).toEqual([]);
  });
});

describe("every operation with a scope", () => {
  test("is there, and refuses a request without a token", async () => {
    const guarded = operations.filter(({ operation }) => operation.security?.length !== 0);
    expect(guarded.length).toBeGreaterThan(0);
    for (const { path, method } of guarded) {
      const response = await send(path.replaceAll(/\{[^}]+\}/g, "1"), {
        method: method.toUpperCase(),
      });
      expect([nameOf({ path, method }), response.status]).toEqual([nameOf({ path, method }), 401]);
      expect(response.headers.get("www-authenticate")).toMatch(/^Bearer /);
      await response.text();
    }
  });
});

function referencesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]: [string, unknown]) =>
    key === "$ref" && typeof item === "string" ? [item] : referencesIn(item),
  );
}

function resolves(reference: string): boolean {
  const [start, ...segments] = reference.split("/");
  let value: unknown = document;
  for (const segment of segments) {
    const key = decodeURIComponent(segment).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return false;
    value = (value as Record<string, unknown>)[key];
  }
  return start === "#";
}
