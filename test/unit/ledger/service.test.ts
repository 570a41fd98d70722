import { describe, expect, test, vi } from "vitest";
import type { LedgerCatalogue } from "#modules/catalogue/index.ts";
import { LedgerService } from "#modules/ledger/service/service.ts";
import { ledgerSettings } from "#modules/ledger/settings.ts";
import { systemContext } from "#platform/context.ts";
import type { Result } from "#platform/result.ts";

/** A service whose ledger answers imports as given, and fails when an import is ended. */
function serviceOf(importLogs: () => Promise<Result<{ taken: number }>>): LedgerService {
  const ledger = {
    assertCreated: async () => ({ ok: true, value: "uuid" }),
    importLogs,
    endImport: async () => {
      throw new Error("the object is gone");
    },
  };
  const env = { DB: {}, LEDGERS: { getByName: () => ledger } } as unknown as Env; // the service uses only these members
  return LedgerService.from(systemContext(env, "test"));
}

const FAILURE = { kind: "VALIDATION", message: "no" } as const;

async function* nothing(): AsyncGenerator<Uint8Array> {}

describe("a bulk", () => {
  const executeBulk = vi.fn<() => Promise<Result<readonly unknown[]>>>(async () => ({
    ok: true,
    value: [],
  }));
  const ledger = { assertCreated: async () => ({ ok: true, value: "uuid" }), executeBulk };
  const env = { DB: {}, LEDGERS: { getByName: () => ledger } } as unknown as Env; // the service uses only these members
  const service = LedgerService.from(systemContext(env, "test"));
  const element = { idempotencyKey: "", command: { ok: false, failure: FAILURE } } as const;
  const settings = { FLORIN_BULK_MAX_SIZE: 2 };
  const options = { atomic: false, continueOnFailure: false };

  const execute = (count: number) =>
    service.executeBulk("main", () => Array.from({ length: count }, () => element), {
      ...options,
      settings,
    });

  test("a bulk goes to its ledger up to the maximum size, with its author and without that setting", async () => {
    await execute(2);
    const author = { issuer: "florin", subject: "test", clientId: "florin" };
    expect(executeBulk.mock.calls).toEqual([[[element, element], { ...options, author }]]);
  });

  test("a bulk above the maximum size is refused as a whole", async () => {
    executeBulk.mockClear();
    await expect(execute(3)).rejects.toMatchObject({
      kind: "BULK_SIZE_EXCEEDED",
      message: "bulk size exceeded, max size is 2",
    });
    expect(executeBulk).not.toHaveBeenCalled();
  });
});

test("a ledger whose object hangs is created all the same", async () => {
  vi.useFakeTimers();
  const logged = vi.spyOn(console, "error").mockReturnValue();
  const hung = { assertCreated: () => new Promise<never>(() => undefined) };
  const env = { LEDGERS: { getByName: () => hung } } as unknown as Env; // the service uses only these members
  const insert = vi.fn<LedgerCatalogue["insert"]>(async () => undefined);
  const catalogue = { insert } as unknown as LedgerCatalogue; // the service uses only these members
  const service = new LedgerService(catalogue, systemContext(env, "test"));
  const ledger = { name: "main", bucket: "", metadata: {}, features: {} };
  const created = service.createLedger(ledger, ledgerSettings.of({}));
  await vi.advanceTimersByTimeAsync(5000);
  await created;
  expect(insert).toHaveBeenCalledOnce();
  expect(logged).toHaveBeenCalledOnce();
  vi.useRealTimers();
});

test("the reason of a refused import is reported even if the call that ends it fails", async () => {
  const logged = vi.spyOn(console, "error").mockReturnValue();
  const failure = { kind: "IMPORT", message: "importing logs: not now" } as const;
  const service = serviceOf(async () => ({ ok: false, failure }));
  await expect(service.importLogs("main", nothing())).rejects.toMatchObject(failure);
  expect(logged).toHaveBeenCalledOnce();
});

test("an import succeeds even if the call that ends it fails", async () => {
  const logged = vi.spyOn(console, "error").mockReturnValue();
  const service = serviceOf(async () => ({ ok: true, value: { taken: 0 } }));
  await expect(service.importLogs("main", nothing())).resolves.toEqual({
    count: 0,
    first: [],
  });
  expect(logged).toHaveBeenCalledOnce();
});
