import { registerSchema, validate } from "@hyperjump/json-schema/openapi-3-1";
import { beforeAll, describe, expect, test } from "vitest";
import { parseExchanges } from "#platform/document/exchanges.ts";
import { MODULES } from "#src/modules.ts";
import { api, freshName, send } from "#test/support/platform/api.ts";
import { TEST_SETTINGS } from "#test/support/platform/settings.ts";

interface SchemaMembers {
  readonly type?: string;
  readonly format?: string;
  readonly $ref?: string;
  readonly anyOf?: readonly SchemaMembers[];
}
interface Described {
  readonly content?: Readonly<Record<string, { readonly schema?: SchemaMembers }>>;
}
interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    readonly required?: boolean;
    readonly examples?: object;
  }[];
  readonly requestBody?: Required<Described>;
  readonly responses: Readonly<Record<string, Described>>;
}
interface Document {
  readonly info: { readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly "x-tagGroups": readonly { readonly name: string; readonly tags: readonly string[] }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly securitySchemes: {
      readonly oauth2: {
        readonly flows: { readonly clientCredentials: { readonly scopes: object } };
      };
    };
  };
}

const ERROR = "#/components/schemas/Error";
/** Content types that every generated client can write. */
const WRITTEN_BY_CLIENTS = new Set(["application/json", "application/x-www-form-urlencoded"]);
/** The URI of the document for the validator, which fetches nothing from it. */
const DOCUMENT_URI = "https://florin.example/openapi.json";

/** Operations that read the header `Idempotency-Key`. */
const KEYED_WRITES = [
  "v2CreateTransaction",
  "v2RevertTransaction",
  "v2AddMetadataOnTransaction",
  "v2DeleteTransactionMetadata",
  "v2AddMetadataToAccount",
  "v2DeleteAccountMetadata",
  "v2InsertSchema",
  "createTransaction",
  "revertTransaction",
  "runScript",
  "addMetadataOnTransaction",
  "deleteTransactionMetadata",
  "addMetadataToAccount",
  "deleteAccountMetadata",
  "v2RunWorkflow",
  "runWorkflow",
];

/** What a schema may have and still say nothing of an object's members. */
const PLAIN_KEYS = new Set(["type", "description", "example"]);

let document: Document;
let operations: { path: string; method: string; operation: Operation }[];

beforeAll(async () => {
  document = await (await send("/openapi.json")).json();
  const schema = document as unknown as Parameters<typeof registerSchema>[0]; // parsed from JSON
  registerSchema(schema, DOCUMENT_URI, "https://spec.openapis.org/oas/3.1/dialect/base");
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
});

const nameOf = ({ path, method }: { path: string; method: string }): string => `${method} ${path}`;

test("a change whose last parameter is empty by mistake is no change of what is above it", () => {
  const changes = operations.filter(({ method }) => method !== "get" && method !== "head");
  const known = new Set(changes.map(({ method, path }) => `${method} ${path}`));
  const above = changes.flatMap(({ method, path }) =>
    path.endsWith("}") ? [`${method} ${path.slice(0, path.lastIndexOf("/"))}`] : [],
  );
  expect(above.length).toBeGreaterThan(10);
  // A slash at the end of a path has no meaning.
  expect(above.filter((operation) => known.has(operation))).toEqual([]);
});

