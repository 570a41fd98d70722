import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { prepareAccounts } from "#modules/payments/accounts/ingestion.ts";
import { prepareConversions } from "#modules/payments/conversions/ingestion.ts";
import type { PreparedPage } from "#modules/payments/ingestion/page.ts";
import { requireConnector } from "#modules/payments/installs/store.ts";
import { prepareOrders } from "#modules/payments/orders/ingestion.ts";
import { preparePayments } from "#modules/payments/payments/ingestion/payments.ts";
import { systemContext } from "#platform/context.ts";
import { storeConnector } from "#test/support/payments/connectors.ts";
import { account, payment } from "#test/support/payments/provider-objects.ts";
import { conversion, order } from "#test/support/payments/provider-orders.ts";
import { freshName } from "#test/support/platform/api.ts";

const ITEMS = 20;
const FILLED = 5000;
const { id } = await storeConnector();
const connector = await requireConnector(systemContext(env, "test"), id);

/** Runs work on a database that counts the rows that D1 reads. */
async function rowsRead(work: (counted: Env) => Promise<PreparedPage>): Promise<number> {
  let rows = 0;
  const count = (results: readonly { readonly meta: D1Meta }[]): void => {
    for (const { meta } of results) rows += meta.rows_read;
  };
  // Statements run as batches of one, because Drizzle reports the rows that were read only for batches.
  const statementOf = (statement: D1PreparedStatement): D1PreparedStatement =>
    new Proxy(statement, {
      get: (target, name: keyof D1PreparedStatement) => {
        if (name === "bind") {
          return (...values: unknown[]) => statementOf(target.bind(...values));
        }
        if (name === "all") return async () => counted(await target.all());
        if (name === "raw") {
          return async () => {
            const { results } = counted(await target.all());
            return results.map((row) => Object.values(row));
          };
        }
        return target[name].bind(target);
      },
    });
  const counted = <R extends { readonly meta: D1Meta }>(result: R): R => {
    count([result]);
    return result;
  };
  const DB = new Proxy(env.DB, {
    get: (target, name: keyof D1Database) =>
      name === "prepare"
        ? (text: string) => statementOf(target.prepare(text))
        : target[name].bind(target),
  });
  const { statements } = await work({ ...env, DB });
  for (const statement of statements) {
    const { sql, params } = (statement as unknown as { toSQL(): Query }).toSQL();
    count([
      await env.DB.prepare(sql)
        .bind(...params)
        .run(),
    ]);
  }
  return rows;
}

interface Query {
  readonly sql: string;
  readonly params: readonly unknown[];
}

/** Adds copies of a row to a table, each with a reference of its own. */
async function fill(table: string): Promise<void> {
  const { results } = await env.DB.prepare(`PRAGMA table_info(${table})`).all<{ name: string }>();
  const names = results.map(({ name }) => name).filter((name) => name !== "key");
  const values = names.map((name) => (name === "reference" ? "'filler-' || n" : name));
  await env.DB.prepare(
    `WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ${FILLED})
     INSERT INTO ${table} (${names.join()})
     SELECT ${values.join()} FROM c, (SELECT * FROM ${table} LIMIT 1)`,
  ).run();
}

const many = <T extends { readonly reference: string }>(item: T): T[] => {
  const name = freshName("item");
  return Array.from({ length: ITEMS }, (_, place) => ({ ...item, reference: `${name}-${place}` }));
};

const PAGES: Readonly<Record<string, (counted: Env) => Promise<PreparedPage>>> = {
  payment_accounts: (counted) =>
    prepareAccounts(systemContext(counted, "test"), {
      connector,
      type: "INTERNAL",
      accounts: many(account("a")),
    }),
  payment_payments: (counted) =>
    preparePayments(systemContext(counted, "test"), { connector, payments: many(payment("p")) }),
  payment_orders: (counted) =>
    prepareOrders(systemContext(counted, "test"), { connector, orders: many(order()) }),
  payment_conversions: (counted) =>
    prepareConversions(systemContext(counted, "test"), {
      connector,
      conversions: many(conversion()),
    }),
};

test.each(Object.entries(PAGES))(
  "a page of new rows of %s reads as many rows in a large table as in a small one",
  async (table, prepare) => {
    await rowsRead(prepare);
    const small = await rowsRead(prepare);
    await fill(table);
    const large = await rowsRead(prepare);
    expect(small).toBeGreaterThan(0);
    // The pages may end in blocks whose numbers differ by one.
    expect(Math.abs(large - small)).toBeLessThan(ITEMS);
  },
);
