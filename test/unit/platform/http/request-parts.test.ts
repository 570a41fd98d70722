import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { expect, test } from "vitest";
import type { AppEnv } from "#platform/http/context.ts";
import { paramsReader, queryReader } from "#platform/http/request-parts.ts";

/** A request with a query, which is all that readers of the query use. */
const asking = (query: string) =>
  ({ get: () => ({ url: `http://localhost/a${query}` }) }) as unknown as Context<AppEnv>;

/** A schema that counts how often it parses. */
function counting({ isPublic = false } = {}) {
  const count = { parsed: 0 };
  const schema = z.object({
    names: z.array(z.string()).default(() => {
      count.parsed++;
      return [];
    }),
    size: z.coerce.number().optional(),
    cursor: z.string().optional(),
  });
  return { count, read: queryReader(schema, isPublic) };
}

test("a query that is repeated is validated once, and nobody can change what others get, too", () => {
  const { count, read } = counting();
  const parse = (query: string) => read(asking(query)).parse();
  for (const query of ["", "?size=3"]) {
    const first = parse(query);
    expect(parse(query)).toBe(first);
    expect(() => first.names.push("a")).toThrow(TypeError);
  }
  expect(count.parsed).toBe(2);
  expect(parse("")).toEqual({ names: [] });
  expect(parse("?size=3")).toEqual({ names: [], size: 3 });
  expect(parse("?size=3#size=4")).toEqual({ names: [], size: 3 });
  expect(queryReader(undefined)(asking("")).parse()).toBeUndefined();
});

test("a public operation remembers only the empty query, because others may hold a code", () => {
  const { count, read } = counting({ isPublic: true });
  const parse = (query: string) => read(asking(query)).parse();
  expect(parse("")).toBe(parse(""));
  expect(parse("?cursor=secret")).not.toBe(parse("?cursor=secret"));
  expect(count.parsed).toBe(3);
});

test("a query that does not fit is refused each time", () => {
  const { read } = counting();
  const parse = queryReader(z.object({ code: z.string() }));
  for (let time = 0; time < 2; time++) {
    expect(() => read(asking("?size=x")).parse()).toThrow("query parameter 'size'");
    expect(() => parse(asking("")).parse()).toThrow("code");
    expect(() => read(asking("?size=%zz"))).toThrow("percent encoding");
  }
});

test("a query with a cursor goes on with a list, and all but the page size is ignored", () => {
  const { read } = counting();
  for (let time = 0; time < 2; time++) {
    const { isWalk, parse } = read(asking("?cursor=abc&size=x"));
    expect(isWalk).toBe(true);
    expect(parse()).toEqual({ names: [], cursor: "abc" });
  }
  expect(read(asking("?size=3")).isWalk).toBe(false);
});

test("a few queries are remembered, and no long ones", () => {
  const { count, read } = counting();
  for (let size = 0; size < 17; size++) read(asking(`?size=${size}`)).parse();
  expect(count.parsed).toBe(17);
  read(asking("?size=16")).parse();
  expect(count.parsed).toBe(17);
  read(asking("?size=0")).parse();
  expect(count.parsed).toBe(18);
  const long = `?size=1&other=${"x".repeat(1000)}`;
  for (let time = 0; time < 2; time++) read(asking(long)).parse();
  expect(count.parsed).toBe(20);
});

test("the first parameter of a path is validated once for each value, others are each time", () => {
  let parsed = 0;
  const Name = z.string().refine((name) => {
    parsed++;
    return name !== "bad";
  }, "expected another one");
  const one = paramsReader(z.object({ ledger: Name }));
  expect(one({ ledger: "a", other: "1" })).toEqual({ ledger: "a" });
  expect(one({ ledger: "a", other: "2" })).toEqual({ ledger: "a" });
  expect(one({ ledger: "b" })).toEqual({ ledger: "b" });
  expect(parsed).toBe(2);
  for (let time = 0; time < 2; time++) {
    expect(() => one({ ledger: "bad" })).toThrow("path parameter 'ledger': expected another one");
  }
  const two = paramsReader(z.object({ ledger: Name, id: z.coerce.number() }));
  expect(two({ ledger: "a", id: "1" })).toEqual({ ledger: "a", id: 1 });
  expect(two({ ledger: "a", id: "2" })).toEqual({ ledger: "a", id: 2 });
  expect(parsed).toBe(7);
  expect(() => two({ ledger: "bad", id: "x" })).toThrow(
    "path parameter 'ledger': expected another one",
  );
  expect(() => two({ ledger: "a", id: "x" })).toThrow("path parameter 'id'");
  expect(() => two({ ledger: "a" })).toThrow("path parameter 'id'");
  expect(paramsReader(undefined)({})).toBeUndefined();
});

test("parameters that a schema tests together are", () => {
  const read = paramsReader(
    z
      .object({ from: z.coerce.number(), to: z.coerce.number() })
      .refine(({ from, to }) => from <= to, "expected a range"),
  );
  expect(read({ from: "1", to: "2" })).toEqual({ from: 1, to: 2 });
  expect(() => read({ from: "2", to: "1" })).toThrow("expected a range");
});