describe("the OpenAPI document", () => {
  test("the OpenAPI document is for everyone to read", async () => {
    const response = await send("/openapi.json");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
  });

  test("the OpenAPI document is valid OpenAPI 3.1, its schemas included", async () => {
    const check = await validate("https://spec.openapis.org/oas/3.1/schema-base");
    const output = check(document as unknown as Parameters<typeof check>[0], "BASIC"); // parsed from JSON
    expect(output).toEqual({ valid: true });
  });

  test("the OpenAPI document contains everything that it refers to", () => {
    const missing = referencesIn(document).filter((reference) => !resolves(reference));
    expect(missing).toEqual([]);
  });

  test("the OpenAPI document describes the members of every object that a request sends", () => {
    const silent = Object.entries(document.components.schemas).filter(
      ([name, schema]) =>
        name.endsWith("Request") && Object.keys(schema).every((key) => PLAIN_KEYS.has(key)),
    );
    // The members of a connector's configuration depend on its provider.
    expect(silent.map(([name]) => name)).toEqual(["PaymentConnectorConfigRequest"]);
  });

  test("the OpenAPI document names every operation once, and says what it does", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(ids).toEqual([...new Set(ids)]);
    const unnamed = operations.filter(
      ({ operation }) => !operation.operationId || !operation.summary,
    );
    expect(unnamed.map(nameOf)).toEqual([]);
  });

  test("the OpenAPI document begins with an introduction, from the token to the events", () => {
    const { description } = document.info;
    const chapters = ["Get a token", "Make your first transaction", "Errors", "Events"];
    expect(chapters.filter((chapter) => !description.includes(`## ${chapter}\n`))).toEqual([]);
    const links = [...description.matchAll(/\]\(#tag\/([^)]+)\)/g)].map(([, tag]) => tag);
    const names = document.tags.map(({ name }) => name.toLowerCase().replaceAll(" ", "-"));
    expect(names).toEqual(expect.arrayContaining(links));
    const groups = document["x-tagGroups"].filter(({ name }) => !name.startsWith("Earlier"));
    const linked = groups.filter(({ tags }) =>
      tags.some((tag) => links.includes(tag.toLowerCase().replaceAll(" ", "-"))),
    );
    expect(linked.map(({ name }) => name)).toEqual(groups.map(({ name }) => name));
  });

  test("the OpenAPI document shows every operation under one resource, which is described and in one group", () => {
    const grouped = document["x-tagGroups"].flatMap(({ tags }) => tags);
    expect(document.tags.map(({ name }) => name)).toEqual(grouped);
    expect(grouped).toEqual([...new Set(grouped)]);
    expect(document.tags.filter(({ description }) => !description.endsWith("."))).toEqual([]);
    const used = operations.map(({ operation }) => operation.tags ?? []);
    expect(used.filter((tags) => tags.length !== 1)).toEqual([]);
    expect(new Set(used.flat())).toEqual(new Set(grouped));
  });

  test("the OpenAPI document shows the operations of version 1 apart, at the end", () => {
    const lastTags = document["x-tagGroups"].slice(-3).flatMap(({ tags }) => tags);
    expect(lastTags).toEqual(["Ledger API v1", "Payments API v1", "Orchestration API v1"]);
    const shown = operations.filter(({ operation }) => operation.tags?.[0] === "Ledger API v1");
    expect(shown.every(({ path }) => path.startsWith("/api/ledger/{ledger}/"))).toBe(true);
    expect(shown.length).toBeGreaterThan(0);
  });

  test("the OpenAPI document has examples of optional parameters that the page shows, and does not send", () => {
    const optional = operations.flatMap(({ operation }) =>
      (operation.parameters ?? []).filter(({ required }) => required !== true),
    );
    expect(optional.filter((parameter) => "example" in parameter)).toEqual([]);
    const shown = optional.flatMap(({ examples = [] }) => examples);
    expect(shown.length).toBeGreaterThan(50);
    for (const examples of shown) {
      expect(examples).toEqual({
        example: { value: expect.anything() as unknown, "x-disabled": true },
      });
    }
  });

  test("the OpenAPI document declares the parameters of every path", () => {
    const wrong = operations.filter(({ path, operation }) => {
      const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === "path");
      const named = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
      return declared.length !== named.length || declared.some(({ name }) => !named.includes(name));
    });
    expect(wrong.map(nameOf)).toEqual([]);
  });

  test("the OpenAPI document gives every operation known scopes, or none at all", () => {
    const known = Object.keys(
      document.components.securitySchemes.oauth2.flows.clientCredentials.scopes,
    );
    const wrong = operations.filter(({ operation: { security } }) => {
      if (security?.length === 0) return false;
      const [byClient, byToken, ...others] = security ?? [];
      const scopes = byClient?.["oauth2"] ?? [];
      return (
        byToken?.["token"] === undefined ||
        others.length > 0 ||
        scopes.length !== 1 ||
        !scopes.every((scope) => known.includes(scope))
      );
    });
    expect(wrong.map(nameOf)).toEqual([]);
  });

  test("the OpenAPI document describes a success and the errors of every operation", () => {
    const wrong = operations.filter(({ operation: { responses, security } }) => {
      const statuses = Object.keys(responses);
      const expected = ["400", "500", "503", "507", ...(security?.length === 0 ? [] : ["401"])];
      const succeeds = statuses.some((status) => /^[23]/.test(status));
      return !succeeds || !expected.every((status) => responses[status]?.content !== undefined);
    });
    expect(wrong.map(nameOf)).toEqual([]);
  });

  test("the OpenAPI document declares that a body may be too large, unless it has no limit or an error of its own", () => {
    const wrong = operations.filter(({ operation: { requestBody, responses } }) => {
      if (requestBody === undefined || "413" in responses) return false;
      const hasLimit = !("application/octet-stream" in requestBody.content);
      return hasLimit && refersTo(responses["400"], ERROR) === "only";
    });
    expect(wrong.map(nameOf)).toEqual([]);
  });

  test("the OpenAPI document includes the common error in every status of an error", () => {
    const wrong = operations.flatMap((operation) =>
      Object.entries(operation.operation.responses)
        .filter(([status]) => Number(status) >= 400)
        .filter(([, response]) => refersTo(response, ERROR) === "not")
        .map(([status]) => `${nameOf(operation)} ${status}`),
    );
    expect(wrong).toEqual([]);
  });

  test("the OpenAPI document describes bodies other than JSON and forms as bytes, which every client can send", () => {
    const wrong = operations.filter(({ operation }) =>
      Object.entries(operation.requestBody?.content ?? {})
        .filter(([type]) => !WRITTEN_BY_CLIENTS.has(type))
        .some(([, { schema }]) => schema?.type !== "string" || schema.format !== "binary"),
    );
    expect(wrong.map(nameOf)).toEqual([]);
  });
});

