import { sql } from "drizzle-orm";
import { paymentPluginTexts } from "./tables.ts";
import type { PluginStore, StoredText } from "#modules/payments/connectors/contract.ts";
import { databaseOf } from "#platform/db/database.ts";
import { stringifyJson } from "#platform/json.ts";

/** What a plugin keeps for one installation, in D1. Nothing is stored for an installation that is not there any more. */
export function pluginStore(env: Pick<Env, "DB">, connectorKey: number): PluginStore {
  const db = databaseOf(env);
  const named = (prefix: string) =>
    sql`connector_key = ${connectorKey} AND name >= ${prefix} AND name < ${prefix + LAST}`;
  return {
    find: async (name) => {
      const [row] = await db.all<{ value: string }>(sql`
        SELECT value FROM ${paymentPluginTexts} WHERE connector_key = ${connectorKey} AND name = ${name}`);
      return row?.value;
    },
    list: (prefix) =>
      db.all<StoredText>(
        sql`SELECT name, value FROM ${paymentPluginTexts} WHERE ${named(prefix)} ORDER BY name`,
      ),
    insert: async (...texts) => {
      const [{ name: first }] = texts;
      const rows = stringifyJson(texts.map(({ name, value }) => [name, value]));
      const inserted = await db.all(sql`
        INSERT INTO ${paymentPluginTexts} (connector_key, name, value)
        SELECT ${connectorKey}, value ->> 0, value ->> 1 FROM json_each(${rows})
        WHERE EXISTS (SELECT 1 FROM payment_connectors WHERE key = ${connectorKey} AND deleted_at IS NULL)
          AND NOT EXISTS (
            SELECT 1 FROM ${paymentPluginTexts} WHERE connector_key = ${connectorKey} AND name = ${first})
        RETURNING name`);
      return inserted.length > 0;
    },
    remove: async (prefix) => {
      await db.run(sql`DELETE FROM ${paymentPluginTexts} WHERE ${named(prefix)}`);
    },
  };
}

/** Beyond all characters that names have. */
const LAST = "\u{10ffff}";
