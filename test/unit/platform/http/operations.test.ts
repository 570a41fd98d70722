import { OpenAPIHono, z } from "@hono/zod-openapi";
import { describe, expect, test } from "vitest";
import {
  type AppEnv,
  ok,
  operations,
  type Registration,
  registration,
} from "#platform/http/index.ts";

interface Thing {
  readonly id: string;
  readonly count: number;
}

const ThingResponse = z.object({ id: z.string(), n: z.int() });
const toView = ({ id, count }: Thing) => ({ id, n: count });
const thing: Thing = { id: "a", count: 1 };

const things = operations({
  path: "/things",
  tags: ["Things"],
  scope: "payments",
  params: z.object({ thingID: z.string() }),
});

const SPEC = { operationId: "readThing", summary: "Read a thing" };

/** The operations that a registration adds to the document. */
function documented(register: Registration) {
  const app = new OpenAPIHono<AppEnv>();
  register(app);
  return app.openAPIRegistry.definitions.flatMap((definition) =>
    definition.type === "route" ? [definition.route] : [],
  );
}

describe("operations of a group", () => {
  test("operations have the path, the tags and the scope of their group, in the order of their registration", () => {
    const register = registration(
      things.get("/{thingID}", {
        ...SPEC,
        answer: ok.data("The thing", ThingResponse, toView),
        handle: () => thing,
      }),
      things.delete("/{thingID}", {
        ...SPEC,
        answer: ok.empty("Deleted"),
        handle: ({ params }) => params.thingID,
      }),
      things.post("/check", {
        ...SPEC,
        scope: "payments:read",
        params: z.object({}),
        answer: ok.created("The thing", ThingResponse, toView),
        errors: [409],
        handle: () => thing,
      }),
    );
    const shown = documented(register).map(({ method, path, tags, security, responses }) => ({
      operation: `${method} ${path}`,
      tags,
      security,
      statuses: Object.keys(responses).filter((status) =>
        ["200", "201", "204", "409"].includes(status),
      ),
    }));
    const tags = ["Things"];
    expect(shown).toEqual([
      {
        operation: "get /things/{thingID}",
        tags,
        security: [{ oauth2: ["payments:read"] }, { token: [] }],
        statuses: ["200"],
      },
      {
        operation: "delete /things/{thingID}",
        tags,
        security: [{ oauth2: ["payments:write"] }, { token: [] }],
        statuses: ["204"],
      },
      {
        operation: "post /things/check",
        tags,
        security: [{ oauth2: ["payments:read"] }, { token: [] }],
        statuses: ["201", "409"],
      },
    ]);
  });

  test("answers are made by the view of a result or of each item", () => {
    expect(ok.data("", ThingResponse, toView).toAnswer?.(thing)).toEqual({
      body: { data: { id: "a", n: 1 } },
    });
    expect(ok.list("", ThingResponse, toView).toAnswer?.([thing])).toEqual({
      body: { data: [{ id: "a", n: 1 }] },
    });
    const page = { pageSize: 15, hasMore: false, data: [thing] };
    expect(ok.page("", ThingResponse, toView).toAnswer?.(page)).toEqual({
      body: { cursor: { pageSize: 15, hasMore: false, next: "", data: [{ id: "a", n: 1 }] } },
    });
    expect(ok.plain("", ThingResponse).toAnswer?.({ id: "a", n: 1 })).toEqual({
      body: { id: "a", n: 1 },
    });
  });

  test("a handler or a view of another shape is a type error", () => {
    const wrong = [
      things.get("", {
        ...SPEC,
        answer: ok.data("", ThingResponse, toView),
        // @ts-expect-error The result has no count.
        handle: () => ({ id: "a" }),
      }),
      things.get("", {
        ...SPEC,
        answer: ok.data("", ThingResponse),
        // @ts-expect-error The result is not in its form on the wire.
        handle: () => Promise.resolve(thing),
      }),
      things.get("", {
        ...SPEC,
        // @ts-expect-error The view makes a text of the count.
        answer: ok.data("", ThingResponse, ({ id, count }: Thing) => ({ id, n: `${count}` })),
        handle: () => thing,
      }),
      things.get("", {
        ...SPEC,
        answer: ok.list("", ThingResponse, toView),
        // @ts-expect-error The result is one thing instead of a list.
        handle: () => thing,
      }),
    ];
    expect(wrong).toHaveLength(4);
  });
});
