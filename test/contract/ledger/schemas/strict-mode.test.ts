import { afterEach, describe, expect, test, vi } from "vitest";
import { freshLedger, okBodyOf, pay, refusalOf, traceOf } from "#test/support/ledger/api.ts";
import { USERS_CHART, ledgerWith } from "#test/support/ledger/schema-api.ts";
import { WITH_TEMPLATE, warnings } from "#test/support/ledger/schema-warnings.ts";
import { strictly } from "#test/support/ledger/strict-api.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

describe("strict mode", () => {
  test("strict mode refuses every write that names no schema, once there is one", async () => {
    const ledger = await freshLedger();
    await okBodyOf(strictly(ledger, "/transactions", { body: pay("world -> users:1", 5) }));
    expect((await strictly(ledger, "/schemas/v1", { body: { chart: USERS_CHART } })).status).toBe(
      204,
    );
    const before = await traceOf(ledger);
    const refused = [
      ["/transactions", { body: pay("world -> users:1", 5) }],
      ["/transactions?schemaVersion=", { body: pay("world -> users:1", 5) }],
      ["/transactions?dryRun=true", { body: pay("world -> users:1", 5) }],
      ["/transactions/1/revert", {}],
      ["/transactions/1/metadata", { body: { k: "v" } }],
      ["/accounts/a/metadata", { body: { k: "v" } }],
      ["/accounts/a/metadata/k", { method: "DELETE" }],
    ] as const;
    for (const [path, init] of refused) {
      expect(await refusalOf(strictly(ledger, path, init))).toEqual({
        status: 400,
        code: "SCHEMA_NOT_SPECIFIED",
        message:
          "[SCHEMA_NOT_SPECIFIED] a schema version must be specified for this ledger, latest available version is v1",
      });
    }
    const bulk = [{ action: "CREATE_TRANSACTION", data: pay("world -> users:1", 5) }];
    const answer = await strictly(ledger, "/_bulk", { body: bulk });
    expect(await answer.json()).toMatchObject({ data: [{ errorCode: "SCHEMA_NOT_SPECIFIED" }] });
    expect(await traceOf(ledger)).toEqual(before);
    // A request that inserts another schema does not have to name a schema.
    expect((await strictly(ledger, "/schemas/v2", { body: { chart: {} } })).status).toBe(204);
  });

  test("strict mode refuses what the chart does not allow, naming rule and account, and changes nothing", async () => {
    const logged = warnings();
    const ledger = await ledgerWith({ chart: USERS_CHART });
    const before = await traceOf(ledger);
    const write = (body: object) => strictly(ledger, "/transactions?schemaVersion=v1", { body });
    expect(await refusalOf(write(pay("world -> users:abc", 5)))).toEqual({
      status: 400,
      code: "VALIDATION",
      message:
        "[VALIDATION] schema version [v1]: segment `abc` defined by the chart of accounts at `users` does not match the pattern",
    });
    expect(await (await write(pay("world -> users:abc:main", 5))).json()).toMatchObject({
      details: "account `users:abc:main`, the pattern of `$id` is `^[0-9]+$`",
    });
    expect(await refusalOf(write(pay("nobody -> users:1", 5, { force: true })))).toMatchObject({
      code: "VALIDATION",
      message: expect.stringContaining("account `nobody` is not defined") as unknown,
    });
    expect(await traceOf(ledger)).toEqual(before);
    expect(logged()).toEqual([]);
    await okBodyOf(write(pay("world -> users:1:main", 5)));
  });

  test("strict mode refuses a transaction without template where the schema has some", async () => {
    const ledger = await ledgerWith(WITH_TEMPLATE);
    const write = (body: object) => strictly(ledger, "/transactions?schemaVersion=v1", { body });
    expect(await refusalOf(write(pay("world -> users:1", 5)))).toMatchObject({
      code: "VALIDATION",
      message: "[VALIDATION] schema version [v1]: transactions on this ledger must use a template",
    });
    const script = { template: "deposit", vars: { amount: "USD 5", to: "users:1" } };
    await okBodyOf(write({ script }));
  });
});
