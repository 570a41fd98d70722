import { afterEach, describe, expect, test, vi } from "vitest";
import {
  freshLedger,
  inLedger,
  logIdsOf,
  okBodyOf,
  pay,
  post,
  refusalOf,
  traceOf,
} from "#test/support/ledger/api.ts";
import {
  USERS_CHART,
  DEPOSIT,
  insertSchema,
  ledgerWith,
  logsOf,
  metadataOf,
} from "#test/support/ledger/schema-api.ts";
import { WITH_TEMPLATE, warnings } from "#test/support/ledger/schema-warnings.ts";

const LARGE = 10n ** 30n;

describe("a write that names a schema", () => {
  /** All writes except the creation of a transaction, for a ledger whose transaction 1 has the metadata `a`. */
  const WRITES = [
    ["/transactions/1/revert", { method: "POST" }],
    ["/transactions/1/metadata", { body: { k: "v" } }],
    ["/transactions/1/metadata/a", { method: "DELETE" }],
    ["/accounts/users:7/metadata", { body: { k: "v" } }],
    ["/accounts/users:1/metadata/tier", { method: "DELETE" }],
  ] as const;

  test.each(WRITES)(
    "a write that names a schema logs its version, and is refused where there is none: %s",
    async (path, init) => {
      const ledger = await ledgerWith({ chart: USERS_CHART });
      await okBodyOf(post(ledger, pay("world -> users:1", 5, { metadata: { a: "b" } })));
      const before = await traceOf(ledger);
      expect(await refusalOf(inLedger(ledger, `${path}?schemaVersion=v2`, init))).toEqual({
        status: 404,
        code: "NOT_FOUND",
        message: "[NOT_FOUND] schema version `v2` not found, latest available version is `v1`",
      });
      expect(
        await refusalOf(inLedger(ledger, `${path}?schemaVersion=v1&schemaVersion=v1`, init)),
      ).toMatchObject({
        status: 400,
        code: "VALIDATION",
      });
      expect(await traceOf(ledger)).toEqual(before);
      expect((await inLedger(ledger, `${path}?schemaVersion=v1`, init)).ok).toBe(true);
      expect((await logsOf(ledger)).at(-1)).toMatchObject({ schemaVersion: "v1" });
    },
  );

  test.each(["", "?schemaVersion=", "?schemaVersion"])(
    "a write that names a schema names none where the parameter is %j",
    async (query) => {
      const ledger = await ledgerWith(WITH_TEMPLATE);
      await okBodyOf(inLedger(ledger, `/transactions${query}`, { body: pay("world -> x", 1) }));
      expect((await logsOf(ledger)).at(-1)).not.toHaveProperty("schemaVersion");
    },
  );

  test("a write that names a schema gives new accounts their defaults, and leaves the others alone", async () => {
    const ledger = await ledgerWith({ chart: USERS_CHART });
    const create = (body: object) =>
      okBodyOf(inLedger(ledger, "/transactions?schemaVersion=v1", { body }));
    await okBodyOf(post(ledger, pay("world -> users:1", 5)));
    await create(pay("world -> users:1", 5));
    expect(await metadataOf(ledger, "users:1")).toEqual({});
    const accountMetadata = { "users:2": { tier: "gold" }, "users:3": { k: "v" }, other: {} };
    await create(pay("world -> users:4", 5, { accountMetadata }));
    expect(await metadataOf(ledger, "users:2")).toEqual({ tier: "gold" });
    expect(await metadataOf(ledger, "users:3")).toEqual({ k: "v", tier: "basic" });
    expect(await metadataOf(ledger, "users:4")).toEqual({ tier: "basic" });
    expect(await metadataOf(ledger, "other")).toEqual({});
    const log = (await logsOf(ledger)).at(-1);
    expect(log).toMatchObject({ data: { accountMetadata } });
  });

  test.each([
    ["application/json", (elements: readonly string[]) => `[${elements.join(",")}]`],
    [
      "application/vnd.formance.ledger.api.v2.bulk+json-stream",
      (elements: readonly string[]) => elements.join("\n"),
    ],
  ])("a write that names a schema may be a bulk of %s", async (type, join) => {
    const ledger = await ledgerWith(WITH_TEMPLATE);
    const fields = {
      script: { template: "deposit", vars: { amount: `USD ${LARGE}`, to: "users:1" } },
    };
    const body = join(
      [fields, pay("world -> bank", 1)].map((data) =>
        JSON.stringify({ action: "CREATE_TRANSACTION", data }),
      ),
    );
    const headers = { "content-type": type };
    const send = (version: string) =>
      inLedger(ledger, `/_bulk?continueOnFailure=true&schemaVersion=${version}`, { body, headers });
    const answer = await send("v1");
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      errorCode: "VALIDATION",
      data: [
        { responseType: "CREATE_TRANSACTION", data: { template: "deposit" }, logID: 2 },
        {
          responseType: "ERROR",
          errorCode: "VALIDATION",
          errorDescription: "schema version [v1]: failed to find transaction template ``",
        },
      ],
    });
    const unknown = await send("v9");
    expect(await unknown.json()).toMatchObject({
      data: [{ errorCode: "NOT_FOUND" }, { errorCode: "NOT_FOUND" }],
    });
    expect((await logsOf(ledger)).map(({ schemaVersion }) => schemaVersion)).toEqual([
      undefined,
      "v1",
    ]);
  });

  test("a write that names a schema may be a bulk of scripts", async () => {
    const ledger = await ledgerWith({ chart: USERS_CHART });
    const body =
      "//script ik=a\nsend [USD 5] (\n  source = @world\n  destination = @users:1\n)\n//end\n";
    const headers = { "content-type": "application/vnd.formance.ledger.api.v2.bulk+script-stream" };
    const answer = await inLedger(ledger, "/_bulk?schemaVersion=v1", { body, headers });
    expect(answer.status).toBe(200);
    expect((await logsOf(ledger)).at(-1)).toMatchObject({
      idempotencyKey: "a",
      schemaVersion: "v1",
    });
    expect(await metadataOf(ledger, "users:1")).toEqual({ tier: "basic" });
  });
});

