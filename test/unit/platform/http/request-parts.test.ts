import { z } from "@hono/zod-openapi";
import { expect, test } from "vitest";
import { queryParser } from "#platform/http/request-parts.ts";

test("a request without a query gets what the schema makes of none, which nobody can change", () => {
  let parsed = 0;
  const schema = z.object({
    names: z.array(z.string()).default(() => {
      parsed++;
      return [];
    }),
    size: z.coerce.number().optional(),
  });
  const parse = queryParser(schema);
  const first = parse({});
  expect(first).toEqual({ names: [] });
  expect(parse({})).toBe(first);
  expect(parsed).toBe(1);
  expect(() => first.names.push("a")).toThrow(TypeError);
  expect(parse({ size: "3" })).toEqual({ names: [], size: 3 });
  expect(() => parse({ size: "x" })).toThrow("query parameter");
  expect(queryParser(undefined)({})).toBeUndefined();
});

test("a query that the schema demands is demanded of each request", () => {
  const parse = queryParser(z.object({ code: z.string() }));
  for (let time = 0; time < 2; time++) expect(() => parse({})).toThrow("code");
});
