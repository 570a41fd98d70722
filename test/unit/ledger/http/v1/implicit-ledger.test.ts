import type { Context } from "hono";
import { describe, expect, test } from "vitest";
import {
  withAutoCreatedLedger,
  withLedgerOrEmpty,
} from "#modules/ledger/http/v1/implicit-ledger.ts";
import { ledgerSettings } from "#modules/ledger/settings.ts";
import { AppError } from "#platform/errors.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { TEST_SETTINGS } from "#test/support/platform/settings.ts";

/** A stand-in that throws at every use. */
const unusable = (what: string): never =>
  new Proxy({} as never, {
    get: (_, member) => {
      throw new Error(`${what} was asked for ${String(member)}`);
    },
  });

/** A request that fails if it uses the catalogue, and whose only call of objects is `counts`. */
function request(counts: () => Promise<unknown>): Context<AppEnv> {
  const env = { DB: unusable("the catalogue"), LEDGERS: { getByName: () => ({ counts }) } };
  const settings = ledgerSettings.parse({ ...TEST_SETTINGS });
  const principal = { issuer: "florin", subject: "", clientId: "", scopes: [], ledgers: [] };
  // The functions under test use no other members of a request.
  const variables = { context: { env, principal }, request: { deployment: { settings } } };
  const get = (name: keyof typeof variables) => variables[name];
  return { env, get } as unknown as Context<AppEnv>;
}

describe.each([
  ["written to", withAutoCreatedLedger],
  ["read", withLedgerOrEmpty],
] as const)("a ledger that exists and is %s", (_, withLedger) => {
  test("a ledger that exists is asked once, and the catalogue never", async () => {
    const value = { transactions: 1, accounts: 2 };
    let calls = 0;
    const counts = async () => {
      calls++;
      return { ok: true, value };
    };
    const answer = await withLedger(request(counts), "main", (service) =>
      service.countLedger("main"),
    );
    expect([answer, calls]).toEqual([value, 1]);
  });

  test("a ledger that exists is asked once if it fails in another way, and not created again", async () => {
    let calls = 0;
    const work = async () => {
      calls++;
      throw new AppError("NOT_FOUND", "nothing there");
    };
    await expect(withLedger(request(unusable("an object")), "main", work)).rejects.toThrow(
      "nothing there",
    );
    expect(calls).toBe(1);
  });

  test.each([
    ["SCHEMA_NOT_SPECIFIED", "VALIDATION"],
    ["COMPILATION_FAILED", "VALIDATION"],
    ["INSUFFICIENT_FUND", "INSUFFICIENT_FUND"],
    ["ALREADY_REVERT", "ALREADY_REVERT"],
    ["OVERLOADED", "OVERLOADED"],
  ] as const)("a ledger that fails with %s reports %s to version 1", async (kind, known) => {
    const work = async () => {
      throw new AppError(kind, "why", { details: "where" });
    };
    await expect(withLedger(request(unusable("an object")), "main", work)).rejects.toMatchObject({
      kind: known,
      message: "why",
      details: "where",
    });
  });
});
