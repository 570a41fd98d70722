import { expect, test } from "vitest";
import { adjustmentKey } from "#modules/payments/initiations/adjustment-keys.ts";
import { lastOwnedRows, removeOwnedRows } from "#modules/payments/lifecycle/owned-rows.ts";
import { OWNED_ROWS } from "#modules/payments/owned-rows.ts";
import { preparePayments } from "#modules/payments/payments/ingestion/payments.ts";
import { payment } from "#test/support/payments/provider-objects.ts";
import { IngestWorld } from "#test/support/payments/worlds/ingest-world.ts";

const ROWS = 1201;
/** The most payments that are removed at once, so that no other work waits long for the database. */
const ROWS_AT_ONCE = 500;

/** Stores payments of two connectors in turns, as if both were polled at the same time. */
async function storeAll(world: IngestWorld): Promise<void> {
  for (let first = 0; first < ROWS; first += 100) {
    const places = Array.from({ length: Math.min(100, ROWS - first) }, (_, at) => first + at);
    const payments = places.map((place) => payment(`pay-${place}`));
    for (const connector of [world.connector, world.other]) {
      await world.store(await preparePayments(world.context, { connector, payments }));
    }
  }
}

const countOf = (world: IngestWorld, of: string): number =>
  Number(world.d1.rows(`SELECT count(*) AS count FROM ${of}`)[0]?.["count"]);

const ORPHANS = "payment_adjustments WHERE payment_key NOT IN (SELECT key FROM payment_payments)";

test("rows of a connector go some at a time, with what hangs on them, and only they", async () => {
  const world = new IngestWorld();
  await storeAll(world);
  const { db } = world.d1;
  const removal = { connectorKey: world.connector.key, ownedRows: OWNED_ROWS, untilMs: Infinity };
  let left = countOf(world, "payment_payments");
  expect(left).toBe(2 * ROWS);
  const slices: number[] = [];
  world.d1.onStep = (when) => {
    if (when === "before") return;
    const now = countOf(world, "payment_payments");
    if (now < left) slices.push(left - now);
    left = now;
    // A process that is killed here leaves no row whose payment is gone.
    expect(countOf(world, ORPHANS)).toBe(0);
  };
  expect(await removeOwnedRows(db, { ...removal, untilMs: 0 })).toBe(false);
  expect(await removeOwnedRows(db, removal)).toBe(true);
  expect(slices).toEqual([ROWS_AT_ONCE, ROWS_AT_ONCE, ROWS - 2 * ROWS_AT_ONCE]);
  const [first, ...others] = lastOwnedRows(db, removal);
  if (first !== undefined) await db.batch([first, ...others]);
  expect(countOf(world, "payment_payments")).toBe(ROWS);
  expect(countOf(world, "payment_adjustments")).toBe(ROWS);
  const stale = `payment_segments WHERE NOT EXISTS (
    SELECT 1 FROM payment_payments WHERE key / 32 = segment)`;
  expect(countOf(world, stale)).toBe(0);
});

test("adjustments go with their initiations, and those of others stay", async () => {
  const world = new IngestWorld();
  const { d1, connector, other } = world;
  const adjusted = [connector, other, connector].map(({ key }, place) => {
    const [row] = d1.rows(
      `INSERT INTO payment_initiations (connector_key, reference, created_at, description, type, amount, asset, metadata,
         metadata_bits, creator_issuer, creator_subject, status, adjusted_at, adjustments, attempts, was_processed, reversed, reserved)
       VALUES (?, ?, '', '', '', '1', '', '{}', 0, '', '', '', '', 2, 0, 0, '0', '0') RETURNING key`,
      key,
      `po-${place}`,
    );
    const initiation = Number(row?.["key"]);
    for (const ordinal of [0, 1]) {
      d1.rows(
        `INSERT INTO payment_initiation_adjustments (key, initiation_key, status, metadata_bits, created_at, metadata)
         VALUES (?, ?, '', 0, '', '{}')`,
        adjustmentKey(initiation, ordinal),
        initiation,
      );
    }
    return initiation;
  });
  const left = () => d1.rows("SELECT initiation_key AS key FROM payment_initiation_adjustments");
  expect(left()).toHaveLength(6);
  await removeOwnedRows(d1.db, {
    connectorKey: connector.key,
    ownedRows: OWNED_ROWS,
    untilMs: Infinity,
  });
  expect(left()).toEqual([{ key: adjusted[1] }, { key: adjusted[1] }]);
  const [first, ...others] = lastOwnedRows(d1.db, {
    connectorKey: other.key,
    ownedRows: OWNED_ROWS,
  });
  if (first !== undefined) await d1.db.batch([first, ...others]);
  expect(left()).toEqual([]);
});
