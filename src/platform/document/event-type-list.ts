import { OpenAPIHono, z } from "@hono/zod-openapi";
import { type DeliveredEventType, deliveredTypesOf } from "./event-types.ts";
import { present } from "#platform/assert.ts";
import { EVENT_VERSION } from "#platform/events/envelope.ts";
import { type AppEnv, dataOf, endpoint, json } from "#platform/http/index.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import type { Module } from "#platform/modules/module.ts";

const JsonObject = z.record(z.string(), z.unknown());

const EventTypeResponse = z
  .object({
    name: z.string().openapi({ example: "ledger.committed_transactions" }),
    app: z.string().openapi({ description: "The module that emits the event." }),
    version: z.string().openapi({ description: "The member `version` of the body." }),
    description: z.string(),
    schema: JsonObject.openapi({ description: "The JSON Schema of the body." }),
    example: JsonObject.openapi({ description: "A body." }),
  })
  .openapi("EventType");

const EventTypesQuery = z.object({
  name: z.string().optional().openapi({ description: "The name of the only type to list." }),
});

type EventTypeView = z.input<typeof EventTypeResponse>;

/** `GET /api/florin/v1/event-types`: the event types that the modules declare, which are all that they emit. */
export function registerEventTypeList(app: OpenAPIHono<AppEnv>, modules: readonly Module[]): void {
  let views: EventTypeView[] | undefined;
  endpoint(
    app,
    {
      method: "get",
      path: "/api/florin/v1/event-types",
      operationId: "florinListEventTypes",
      summary: "List the types of events",
      description:
        "Each type with its name for webhooks and event streams, the JSON Schema (2020-12) of the body that they deliver, and an example of it.",
      tags: ["Event types"],
      scope: "webhooks:read",
      query: EventTypesQuery,
      responses: { 200: json("The types", dataOf(z.array(EventTypeResponse))) },
    },
    ({ query: { name } }) => {
      // The schemas are made once, at the first request for the list.
      views ??= toViews(deliveredTypesOf(modules));
      const data = name === undefined ? views : views.filter((view) => view.name === name);
      return { status: 200, body: { data } };
    },
  );
}

function toViews(types: readonly DeliveredEventType[]): EventTypeView[] {
  const app = new OpenAPIHono<AppEnv>();
  for (const { name, body } of types) app.openAPIRegistry.register(name, body);
  const { components } = app.getOpenAPI31Document({ openapi: "3.1.0", info: INFO });
  const texts = new Map(
    Object.entries(components?.schemas ?? {}).map(([name, schema]) => [
      name,
      stringifyJson(schema),
    ]),
  );
  return types.map(({ name, app, description, example }) => ({
    name,
    app,
    version: EVENT_VERSION,
    description,
    schema: schemaOf(name, texts),
    example: JsonObject.parse(example),
  }));
}

/** The generator needs a title and a version, which the list does not use. */
const INFO = { title: "", version: "" };

const REFERENCE = /(?<="\$ref":")#\/components\/schemas\/([^"]+)/g;

/** The schema of a name with all schemas that it refers to, so that a validator needs nothing else. */
function schemaOf(root: string, texts: ReadonlyMap<string, string>): Record<string, unknown> {
  const definitions: Record<string, unknown> = {};
  const take = (name: string): Record<string, unknown> => {
    const text = present(texts.get(name), "a schema that is referred to is there");
    for (const [, used = ""] of text.matchAll(REFERENCE)) {
      if (Object.hasOwn(definitions, used)) continue;
      definitions[used] = {}; // schemas may refer to each other in a circle
      definitions[used] = take(used);
    }
    return JsonObject.parse(parseJson(text.replaceAll(REFERENCE, "#/$$defs/$1")));
  };
  const schema = take(root);
  const $defs = Object.keys(definitions).length === 0 ? {} : { $defs: definitions };
  return { $schema: "https://json-schema.org/draft/2020-12/schema", ...schema, ...$defs };
}
