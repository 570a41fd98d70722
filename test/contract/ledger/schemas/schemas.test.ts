import { describe, expect, test } from "vitest";
import { present } from "#platform/assert.ts";
import {
  freshLedger,
  inLedger,
  logIdsOf,
  objectOf,
  okBodyOf,
  pay,
  post,
  refusalOf,
} from "#test/support/ledger/api.ts";
import {
  DEPOSIT,
  USERS_CHART,
  insertedSchema,
  insertSchema,
  ledgerWith,
  logsOf,
  metadataOf,
  readSchema,
  schemaPath,
  versionsOf,
} from "#test/support/ledger/schema-api.ts";
import { token } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { evict } from "#test/support/platform/evict.ts";
import { codeOf, sdk } from "#test/support/platform/sdk/sdk.ts";
import { EndpointBench } from "#test/support/webhooks/deliveries.ts";

const { v2 } = sdk().ledger;
const UNKNOWN = "no-such-ledger";
const LARGE = 10n ** 30n;

const WITH_TEMPLATE = { chart: USERS_CHART, transactions: { deposit: { script: DEPOSIT } } };

// The test is the first of the file, so that no events of other tests are on their way.
describe("an insertion as an event", () => {
  test("the insertion of a schema as an event is delivered to those who subscribe to it", async () => {
    const bench = new EndpointBench();
    await bench.subscribe(["ledger.inserted_schema"]);
    const ledger = await ledgerWith({ chart: USERS_CHART });
    const call = await eventually(() =>
      present(
        bench.calls.find(({ body }) => body.includes(ledger)),
        "an event",
      ),
    );
    expect(JSON.parse(call.body)).toMatchObject({
      app: "ledger",
      type: "ledger.inserted_schema",
      payload: {
        ledger,
        schema: { chart: USERS_CHART, version: "v1", createdAt: expect.any(String) as unknown },
      },
    });
  });
});

