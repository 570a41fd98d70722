import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { assert } from "#platform/assert.ts";
import { inProject } from "#scripts/lib/project.ts";

/** The numbers of a row of docs/sizes.md, in their order, and the constants of the code, with their files in `src`, that they have to be. */
const ROWS: Readonly<Record<string, readonly (readonly [number: string, ...of: string[]])[]>> = {
  "body of a request": [["4 MiB", "platform/http/body.ts BODY_BYTES_MAX"]],
  "body of a bulk": [["8 MiB", "modules/ledger/http/v2/bulk.ts BULK_BYTES_MAX"]],
  "element of a streamed bulk": [["4 MiB", "platform/http/body.ts BODY_BYTES_MAX"]],
  "nesting of JSON": [["200", "platform/json-depth.ts JSON_DEPTH_MAX"]],
  "whole number in JSON": [["2,000", "platform/json.ts INTEGER_DIGITS_MAX"]],
  "filter of a list": [
    ["65,536", "platform/filter/filter.ts FILTER_LENGTH_MAX"],
    ["32", "platform/filter/filter.ts FILTER_DEPTH_MAX"],
    ["1,000", "platform/filter/filter.ts FILTER_NODES_MAX"],
    ["1,000", "platform/filter/filter.ts FILTER_VALUES_MAX"],
  ],
  "amount or balance": [["1,000", "ledger-engine/rules/limits.ts AMOUNT_DIGITS_MAX"]],
  "address of an account": [["256", "ledger-engine/rules/names.ts ADDRESS_LENGTH_MAX"]],
  "reference of a transaction": [["1,024", "ledger-engine/rules/limits.ts REFERENCE_LENGTH_MAX"]],
  "idempotency key": [["255", "ledger-engine/rules/limits.ts IDEMPOTENCY_KEY_LENGTH_MAX"]],
  "metadata of a transaction or an account in one request": [
    ["65,536", "ledger-engine/rules/limits.ts METADATA_BYTES_MAX"],
  ],
  "elements of an atomic stream": [["10,000", "modules/ledger/bulk/limits.ts ATOMIC_ELEMENTS_MAX"]],
  "elements of a stream that is not atomic": [
    ["100,000", "modules/ledger/bulk/limits.ts STREAM_ELEMENTS_MAX"],
  ],
  "script in Numscript": [
    ["100,000", "numscript/limits.ts SOURCE_LENGTH_MAX"],
    ["5,000", "numscript/limits.ts STATEMENTS_MAX"],
    ["5,000", "numscript/limits.ts POSTINGS_MAX"],
    ["500,000", "numscript/limits.ts STEPS_MAX"],
  ],
  "schema of a ledger": [
    ["500,000", "ledger-engine/rules/schemas/limits.ts SCHEMA_BYTES_MAX"],
    ["1,000", "ledger-engine/rules/schemas/limits.ts SCHEMAS_MAX"],
  ],
  exporters: [["1,000", "modules/exporters/services/exporter-service.ts EXPORTERS_MAX"]],
  "pipelines of a ledger": [
    ["50", "modules/exporters/services/pipeline-service.ts PIPELINES_PER_LEDGER_MAX"],
  ],
  connectors: [["1,000", "modules/payments/lifecycle/install.ts CONNECTORS_MAX"]],
  "config of a connector": [["500,000", "modules/payments/lifecycle/install.ts CONFIG_BYTES_MAX"]],
  "accounts of a pool": [["1,000", "modules/payments/pools/pool.ts POOL_ACCOUNTS_MAX"]],
  "bookings of payments in ledgers": [["100", "modules/payments/bookings/booking.ts BOOKINGS_MAX"]],
  "call of a provider to its webhook": [
    ["512 KiB", "modules/payments/http/webhooks.ts WEBHOOK_BYTES_MAX"],
    ["8 MiB", "modules/payments/http/webhooks.ts SPLIT_WEBHOOK_BYTES_MAX"],
  ],
  "answer of a provider": [["8 MiB", "modules/payments/connectors/kit/http.ts ANSWER_BYTES_MAX"]],
  "items of a connector that are set aside": [
    ["1,000", "modules/payments/rejected/store.ts REJECTED_ITEMS_MAX"],
  ],
  "webhook configs": [["500", "modules/webhooks/configs/config-store.ts CONFIGS_MAX"]],
  "URL of an endpoint": [["2,048", "platform/http/outbound.ts OUTBOUND_URL_LENGTH_MAX"]],
  "event types of a config": [["200", "modules/webhooks/http/schemas.ts EVENT_TYPES_MAX"]],
  "call of an endpoint, until its answer is complete": [
    ["15 s", "modules/webhooks/calls/call.ts CALL_TIMEOUT_MS"],
  ],
  "answer that an attempt keeps": [
    ["65,536", "modules/webhooks/calls/call.ts EXCERPT_BYTES_MAX"],
    ["4,096", "modules/webhooks/lane/completed-call.ts SUCCESS_EXCERPT_BYTES_MAX"],
  ],
  event: [["524,288", "platform/events/outbox.ts EVENT_BYTES_MAX"]],
  "config of a workflow": [
    ["262,144", "modules/orchestration/workflows/read-config.ts CONFIG_BYTES_MAX"],
    ["500", "modules/orchestration/core/config.ts STAGES_MAX"],
  ],
  "variables of an instance": [
    ["65,536", "modules/orchestration/instances/start.ts VARIABLES_BYTES_MAX"],
  ],
  triggers: [["1,000", "modules/orchestration/triggers/create.ts TRIGGERS_MAX"]],
  "expression of a trigger": [
    ["20,000", "expr/limits.ts SOURCE_LENGTH_MAX"],
    ["200,000", "expr/limits.ts STEPS_MAX"],
  ],
  "events that wait for the filters of a lane of triggers": [
    ["100,000", "modules/orchestration/triggers/lane/lane-object.ts EVENTS_WAITING_MAX"],
  ],
  "policies, rules, sources, matchings, of each": [
    [
      "1,000",
      "modules/reconciliation/policies/create.ts POLICIES_MAX",
      "modules/reconciliation/rules/create.ts RULES_MAX",
      "modules/reconciliation/sources/create.ts SOURCES_MAX",
      "modules/reconciliation/matchings/create.ts MATCHINGS_MAX",
    ],
  ],
  "file of a statement": [
    ["50 MiB", "modules/reconciliation/core/statements/model/limits.ts FILE_BYTES_MAX"],
  ],
  "lines of a matching": [
    ["4,000,000", "modules/reconciliation/matchings/object/collect.ts MATCHING_LINES_MAX"],
  ],
  "passes of a matching": [
    ["20", "modules/reconciliation/core/matching/check-passes.ts PASSES_MAX"],
  ],
  "lines that a person matches at once": [
    ["500", "modules/reconciliation/http/matchings/groups.ts HAND_LINES_MAX"],
  ],
  clients: [["1,000", "modules/auth/core/client.ts CLIENTS_MAX"]],
  "secrets of a client": [["20", "modules/auth/core/client.ts CLIENT_SECRETS_MAX"]],
  people: [["10,000", "modules/auth/core/end-user.ts PEOPLE_MAX"]],
  "passkeys of a person": [["20", "modules/auth/passkeys/passkeys.ts PASSKEYS_MAX"]],
  "lifetime of an access token": [
    ["3,600 s", "modules/auth/revocations/revoke.ts ACCESS_TOKEN_SECONDS_MAX"],
  ],
};

