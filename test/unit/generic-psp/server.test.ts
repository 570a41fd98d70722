import { readFileSync } from "node:fs";
import { registerSchema, validate } from "@hyperjump/json-schema/openapi-3-1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FaultPlan } from "#scripts/generic-psp/faults.ts";
import { Provider } from "#scripts/generic-psp/provider.ts";
import { ProviderServer } from "#scripts/generic-psp/server.ts";

const OPTIONS = { seed: 7, accounts: 4, beneficiaries: 2, transactions: 40 };
const DOCUMENT = "https://florin.example/generic-connector";
const contract = JSON.parse(
  readFileSync("docs/generic-connector/openapi.json", "utf8"),
) as Parameters<typeof registerSchema>[0]; // the file is a document of OpenAPI

const provider = new Provider(OPTIONS);
let server: ProviderServer;

beforeAll(async () => {
  registerSchema(contract, DOCUMENT, "https://spec.openapis.org/oas/3.1/dialect/base");
  server = await ProviderServer.start(provider, { apiKey: "key" });
});
afterAll(() => server.stop());

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

async function call(request: string, body?: object, key = "key"): Promise<Answer> {
  const [method = "", path] = request.split(" ");
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

async function expectSchema(name: string, value: unknown): Promise<void> {
  const json = value as string; // the validator takes any JSON, but its type for JSON is not exported
  const isValid = await validate(`${DOCUMENT}#/components/schemas/${name}`);
  expect(isValid(json).valid, `${JSON.stringify(value)} is a ${name}`).toBe(true);
}

const payout = (over: object = {}) => ({
  idempotencyKey: "payout-1",
  amount: "250",
  currency: [...(provider.accounts[0]?.balances.keys() ?? [])][0],
  sourceAccountId: "acc-001",
  destinationAccountId: "ben-001",
  description: "rent",
  ...over,
});

describe("the generic provider", () => {
  test.each([
    ["/accounts", "Account", 4],
    ["/beneficiaries", "Beneficiary", 2],
    ["/transactions?pageSize=1000", "Transaction", undefined],
  ])("the generic provider lists %s in the form of the contract", async (path, schema, count) => {
    const { status, body } = await call(`GET ${path}`);
    expect(status).toBe(200);
    const items = body as unknown[]; // the contract of lists has this shape
    if (count !== undefined) expect(items).toHaveLength(count);
    expect(items.length).toBeGreaterThan(0);
    for (const item of items) await expectSchema(schema, item);
  });

  test("the generic provider gives each transaction once over all pages, from a date on with that date", async () => {
    const read = async (query: string) =>
      (await call(`GET /transactions?${query}`)).body as { id: string; updatedAt: string }[]; // the contract of transactions has this shape
    const all = await read("pageSize=1000");
    const pages = [];
    for (let page = 1; page <= Math.ceil(all.length / 7) + 1; page++) {
      pages.push(...(await read(`page=${page}&pageSize=7`)));
    }
    expect(pages).toEqual(all);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    const from = all[10]?.updatedAt ?? "";
    expect(await read(`pageSize=1000&updatedAtFrom=${from}`)).toEqual(
      all.filter(({ updatedAt }) => updatedAt >= from),
    );
  });

  test("the generic provider moves money once for a key, and its transaction names the key", async () => {
    const before = provider.account("acc-001")?.balances.get(payout().currency ?? "") ?? 0n;
    const first = await call("POST /payouts", payout());
    expect(first.status).toBe(200);
    await expectSchema("Movement", first.body);
    expect(await call("POST /payouts", payout())).toEqual(first);
    expect(await call("GET /movements/payout-1")).toEqual(first);
    expect((await call("GET /movements/payout-2")).status).toBe(404);
    const balances = await call("GET /accounts/acc-001/balances");
    await expectSchema("Balances", balances.body);
    expect(provider.account("acc-001")?.balances.get(payout().currency ?? "")).toBe(before - 250n);
    expect(provider.movements).toHaveLength(1);
    expect(provider.transactions.at(-1)).toMatchObject({ relatedTransactionID: "payout-1" });
  });

  test.each([
    ["another movement with a used key", payout({ amount: "1" }), 409],
    ["more than there is", payout({ idempotencyKey: "2", amount: "9".repeat(30) }), 400],
    ["an amount that is no integer", payout({ idempotencyKey: "3", amount: "1.5" }), 400],
    ["a source that is unknown", payout({ idempotencyKey: "4", sourceAccountId: "x" }), 400],
    [
      "a destination that is unknown",
      payout({ idempotencyKey: "5", destinationAccountId: "x" }),
      400,
    ],
  ])("the generic provider refuses %s", async (_what, body, status) => {
    await call("POST /payouts", payout());
    const answer = await call("POST /payouts", body);
    expect(answer.status).toBe(status);
    await expectSchema("Problem", answer.body);
    expect(provider.movements).toHaveLength(1);
  });

  test("the generic provider refuses a wrong key, and names nothing that it does not have", async () => {
    expect((await call("GET /accounts", undefined, "wrong")).status).toBe(401);
    expect((await call("GET /accounts/none/balances")).status).toBe(404);
    expect((await call("GET /accounts?page=x")).status).toBe(400);
  });
});

test("faults are the same for the same seed, and a late failure has moved the money", async () => {
  const plan = () => new FaultPlan({ seed: 3, rate: 0.5 });
  const faults = (from: FaultPlan) => Array.from({ length: 50 }, () => from.next());
  expect(faults(plan())).toEqual(faults(plan()));
  expect(new Set(faults(plan())).size).toBeGreaterThan(3);

  const sick = new Provider(OPTIONS);
  const late = await ProviderServer.start(sick, {
    apiKey: "key",
    faults: new FaultPlan({ seed: 1, rate: 1, faults: ["fail-late"] }),
  });
  try {
    const response = await fetch(`${late.url}/payouts`, {
      method: "POST",
      headers: { authorization: "Bearer key" },
      body: JSON.stringify(payout()),
    });
    expect(response.status).toBe(502);
    expect(sick.movements).toHaveLength(1);
  } finally {
    await late.stop();
  }
});
