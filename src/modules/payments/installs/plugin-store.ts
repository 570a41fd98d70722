import { sql } from "drizzle-orm";
import { paymentPluginTexts } from "./tables.ts";
import type { PluginStore, StoredText } from "#modules/payments/connectors/contract.ts";
import { databaseOf } from "#platform/db/database.ts";
import { stringifyJson } from "#platform/json.ts";
import { SecretBox } from "#platform/secrets/secrets.ts";

/**
 * The texts that a plugin stores for one installation, in D1, encrypted for this installation. Nothing is stored
 * for an installation that is being uninstalled.
 */
export function pluginStore(env: Env, connectorKey: number): PluginStore {
  const db = databaseOf(env);
  const box = SecretBox.from(env);
  const purpose = `text of the plugin of connector ${connectorKey}`;
  const named = (prefix: string) =>
    sql`connector_key = ${connectorKey} AND name >= ${prefix} AND name < ${prefix + LAST}`;
  return {
    find: async (name) => {
      const [row] = await db.all<{ value: string }>(sql`
        SELECT value FROM ${paymentPluginTexts} WHERE connector_key = ${connectorKey} AND name = ${name}`);
      return row === undefined ? undefined : box.open(row.value, purpose);
    },
    list: async (prefix) => {
      const rows = await db.all<StoredText>(
        sql`SELECT name, value FROM ${paymentPluginTexts} WHERE ${named(prefix)} ORDER BY name`,
      );
      return rows.map(({ name, value }) => ({ name, value: box.open(value, purpose) }));
    },
    insert: async (...texts) => {
      const [{ name: first }] = texts;
      const rows = stringifyJson(
        texts.map(({ name, value }) => ({ name, value: box.seal(value, purpose) })),
      );
      const inserted = await db.all(sql`
        INSERT INTO ${paymentPluginTexts} (connector_key, name, value)
        SELECT ${connectorKey}, value ->> 'name', value ->> 'value' FROM json_each(${rows})
        WHERE EXISTS (SELECT 1 FROM payment_connectors WHERE key = ${connectorKey} AND deleted_at IS NULL)
          AND NOT EXISTS (
            SELECT 1 FROM ${paymentPluginTexts} WHERE connector_key = ${connectorKey} AND name = ${first})
        RETURNING name`);
      return inserted.length > 0;
    },
    removeByPrefix: async (prefix) => {
      await db.run(sql`DELETE FROM ${paymentPluginTexts} WHERE ${named(prefix)}`);
    },
  };
}

/** Sorts after every character that names contain. */
const LAST = "\u{10ffff}";