describe("the official SDK", () => {
  const chart = {
    world: {},
    users: {
      additionalProperties: {
        $id: {
          dotPattern: "^[0-9]+$",
          dotSelf: {},
          dotMetadata: { tier: { default: "basic" } },
          additionalProperties: { main: {} },
        },
      },
    },
  };
  const v2SchemaData = {
    chart,
    transactions: { deposit: { script: DEPOSIT, description: "money in" } },
    queries: {
      rich: {
        resource: "accounts" as const,
        description: "who has much",
        params: { resource: "accounts" as const, expand: "volumes", pageSize: 1 },
        vars: { least: { type: "int", default: 5 } },
        body: { $gte: { "balance[USD]": "${least}" } },
      },
    },
  };

  test("the official SDK inserts, reads and lists schemas", async () => {
    const ledger = await freshLedger();
    const inserted = await v2.insertSchema({ ledger, version: "v1", v2SchemaData });
    expect(inserted.statusCode).toBe(204);
    const { v2SchemaResponse } = await v2.getSchema({ ledger, version: "v1" });
    const schema = present(v2SchemaResponse, "a success has a body").data;
    expect(schema).toEqual({
      ...v2SchemaData,
      version: "v1",
      createdAt: expect.any(Date) as unknown,
    });
    await v2.insertSchema({ ledger, version: "v2", v2SchemaData: { chart: {}, transactions: {} } });
    const listed = async (request: Omit<Parameters<typeof v2.listSchemas>[0], "ledger">) => {
      const answer = await v2.listSchemas({ ledger, ...request });
      return present(answer.v2SchemasCursorResponse, "a success has a body").cursor;
    };
    expect((await listed({})).data.map(({ version }) => version)).toEqual(["v2", "v1"]);
    expect((await listed({ sort: "created_at", order: "desc" })).data[1]).toEqual(schema);
    const first = await listed({ order: "asc", pageSize: 1 });
    expect(first).toMatchObject({ hasMore: true, data: [{ version: "v1" }] });
    const second = await listed({ cursor: present(first.next, "more") });
    expect(second).toMatchObject({ hasMore: false, data: [{ version: "v2" }] });
  });

  test("the official SDK gets the declared errors", async () => {
    const ledger = await freshLedger();
    await v2.insertSchema({ ledger, version: "v1", v2SchemaData });
    const insert = (name: string, version: string, data: object) =>
      codeOf(
        v2.insertSchema({ ledger: name, version, v2SchemaData: { ...v2SchemaData, ...data } }),
      );
    expect(await insert(ledger, "v1", {})).toBe("SCHEMA_ALREADY_EXISTS");
    expect(await insert(ledger, "v1", { chart: {} })).toBe("SCHEMA_ALREADY_EXISTS");
    expect(await insert(ledger, "v2", { chart: { $a: {} } })).toBe("VALIDATION");
    expect(await insert(ledger, "v2", { transactions: { t: { script: "nope" } } })).toBe(
      "VALIDATION",
    );
    expect(await insert(UNKNOWN, "v1", {})).toBe("LEDGER_NOT_FOUND");
    expect(await codeOf(v2.getSchema({ ledger, version: "v2" }))).toBe("NOT_FOUND");
    expect(await codeOf(v2.getSchema({ ledger: UNKNOWN, version: "v1" }))).toBe("LEDGER_NOT_FOUND");
    expect(await codeOf(v2.listSchemas({ ledger, cursor: "e30" }))).toBe("VALIDATION");
    expect(await codeOf(v2.listSchemas({ ledger: UNKNOWN }))).toBe("LEDGER_NOT_FOUND");
    expect(await versionsOf(ledger)).toEqual(["v1"]);
  });

  test("the official SDK repeats an insertion under its key without effect", async () => {
    const ledger = await freshLedger();
    const request = { ledger, version: "v1", v2SchemaData, idempotencyKey: "k" };
    expect((await v2.insertSchema(request)).headers["idempotency-hit"]).toBeUndefined();
    expect((await v2.insertSchema(request)).headers["idempotency-hit"]).toEqual(["true"]);
    const other = { ...request, v2SchemaData: { ...v2SchemaData, chart: {} } };
    expect(await codeOf(v2.insertSchema(other))).toBe("VALIDATION");
    expect(await codeOf(v2.insertSchema({ ...request, version: "v2" }))).toBe("VALIDATION");
    expect(await logIdsOf(ledger)).toEqual([1]);
  });

  test("the official SDK writes by the rules of a schema, and by a template of it", async () => {
    const ledger = await freshLedger();
    await v2.insertSchema({ ledger, version: "v1", v2SchemaData });
    const created = await v2.createTransaction({
      ledger,
      schemaVersion: "v1",
      v2PostTransaction: {
        metadata: {},
        script: { template: "deposit", vars: { amount: `USD ${LARGE}`, to: "users:1" } },
      },
    });
    const transaction = present(created.v2CreateTransactionResponse, "a success has a body").data;
    expect(transaction).toMatchObject({ id: 1n, template: "deposit" });
    const schemaVersion = "v1";
    const bulk = await v2.createBulk({
      ledger,
      schemaVersion,
      requestBody: [
        {
          action: "CREATE_TRANSACTION",
          data: {
            metadata: {},
            script: { template: "deposit", vars: { amount: "USD 1", to: "users:2" } },
          },
        },
      ],
    });
    expect(bulk.v2BulkResponse?.data).toMatchObject([{ data: { template: "deposit" } }]);
    const requestBody = { k: "v" };
    await v2.addMetadataToAccount({ ledger, address: "users:3", schemaVersion, requestBody });
    await v2.addMetadataOnTransaction({ ledger, id: 1n, schemaVersion, requestBody });
    await v2.revertTransaction({ ledger, id: 1n, schemaVersion });
    const { v2LogsCursorResponse } = await v2.listLogs({ ledger });
    const logs = present(v2LogsCursorResponse, "a success has a body").cursor.data;
    expect(logs.map((log) => log.schemaVersion)).toEqual(["v1", "v1", "v1", "v1", "v1", undefined]);
    expect(await metadataOf(ledger, "users:3")).toEqual({ k: "v", tier: "basic" });
    const unknown = { ledger, schemaVersion: "v9", id: 2n };
    expect(await codeOf(v2.revertTransaction(unknown))).toBe("NOT_FOUND");
  });

  test("the official SDK runs queries of all resources", async () => {
    const ledger = await freshLedger();
    const query = (
      resource: "transactions" | "accounts" | "logs" | "volumes",
      rest: object = {},
    ) => ({
      resource,
      ...rest,
    });
    const queries = {
      transactions: query("transactions", {
        vars: { who: { type: "string" } },
        body: { $match: { account: "users:${who}" } },
      }),
      accounts: query("accounts", { body: { $match: { address: "users:" } } }),
      logs: query("logs", { params: { resource: "logs", sort: "id:asc", pageSize: 1 } }),
      volumes: query("volumes", { params: { resource: "volumes", groupBy: 1 } }),
    };
    await v2.insertSchema({
      ledger,
      version: "v1",
      v2SchemaData: { chart, transactions: {}, queries },
    });
    await okBodyOf(post(ledger, pay("world -> users:1", 5)));
    const run = async (
      id: string,
      requestBody: Parameters<typeof v2.runQuery>[0]["requestBody"] = {},
    ) => {
      const answer = await v2.runQuery({ ledger, id, schemaVersion: "v1", requestBody });
      return present(answer.oneOf, "a success has a body").cursor;
    };
    expect((await run("transactions", { vars: { who: "1" } })).data).toMatchObject([{ id: 1n }]);
    expect((await run("accounts")).data).toMatchObject([{ address: "users:1" }]);
    const first = await run("logs");
    expect(first.data).toMatchObject([{ type: "INSERTED_SCHEMA" }]);
    const second = await run("logs", { cursor: present(first.next, "more") });
    expect(second.data).toMatchObject([{ type: "NEW_TRANSACTION" }]);
    expect((await run("volumes")).data).toMatchObject([{ account: "users" }, { account: "world" }]);
    const grouped = { params: { resource: "volumes" as const, groupBy: 2 } };
    expect((await run("volumes", grouped)).data[0]).toMatchObject({ account: "users:1" });
    const params = { resource: "accounts" as const, pit: new Date(0) };
    expect((await run("accounts", { params })).data).toEqual([]);
    const code = (id: string, name = ledger, schemaVersion = "v1") =>
      codeOf(v2.runQuery({ ledger: name, id, schemaVersion, requestBody: {} }));
    expect(await code("transactions")).toBe("VALIDATION");
    expect(await code("nope")).toBe("VALIDATION");
    expect(await code("accounts", ledger, "v9")).toBe("VALIDATION");
    expect(await code("accounts", UNKNOWN)).toBe("LEDGER_NOT_FOUND");
  });
});

