import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { sweepCorrections } from "#modules/reconciliation/corrections/sweep.ts";
import { type ServiceContext, systemContext } from "#platform/context.ts";
import { fromMillis } from "#platform/time.ts";
import { api } from "#test/support/platform/api.ts";
import { pageOf } from "#test/support/reconciliation/books.ts";
import {
  type LineView,
  newMatching,
  type TestMatching,
} from "#test/support/reconciliation/matchings.ts";

export interface CorrectionView {
  readonly id: string;
  readonly state: string;
  readonly error?: string;
  readonly transactionID?: number;
  readonly group?: number;
}

export interface Suggestion {
  readonly why: string;
  readonly script?: string;
  readonly correction?: object;
  readonly dryRun?: object;
  readonly refusal?: string;
}

export const breakPath = (matching: TestMatching, line: LineView) =>
  `${matching.path}/breaks/${line.id}`;

/** The only break of a matching on a side. */
export async function onlyBreak(matching: TestMatching, side: "left" | "right"): Promise<LineView> {
  const { data } = await pageOf<LineView>(await api(`${matching.path}/breaks?side=${side}`));
  expect(data).toHaveLength(1);
  return data[0] as LineView; // it has length 1
}

/** A matching with a bank's line that the books do not have. */
export async function withMissing(): Promise<{ matching: TestMatching; line: LineView }> {
  const matching = await newMatching();
  await matching.book(["left", "right"], "both");
  await matching.book(["left"], "missing", { amount: 250n });
  await matching.run();
  return { matching, line: await onlyBreak(matching, "left") };
}

/** The balance of an account in `EUR/2`; 0 for one that nothing has named. */
export const balanceOf = async (ledger: string, account: string): Promise<number> => {
  const response = await api(`/api/ledger/v2/${ledger}/accounts/${account}?expand=volumes`);
  const { data } = await response.json<{
    data?: { volumes?: Record<string, { balance: number }> };
  }>();
  return data?.volumes?.["EUR/2"]?.balance ?? 0;
};

/** Sets a correction back, as a crash leaves it, and lets the sweeps go on with it. */
export async function resume(id: string, columns: Readonly<Record<string, string>>): Promise<void> {
  const set = { transaction_id: null, line_group: null, error: null, ...columns };
  const names = Object.keys(set).map((name) => `${name} = ?`);
  await env.DB.prepare(
    `UPDATE reconciliation_corrections SET ${names.join(", ")}, updated_at = created_at WHERE id = ?`,
  )
    .bind(...Object.values(set), id)
    .run();
  await sweepCorrections(later());
}

export const later = (): ServiceContext => ({
  ...systemContext(env, "test"),
  clock: () => fromMillis(Date.now() + 120_000),
});
