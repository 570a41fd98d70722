import { IngestWorld } from "./ingest-world.ts";
import type { BloomLayout } from "#modules/payments/core/bloom/bloom-layout.ts";
import { encodeConnectorId, encodeOwnedId, encodePaymentId } from "#modules/payments/core/ids.ts";
import { stringifyJson } from "#platform/json.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { account, balance, payment } from "#test/support/payments/provider-objects.ts";

export const CONNECTOR = { provider: "generic", reference: "11111111-2222-4333-8444-555555555555" };
export const OWN = { connector: CONNECTOR, reference: "acc" };
export const IDS = {
  id: encodePaymentId({ connector: CONNECTOR, reference: "pay", type: "PAY-IN" }),
  connector_id: encodeConnectorId(CONNECTOR),
  account: encodeOwnedId(OWN),
};

/** The query of the first page, or of a later one. */
export const queryOf = (where: object | undefined, isLater = false): PageQuery => ({
  kind: "column",
  column: "created_at",
  order: "desc",
  pageSize: 15,
  reverse: false,
  ...(where === undefined ? {} : { where: stringifyJson(where) }),
  ...(isLater ? { start: { value: 1_772_000_000_000_000n, tie: 7n } } : {}),
});

/** Filter keys for which the index of a list has Bloom filters or hashes, so that the list also reads the rows that it finds. */
const HASHED = new Set(["metadata", "source_account_id", "destination_account_id"]);

export const indexOf = (table: string, name: string): string =>
  `${HASHED.has(name) ? "" : "COVERING "}INDEX ${table}_listed`;

export const scanOf = (table: string, name: string): string =>
  `SCAN ${table} USING ${indexOf(table, name)}`;

/** D1 with a payment, an account and its balance, which reports the plans of statements. */
export class PlanWorld extends IngestWorld {
  static async create(): Promise<PlanWorld> {
    const world = new PlanWorld();
    await world.store(await world.prepareAccounts([account("acc")]));
    await world.store(await world.prepareBalances([balance(1n, 0)]));
    await world.store(await world.preparePayments([payment("pay")]));
    return world;
  }

  /** SQLite's plans of the statements that read a table, as one text. */
  async planOf(table: string, list: () => Promise<unknown>): Promise<string> {
    const plans: string[] = [];
    this.d1.onStatement = (text, params) => {
      if (!text.includes(`from "${table}"`)) return;
      const steps = this.d1.rows(`EXPLAIN QUERY PLAN ${text}`, ...params);
      plans.push(...steps.map(({ detail }) => String(detail)));
    };
    await list();
    this.d1.onStatement = () => undefined;
    return plans.filter((step) => step.includes(table) || step.includes("TEMP B-TREE")).join("; ");
  }

  /** The plan of the statement that finds the keys of a page. */
  async keyPlanOf(table: string, list: () => Promise<unknown>): Promise<string> {
    const plan = await this.planOf(table, list);
    const [byKey, ...steps] = plan.split("; ");
    if (
      byKey !== `SEARCH ${table} USING INTEGER PRIMARY KEY (rowid=?)` ||
      steps.pop() !== "USE TEMP B-TREE FOR ORDER BY"
    ) {
      throw new Error(`the rows of a page are not read by their keys: ${plan}`);
    }
    return steps.join("; ");
  }

  /** Adds many blocks with all bits set, which every filter finds. */
  addFullBlocks(table: string, { wordCount }: BloomLayout): void {
    this.d1.exec(`WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
      INSERT OR IGNORE INTO ${table} SELECT i, ${Array(wordCount).fill("-1").join()} FROM n`);
  }

  removeFullBlocks(table: string): void {
    this.d1.exec(`DELETE FROM ${table} WHERE segment > 1`);
  }
}