describe("an insertion", () => {
  test("the insertion of one schema version by many at once succeeds for one, whose schema is kept", async () => {
    const ledger = await freshLedger();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        insertSchema(ledger, "v1", { body: { chart: { [`a${index}`]: {} } } }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([
      204,
      ...Array.from({ length: 7 }, () => 409),
    ]);
    const { chart } = await readSchema(ledger, "v1");
    expect(Object.keys(chart)).toEqual([`a${statuses.indexOf(204)}`]);
    expect(await logIdsOf(ledger)).toHaveLength(1);
  });

  test("the insertion of a schema under one key by many at once is made once, and all are told so", async () => {
    const ledger = await freshLedger();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        insertSchema(ledger, "v1", {
          body: { chart: USERS_CHART },
          headers: { "idempotency-key": "k" },
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 204));
    const hits = answers.filter(({ headers }) => headers.get("idempotency-hit") === "true");
    expect(hits).toHaveLength(7);
    expect(await logIdsOf(ledger)).toHaveLength(1);
  });

  test("the insertion of a schema tried out by a dry run leaves no trace, and may be made then", async () => {
    const ledger = await freshLedger();
    const dryRun = { query: "?dryRun=true", headers: { "idempotency-key": "k" } };
    expect(
      (await insertSchema(ledger, "v1", { body: { chart: USERS_CHART }, ...dryRun })).status,
    ).toBe(204);
    expect(await versionsOf(ledger)).toEqual([]);
    expect(await logIdsOf(ledger)).toEqual([]);
    expect((await inLedger(ledger, schemaPath("v1"))).status).toBe(404);
    await insertedSchema(ledger, "v1", { chart: USERS_CHART });
    expect(
      await refusalOf(insertSchema(ledger, "v1", { body: { chart: {} }, query: "?dryRun=true" })),
    ).toEqual({
      status: 409,
      code: "SCHEMA_ALREADY_EXISTS",
      message: "[SCHEMA_ALREADY_EXISTS] schema version `v1` already exists",
    });
  });

  test("the insertion of a schema among writes that name the version is seen by all writes after it", async () => {
    const ledger = await freshLedger();
    const write = () =>
      inLedger(ledger, "/transactions?schemaVersion=v1", { body: pay("world -> users:1", 1) });
    const answers = await Promise.all([
      ...Array.from({ length: 10 }, write),
      insertSchema(ledger, "v1", { body: { chart: USERS_CHART } }),
      ...Array.from({ length: 10 }, write),
    ]);
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
    expect(statuses.filter((status) => status !== 200 && status !== 204 && status !== 404)).toEqual(
      [],
    );
    expect((await write()).status).toBe(200);
    const logs = await logsOf(ledger);
    expect(logs[0]).toMatchObject({ type: "INSERTED_SCHEMA" });
    expect(logs.slice(1).every(({ schemaVersion }) => schemaVersion === "v1")).toBe(true);
    expect(logs).toHaveLength(statuses.filter((status) => status !== 404).length + 1);
  });

  test("the insertion of a schema is kept through an eviction", async () => {
    const ledger = await ledgerWith(WITH_TEMPLATE);
    const before = await readSchema(ledger, "v1");
    await evict(objectOf(ledger));
    expect(await readSchema(ledger, "v1")).toEqual(before);
    expect(await refusalOf(insertSchema(ledger, "v1", { body: { chart: {} } }))).toMatchObject({
      status: 409,
    });
    const script = { template: "deposit", vars: { amount: "USD 5", to: "users:1" } };
    const body = { script };
    await okBodyOf(inLedger(ledger, "/transactions?schemaVersion=v1", { body }));
  });

  test.each<[string, string, string]>([
    ["nothing", "", "the body is empty"],
    ["null", "null", "invalid schema: expected an object"],
    ["a list", "[]", "invalid schema: expected an object"],
    ["no chart", '{"transactions":{}}', "invalid schema: missing chart of accounts"],
    ["text behind it", '{"chart":{}} {}', "the body is not valid JSON"],
    [
      "a lone surrogate",
      '{"chart":{},"transactions":{"a":{"description":"\\ud800","script":""}}}',
      "not valid JSON",
    ],
    [
      "an exponent",
      '{"chart":{},"queries":{"q":{"resource":"logs","params":{"pageSize":1e1}}}}',
      "must be an integer",
    ],
    [
      "a fraction",
      '{"chart":{},"queries":{"q":{"resource":"logs","body":{"$gte":{"id":1.0}}}}}',
      "is not an integer",
    ],
    [
      "a decimal as default",
      '{"chart":{},"queries":{"q":{"resource":"logs","vars":{"n":{"type":"int","default":1.5}}}}}',
      "`1.5`",
    ],
    [
      "a number as metadata",
      '{"chart":{"a":{".metadata":{"k":{"default":1}}}}}',
      "invalid default metadata",
    ],
    ["a broken pattern", '{"chart":{"a":{"$b":{".pattern":"("}}}}', "missing closing )"],
    [
      "a pattern that is too large",
      '{"chart":{"a":{"$b":{".pattern":"((a{0,100}){0,100}){0,9}"}}}}',
      "invalid repeat count",
    ],
    ["a segment with a space", '{"chart":{"a b":{}}}', "invalid segment name"],
  ])("the insertion of %s as a schema is refused", async (_what, body, message) => {
    const ledger = await freshLedger();
    const refusal = await refusalOf(insertSchema(ledger, "v1", { body }));
    expect(refusal).toMatchObject({ status: 400, code: "VALIDATION" });
    expect(refusal.message).toContain(message);
    expect(await versionsOf(ledger)).toEqual([]);
  });

  test("the insertion of a schema needs a token that may write", async () => {
    const ledger = await freshLedger();
    const refused = await insertSchema(ledger, "v1", {
      body: { chart: {} },
      token: await token("ledger:read"),
    });
    expect(refused.status).toBe(401);
    expect(await versionsOf(ledger)).toEqual([]);
  });
});