describe("a transaction template", () => {
  const PAYOUT = [
    "vars {",
    "  account $from",
    "  portion $fee",
    "  number $count",
    "  string $note",
    "  asset $asset",
    "  monetary $amount",
    "}",
    "send $amount (",
    "  source = $from allowing unbounded overdraft",
    "  destination = {",
    "    $fee to @bank",
    "    remaining to @world",
    "  }",
    ")",
    'set_tx_meta("count", $count)',
    'set_tx_meta("note", $note)',
  ].join("\n");
  const schema = {
    chart: USERS_CHART,
    transactions: { deposit: { script: DEPOSIT }, payout: { script: PAYOUT } },
  };
  const run = (ledger: string, script: object, fields: object = {}) =>
    inLedger(ledger, "/transactions?schemaVersion=v1", { body: { script, ...fields } });

  test("a transaction template takes variables of all types, integers beyond 2^53 among them", async () => {
    const ledger = await ledgerWith(schema);
    const vars = {
      from: "users:1",
      fee: "1/4",
      count: 9_007_199_254_740_993n,
      note: 'a "b"',
      asset: "USD",
      amount: { asset: "USD", amount: 4n * LARGE },
    };
    const response = await run(ledger, { template: "payout", vars });
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(text).toContain(`"amount":${LARGE},"asset":"USD"`);
    expect(JSON.parse(text)).toMatchObject({
      data: {
        template: "payout",
        metadata: { count: "9007199254740993", note: 'a "b"' },
        postings: [{ destination: "bank" }, { destination: "world" }],
      },
    });
    const read = await (await inLedger(ledger, "/transactions/1")).text();
    expect(read).toContain('"template":"payout"');
  });

  test.each<[string, object, string, string]>([
    [
      "an unknown name",
      { template: "nope" },
      "VALIDATION",
      "failed to find transaction template `nope`",
    ],
    ["no name", { plain: DEPOSIT }, "VALIDATION", "failed to find transaction template ``"],
    [
      "a missing variable",
      { template: "deposit", vars: { to: "users:1" } },
      "COMPILATION_FAILED",
      "missing variable $amount",
    ],
    [
      "a variable of another type",
      { template: "deposit", vars: { to: "users:1", amount: "x" } },
      "COMPILATION_FAILED",
      "$amount",
    ],
    ["a name from the prototype", { template: "constructor" }, "VALIDATION", "`constructor`"],
    [
      "a name and a script",
      { template: "deposit", plain: DEPOSIT },
      "VALIDATION",
      "in the same request",
    ],
  ])(
    "a transaction template is refused for %s, and nothing is written",
    async (_what, ...[script, code, message]) => {
      const ledger = await ledgerWith(schema);
      const refusal = await refusalOf(run(ledger, script));
      expect(refusal).toMatchObject({ status: 400, code });
      expect(refusal.message).toContain(message);
      expect(await logIdsOf(ledger)).toEqual([1]);
    },
  );

  test("a transaction template needs a schema that has one", async () => {
    const ledger = await ledgerWith({ chart: USERS_CHART });
    const body = { script: { template: "deposit" } };
    for (const query of ["", "?schemaVersion=v1"]) {
      const refusal = await refusalOf(inLedger(ledger, `/transactions${query}`, { body }));
      expect(refusal).toMatchObject({ status: 400, code: "VALIDATION" });
      expect(refusal.message).toContain(
        "can only use templates on a schema with transaction definitions",
      );
    }
  });

  test("a transaction template is repeated under its key, and tried out by a dry run", async () => {
    const ledger = await ledgerWith(schema);
    const script = { template: "deposit", vars: { amount: "USD 5", to: "users:1" } };
    const send = (query: string, body: object = { script }) =>
      inLedger(ledger, `/transactions?schemaVersion=v1${query}`, {
        body,
        headers: { "idempotency-key": "k" },
      });
    const tried = await okBodyOf<{ data: object }>(send("&dryRun=true"));
    expect(tried.data).toMatchObject({ template: "deposit" });
    expect(await logIdsOf(ledger)).toEqual([1]);
    const first = await send("");
    const again = await send("");
    expect(again.headers.get("idempotency-hit")).toBe("true");
    expect(await again.text()).toBe(await first.text());
    // The text of the template's script, sent as a script, is another input for the idempotency key.
    const plain = { script: { plain: DEPOSIT, vars: script.vars } };
    expect(await refusalOf(send("", plain))).toMatchObject({ code: "VALIDATION" });
    expect(await logIdsOf(ledger)).toHaveLength(2);
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe("audit mode", () => {
  test("audit mode accepts what the chart does not allow, and logs the rule and the account", async () => {
    const logged = warnings();
    const ledger = await ledgerWith({ chart: USERS_CHART });
    const write = (way: string) =>
      okBodyOf(inLedger(ledger, "/transactions?schemaVersion=v1", { body: pay(way, 5) }));
    await write("world -> users:1");
    expect(logged()).toEqual([]);
    await write("world -> users:abc");
    await write("world -> nobody");
    expect(logged()).toMatchObject([
      {
        level: "warn",
        ledger,
        violation:
          "schema version [v1]: segment `abc` defined by the chart of accounts at `users` does not match the pattern",
      },
      {
        violation: "schema version [v1]: account `nobody` is not defined in the chart of accounts",
      },
    ]);
    expect(await logIdsOf(ledger)).toHaveLength(4);
  });

  test("audit mode accepts writes that name no schema, and logs that", async () => {
    const logged = warnings();
    const ledger = await freshLedger();
    await okBodyOf(post(ledger, pay("world -> a", 5)));
    expect(logged()).toEqual([]);
    await insertSchema(ledger, "v1", { body: { chart: USERS_CHART } });
    await insertSchema(ledger, "v2", { body: { chart: USERS_CHART } });
    expect(logged()).toEqual([]);
    await okBodyOf(post(ledger, pay("world -> a", 5)));
    expect(logged()).toMatchObject([
      {
        ledger,
        count: 1,
        violation:
          "a schema version must be specified for this ledger, latest available version is v2",
      },
    ]);
  });

  test("audit mode logs a bulk in a few lines", async () => {
    const logged = warnings();
    const ledger = await ledgerWith({ chart: USERS_CHART });
    const elements = Array.from({ length: 30 }, (_, index) => ({
      action: "CREATE_TRANSACTION",
      data: pay(`world -> users:${index < 10 ? "abc" : `x${index}`}`, 1),
    }));
    await okBodyOf(inLedger(ledger, "/_bulk?schemaVersion=v1", { body: elements }));
    const lines = logged();
    expect(lines).toHaveLength(11);
    expect(lines[0]).toMatchObject({ count: 10 });
    expect(lines[10]).toMatchObject({ message: "more writes violate the schema", count: 11 });
  });

  test("audit mode logs nothing of a bulk that is undone", async () => {
    const logged = warnings();
    const ledger = await ledgerWith({ chart: USERS_CHART });
    const elements = ["world -> users:abc", "users:1 -> world"].map((way) => ({
      action: "CREATE_TRANSACTION",
      data: pay(way, 1),
    }));
    const bulk = await inLedger(ledger, "/_bulk?schemaVersion=v1&atomic=true", { body: elements });
    expect(bulk.status).toBe(400);
    const body = pay("world -> users:1", 5);
    await okBodyOf(inLedger(ledger, "/transactions?schemaVersion=v1", { body }));
    expect(logged()).toEqual([]);
  });

  test("audit mode logs only the end of long numbers in addresses", async () => {
    const logged = warnings();
    const ledger = await ledgerWith({ chart: USERS_CHART });
    const body = pay("world -> cards:4111-1111-1111-1111", 5);
    await okBodyOf(inLedger(ledger, "/transactions?schemaVersion=v1", { body }));
    const iban = pay("world -> users:FR7630006000011234567890189", 5);
    await okBodyOf(inLedger(ledger, "/transactions?schemaVersion=v1", { body: iban }));
    expect(logged()).toMatchObject([
      { violation: expect.stringContaining("account starting with `cards`") as unknown },
      { violation: expect.stringContaining("segment `FR…0189` defined by") as unknown },
    ]);
  });
});
