import { describe, expect, test } from "vitest";
import { elasticsearchDriver } from "#modules/exporters/drivers/elasticsearch.ts";
import { httpDriver } from "#modules/exporters/drivers/http.ts";
import { parseJson } from "#platform/json.ts";
import {
  FakeServer,
  configErrorOf,
  item,
  items,
  LARGE,
} from "#test/support/exporters/destinations.ts";

const linesOf = (text: string): string[] => text.split("\n").slice(0, -1);

describe("the http driver", () => {
  const url = "http://127.0.0.1:9/in";

  test("the http driver posts a JSON array of entries with their ledger and exact amounts", async () => {
    const server = new FakeServer();
    const destination = httpDriver.open({ url }, server.context());
    expect(await destination.send("main", [item(7), item(9)])).toBeUndefined();
    const [call] = server.calls;
    expect(call?.url.href).toBe(url);
    expect(call?.body.endsWith("]\n")).toBe(true);
    const sent = parseJson(call?.body ?? "") as object[];
    expect(sent).toEqual(
      [7, 9].map((id) => ({ ...(parseJson(item(id).text) as object), ledger: "main" })),
    );
    expect(call?.body).toContain(`"amount":${LARGE}`);
  });

  test.each([
    [201, undefined],
    [301, "the answer is 301"],
    [400, "the answer is 400: no such thing"],
    [503, "the answer is 503: no such thing"],
  ])("the http driver reports the status %i as: %s", async (status, problem) => {
    const server = new FakeServer();
    server.respond = () => new Response(status === 301 ? null : "no such\n\tthing", { status });
    expect(await httpDriver.open({ url }, server.context()).send("main", [item(1)])).toBe(problem);
  });

  test("the http driver shows no secret of its URL that a server repeats", async () => {
    const server = new FakeServer();
    server.respond = ({ url: called }) =>
      new Response(`${called.href} ${called.searchParams.get("token")}`, { status: 403 });
    const destination = httpDriver.open({ url: `${url}?token=hunter%202` }, server.context());
    expect(await destination.send("main", [item(1)])).toBe(
      `the answer is 403: ${url}?token=*** ***`,
    );
  });

  test("the http driver reports why no answer came", async () => {
    const server = new FakeServer();
    server.respond = () => {
      throw new Error("connection refused");
    };
    const problem = await httpDriver.open({ url }, server.context()).send("main", [item(1)]);
    expect(problem).toBe("no answer: connection refused");
  });

  test.each([
    [{}, "url", "empty url"],
    [{ url: null }, "url", "empty url"],
    [{ url: "no-host" }, "url", "invalid url, host, must be defined"],
    [{ url: "ftp://host/x" }, "url", "url is not an absolute http(s) URL"],
    [{ url: "http://a:b@host.example/x" }, "url", "url must not contain credentials"],
    [
      { url: 5 },
      "url",
      "json: cannot unmarshal number into Go struct field Config.url of type string",
    ],
    [{ url, headers: {} }, "headers", "unknown field 'headers'"],
    [
      { url, batching: 5 },
      "batching",
      "json: cannot unmarshal number into Go struct field Config.batching of type object",
    ],
    [{ url, batching: { maxItem: 5 } }, "batching.maxItem", "unknown field 'batching.maxItem'"],
    [
      { url, batching: { maxItems: -1 } },
      "batching.maxItems",
      "flushBytes must be greater than 0: batching.maxItems is negative",
    ],
    [
      { url, batching: { flushInterval: "soon" } },
      "batching.flushInterval",
      'batching.flushInterval: time: invalid duration "soon"',
    ],
    [
      { url, batching: { flushInterval: "61m" } },
      "batching.flushInterval",
      "batching.flushInterval is longer than 60 minutes",
    ],
  ])("the http driver refuses %j because of %s", (config, field, message) => {
    const { context } = { context: new FakeServer().context() };
    expect(configErrorOf((given) => httpDriver.open(given, context), config)).toMatchObject({
      name: "ConfigError",
      field,
      message,
    });
  });

  test("the http driver goes to public hosts only, unless the deployment allows others", () => {
    const context = new FakeServer().context({ policy: { allowPrivateHosts: false } });
    expect(configErrorOf((config) => httpDriver.open(config, context), { url })?.message).toBe(
      "url names 127.0.0.1, which is not a public host",
    );
  });

  test.each([
    [{}, { itemsMax: undefined, flushAfterMs: 1000 }],
    [
      { maxItems: 0, flushInterval: "0s" },
      { itemsMax: undefined, flushAfterMs: 1000 },
    ],
    [
      { maxItems: 10, flushInterval: "2s" },
      { itemsMax: 10, flushAfterMs: 2000 },
    ],
    [{ flushInterval: "50ms" }, { itemsMax: undefined, flushAfterMs: 50 }],
  ])("the http driver reads the batching %j", (batching, expected) => {
    const context = new FakeServer().context();
    expect(httpDriver.open({ url, batching }, context).batching).toEqual(expected);
  });
});

