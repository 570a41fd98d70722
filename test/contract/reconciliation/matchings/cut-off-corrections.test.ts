import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { sweepRetention } from "#modules/reconciliation/retention/sweep.ts";
import { toPrincipalColumn } from "#platform/access/stored-principal.ts";
import { systemContext } from "#platform/context.ts";
import { ALL_SCOPES, api } from "#test/support/platform/api.ts";
import { dataOf } from "#test/support/reconciliation/books.ts";
import {
  balanceOf,
  breakPath,
  type CorrectionView,
  resume,
  withMissing,
} from "#test/support/reconciliation/breaks.ts";

const rowsOf = async (id: string): Promise<readonly Record<string, unknown>[]> =>
  (await env.DB.prepare("SELECT * FROM reconciliation_corrections WHERE id = ?").bind(id).all())
    .results;

describe("a correction whose booking was cut off", () => {
  test("is booked by what the ledger has, whatever rights are gone by then", async () => {
    const { matching, line } = await withMissing();
    const path = `${breakPath(matching, line)}/correction`;
    const booked = await dataOf<CorrectionView>(await api(path, { body: {} }), 201);
    const nobody = toPrincipalColumn({
      issuer: "https://florin.test",
      subject: "gone",
      clientId: "gone",
      scopes: new Set(ALL_SCOPES),
      ledgers: [],
    });
    await resume(booked.id, { state: "booking", requested_by: nobody });
    expect(await dataOf(await api(`${matching.path}/corrections/${booked.id}`))).toMatchObject({
      state: "booked",
      transactionID: booked.transactionID,
      group: booked.group,
    });
    expect(await balanceOf(matching.ledgers.right, "bank")).toBe(1250);
  });

  test("outlives its matching until the sweep has ended it", async () => {
    const { matching, line } = await withMissing();
    const path = `${breakPath(matching, line)}/correction`;
    const booked = await dataOf<CorrectionView>(await api(path, { body: {} }), 201);
    await env.DB.prepare("UPDATE reconciliation_corrections SET state = 'booking' WHERE id = ?")
      .bind(booked.id)
      .run();
    await api(matching.path, { method: "DELETE" });
    expect(await sweepRetention(systemContext(env, "test"))).toBeGreaterThan(Date.now());
    expect(await rowsOf(booked.id)).toHaveLength(1);
    await resume(booked.id, { state: "booking" });
    expect(await rowsOf(booked.id)).toMatchObject([
      { state: "booked", transaction_id: String(booked.transactionID) },
    ]);
    await sweepRetention(systemContext(env, "test"));
    expect(await rowsOf(booked.id)).toEqual([]);
  });
});