const page = readFileSync(inProject("docs/sizes.md"), "utf8");

/** The rows of the page's tables of Florin's own sizes, as pairs of their cells. */
const rows = (page.split("## What Cloudflare allows")[0] ?? "")
  .split("\n")
  .flatMap((line): [string, string][] => {
    const [, what = "", size = ""] = /^\| (.+?) \| (.+) \|$/.exec(line) ?? [];
    return what === "" || what === "What" || what.startsWith("---") ? [] : [[what, size]];
  });

test("the page of sizes has no row that nothing compares with the code", () => {
  expect(rows.map(([what]) => what)).toEqual(Object.keys(ROWS));
});

test.each(rows)("the page of sizes is right about: %s", (what, size) => {
  let from = 0;
  for (const [number, ...constants] of ROWS[what] ?? []) {
    const at = size.indexOf(number, from);
    expect([number, at]).toEqual([number, Math.max(at, 0)]);
    from = at + number.length;
    for (const of of constants) expect([of, valueOf(number, of)]).toEqual([of, constantOf(of)]);
  }
});

const UNITS: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1024 * 1024 };

/** The number of a text of the page, in the unit of the constant. */
function valueOf(text: string, of: string): number {
  const [digits = "", unit = ""] = text.replaceAll(",", "").split(" ");
  const isMillis = of.endsWith("_MS");
  return Number(digits) * (UNITS[unit] ?? (unit === "s" && isMillis ? 1000 : 1));
}

/** The value of a constant that is a product of whole numbers. */
function constantOf(of: string): number {
  const [file = "", name = ""] = of.split(" ");
  const source = readFileSync(inProject("src", file), "utf8");
  const [, product = ""] = new RegExp(`const ${name} = ([\\d_* ]+);`).exec(source) ?? [];
  assert(product !== "", `there is no ${of}`);
  return product
    .split("*")
    .reduce((value, factor) => value * Number(factor.replaceAll("_", "")), 1);
}