describe("the elasticsearch driver", () => {
  const endpoint = "http://127.0.0.1:9/es/?pipeline=logs";

  const answer = (statuses: readonly number[]): Response =>
    Response.json({
      errors: statuses.some((status) => status > 299),
      items: statuses.map((status) => ({
        index: { status, ...(status > 299 ? { error: { type: "mapper_parsing_exception" } } : {}) },
      })),
    });

  test("the elasticsearch driver indexes a document with a stable id for each entry", async () => {
    const server = new FakeServer();
    server.respond = () => answer([201, 200]);
    const authentication = { username: "elastic", password: "pä" };
    const destination = elasticsearchDriver.open({ endpoint, authentication }, server.context());
    expect(await destination.send("main", items(7, 8))).toBeUndefined();
    const [call] = server.calls;
    expect(call?.url.href).toBe("http://127.0.0.1:9/es/_bulk?pipeline=logs");
    expect(call?.headers.get("content-type")).toBe("application/x-ndjson");
    expect(call?.headers.get("authorization")).toBe("Basic ZWxhc3RpYzpww6Q=");
    const lines = linesOf(call?.body ?? "").map((line) => parseJson(line));
    const id = "eyJsb2dJRCI6NywibGVkZ2VyIjoibWFpbiJ9";
    expect(lines[0]).toEqual({ index: { _index: "unified-stack-data", _id: id } });
    const { data } = parseJson(item(7).text) as { data: object };
    expect(lines[1]).toEqual({ id, payload: data, module: "main" });
    expect(lines).toHaveLength(4);
    expect(call?.body).toContain(`"amount":${LARGE}`);
  });

  test("the elasticsearch driver shows no password that a server repeats", async () => {
    const server = new FakeServer();
    const authentication = { username: "elastic", password: "hunter2" };
    const destination = elasticsearchDriver.open({ endpoint, authentication }, server.context());
    const repeat = (headers: Headers) => `${headers.get("authorization")} elastic:hunter2`;
    server.respond = ({ headers }) => new Response(repeat(headers), { status: 500 });
    expect(await destination.send("l", [item(1)])).toBe("the answer is 500: Basic *** elastic:***");
    server.respond = ({ headers }) => new Response(repeat(headers));
    expect(await destination.send("l", [item(1)])).toBe(
      "the answer is not that of a bulk request: Basic *** elastic:***",
    );
    server.respond = ({ headers }) =>
      Response.json({ items: [{ index: { status: 401, error: repeat(headers) } }] });
    expect(await destination.send("l", [item(1)])).toBe(
      '1 of 1 entries were refused, first 1 with 401: "Basic *** elastic:***"',
    );
    const keyed = { endpoint: `${endpoint}&apikey=hunter3` };
    server.respond = ({ url }) => new Response(url.search, { status: 401 });
    expect(await elasticsearchDriver.open(keyed, server.context()).send("l", [item(1)])).toBe(
      "the answer is 401: ?pipeline=logs&apikey=***",
    );
  });

  test("the elasticsearch driver names the first entry that was refused, even if the answer is a success", async () => {
    const server = new FakeServer();
    server.respond = () => answer([201, 400, 429]);
    const destination = elasticsearchDriver.open({ endpoint, index: "own" }, server.context());
    expect(await destination.send("main", items(5, 7))).toBe(
      '2 of 3 entries were refused, first 6 with 400: {"type":"mapper_parsing_exception"}',
    );
    expect(server.calls[0]?.body).toContain('"_index":"own"');
  });

  test.each([
    ["<html>", "the answer is not that of a bulk request: <html>"],
    ['{"items":[]}', "the answer has 0 items for 1 entries"],
    ['{"items":[{}]}', "1 of 1 entries were refused, first 1 with undefined: {}"],
  ])("the elasticsearch driver does not accept %s as a success", async (body, problem) => {
    const server = new FakeServer();
    server.respond = () => new Response(body);
    const destination = elasticsearchDriver.open({ endpoint }, server.context());
    expect(await destination.send("main", [item(1)])).toBe(problem);
  });

  test.each([
    [{}, "endpoint", "elasticsearch endpoint is required"],
    [
      { endpoint, authentication: { username: "u" } },
      "authentication.password",
      "authentication configuration is invalid: username and password must be defined together",
    ],
    [
      { endpoint, authentication: { password: "p" } },
      "authentication.username",
      "authentication configuration is invalid: username and password must be defined together",
    ],
    [
      { endpoint, authentication: { username: "a:b", password: "p" } },
      "authentication.username",
      "authentication configuration is invalid: username must not contain ':'",
    ],
    [{ endpoint, indexes: "x" }, "indexes", "unknown field 'indexes'"],
  ])("the elasticsearch driver refuses %j because of %s", (config, field, message) => {
    const context = new FakeServer().context();
    const error = configErrorOf((given) => elasticsearchDriver.open(given, context), config);
    expect(error).toMatchObject({ field, message });
  });

  test("the elasticsearch driver refuses to sign for AWS, because it can't", () => {
    const context = new FakeServer().context();
    const open = (awsEnabled: boolean) =>
      configErrorOf((config) => elasticsearchDriver.open(config, context), {
        endpoint,
        authentication: { awsEnabled },
      });
    expect(open(true)?.field).toBe("authentication.awsEnabled");
    expect(open(false)).toBeUndefined();
  });
});
