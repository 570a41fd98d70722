import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { deletePurgedLedgerSizes } from "#modules/catalogue/index.ts";
import { databaseOf } from "#platform/db/database.ts";
import { keepSize } from "#platform/storage/sizes.ts";
import { freshLedger, okBodyOf, pay, post } from "#test/support/ledger/api.ts";
import { bodyOf, freshName, send } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { sdk } from "#test/support/platform/sdk/sdk.ts";

const db = databaseOf(env);
const namesOf = async () =>
  (await env.DB.prepare("SELECT name FROM storage_sizes ORDER BY name").all()).results.map(
    ({ name }) => name,
  );

afterEach(async () => {
  vi.restoreAllMocks();
  await env.DB.exec("DELETE FROM storage_sizes");
});

test("/versions says nothing of storage that has room", async () => {
  await keepSize(db, "database", { bytes: 6_999_999_999, measuredMs: Date.now() });
  expect(await bodyOf(await send("/versions"))).not.toHaveProperty("storage");
});

test("/versions tells what has reached 70 % of its limit, without the names of ledgers, and modules stay healthy", async () => {
  const nowMs = Date.now();
  await keepSize(db, "database", { bytes: 7_000_000_000, measuredMs: nowMs - 24 * 3_600_000 });
  await keepSize(db, "database", { bytes: 7_100_000_000, measuredMs: nowMs });
  await keepSize(db, "ledger/secret-name", { bytes: 9_500_000_000, measuredMs: nowMs });
  const response = await send("/versions");
  const text = await response.clone().text();
  expect(text).not.toContain("secret-name");
  expect(await bodyOf(response)).toMatchObject({
    storage: [
      { what: "object", bytes: 9_500_000_000, limitBytes: 10_000_000_000 },
      {
        what: "database",
        bytes: 7_100_000_000,
        limitBytes: 10_000_000_000,
        growthPerDay: 100_000_000,
        whatToDo: expect.stringContaining("FLORIN_AUDIT_RETENTION") as string,
      },
    ],
  });
  const { getVersionsResponse: versions } = await sdk().getVersions();
  expect(versions?.versions.every(({ health }) => health)).toBe(true);
});

test("/versions answers also where the sizes cannot be read", async () => {
  const logged = vi.spyOn(console, "error").mockReturnValue(undefined);
  const prepare = env.DB.prepare.bind(env.DB);
  vi.spyOn(env.DB, "prepare").mockImplementation((text) => {
    if (text.includes("storage_sizes")) throw new Error("D1 is away");
    return prepare(text);
  });
  const response = await send("/versions");
  expect([response.status, await bodyOf(response)]).toEqual([
    200,
    expect.not.objectContaining({ storage: expect.anything() as unknown }),
  ]);
  expect(logged).toHaveBeenCalledOnce();
});

test("a ledger whose object is large keeps its size, and its size goes with the ledger", async () => {
  const ledger = await freshLedger();
  await runInDurableObject(env.LEDGERS.getByName(ledger), (_, { storage }) => {
    vi.spyOn(storage.sql, "databaseSize", "get").mockReturnValue(7_500_000_000);
  });
  await okBodyOf(post(ledger, pay("world -> a", 1)));
  await eventually(async () => expect(await namesOf()).toContain(`ledger/${ledger}`));
  // `gone` is the name of no ledger. A size that was measured before the ledger was created belongs to an earlier ledger of its
  // name.
  const gone = `ledger/${freshName()}`;
  await keepSize(db, gone, { bytes: 8_000_000_000, measuredMs: Date.now() });
  await deletePurgedLedgerSizes({ env });
  expect(await namesOf()).toEqual([`ledger/${ledger}`]);
  await env.DB.exec("UPDATE storage_sizes SET measured_ms = 1");
  await deletePurgedLedgerSizes({ env });
  expect(await namesOf()).toEqual([]);
});