describe("what is sent is what the document says", () => {
  test("an answer is as the API document says for a URL that no operation takes", async () => {
    for (const { path, method } of operations) {
      const url = `${path.replaceAll(/\{[^}]+\}/g, "1")}?a=%00`;
      const response = await send(url, { method: method.toUpperCase() });
      expect([nameOf({ path, method }), response.status]).toEqual([nameOf({ path, method }), 400]);
      if (method !== "head") await expectDescribed({ path, method }, response);
    }
  });

  test("an answer is as the API document says for a bulk that is refused before it is tried, and for one that fails", async () => {
    const ledger = freshName("document");
    await api(`/api/ledger/v2/${ledger}`, { method: "POST" });
    const bulk = { path: "/api/ledger/v2/{ledger}/_bulk", method: "post" };
    const failing = [{ action: "REVERT_TRANSACTION", data: { id: 1 } }];
    for (const query of ["?parallel=a&parallel=b", ""]) {
      const init = { body: failing, headers: { "content-type": "application/json" } };
      const response = await api(`/api/ledger/v2/${ledger}/_bulk${query}`, init);
      expect(response.status).toBe(400);
      await expectDescribed(bulk, response);
    }
  });

  test("an answer is as the API document says for a write with an idempotency key", async () => {
    const takesKey = ({ operation: { parameters = [] } }: (typeof operations)[number]) =>
      parameters.some(({ in: place, name }) => place === "header" && name === "Idempotency-Key");
    const ids = operations.filter(takesKey).map(({ operation }) => operation.operationId);
    expect(new Set(ids)).toEqual(new Set(KEYED_WRITES));
    const exchanges = MODULES.flatMap(({ examples }) => parseExchanges(examples));
    for (const operationId of KEYED_WRITES) {
      const example = exchanges.find((exchange) => exchange.operationId === operationId);
      const { start = "", headers, body } = example?.request ?? {};
      const [method = "", target = ""] = start.split(" ");
      const key = { ...headers, "idempotency-key": "k".repeat(256) };
      const response = await api(target, { method, body, headers: key });
      const refused = "the idempotency key is longer than 255 characters";
      expect([operationId, await response.text()]).toEqual([
        operationId,
        expect.stringContaining(refused),
      ]);
    }
  });

  test.each([
    ["grant_type=nope", 400],
    ["grant_type=client_credentials", 401],
  ])("a refusal of a token is what the API document says: %s", async (body, status) => {
    const token = { path: "/api/auth/oauth/token", method: "post" };
    const response = await send(token.path, { method: "POST", body });
    expect(response.status).toBe(status);
    await expectDescribed(token, response);
  });

  /** Asserts that an answer matches the schema of its status. */
  async function expectDescribed(
    { path, method }: { path: string; method: string },
    response: Response,
  ): Promise<void> {
    const content = ["responses", `${response.status}`, "content", "application/json", "schema"];
    const pointer = ["paths", path, method, ...content]
      .map((part) => part.replaceAll("~", "~0").replaceAll("/", "~1"))
      .map(encodeURIComponent);
    const check = await validate(`${DOCUMENT_URI}#/${pointer.join("/")}`);
    const body = await response.json<Parameters<typeof check>[0]>();
    expect([body, check(body, "BASIC")]).toEqual([body, { valid: true }]);
  }
});

test("the front page leads to the console", async () => {
  const front = await send("/", { redirect: "manual" });
  expect([front.status, front.headers.get("location")]).toEqual([302, "/console"]);
});

test("the API reference asks for a token where the server gives them", async () => {
  const page = await (await send("/docs")).text();
  expect(page).toContain('"tokenUrl": "/api/auth/oauth/token"');
  expect(page).toContain(`"x-scalar-client-id": "${TEST_SETTINGS.FLORIN_CLIENT_ID}"`);
  expect(page).not.toContain(TEST_SETTINGS.FLORIN_CLIENT_SECRET);
});

describe("every operation with a scope", () => {
  test("every operation with a scope is there, and refuses a request without a token", async () => {
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

/** The way in which an answer refers to a schema: as its only schema, as one of several, or not at all. */
function refersTo(
  response: Described | undefined,
  reference: string,
): "only" | "among others" | "not" {
  const schema = response?.content?.["application/json"]?.schema;
  if (schema?.$ref === reference) return "only";
  return schema?.anyOf?.some(({ $ref }) => $ref === reference) === true ? "among others" : "not";
}

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
