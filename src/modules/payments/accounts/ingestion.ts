import { sql } from "drizzle-orm";
import { ACCOUNT_BLOOM_INDEX, termsOfAccount } from "./bloom-index.ts";
import { savedAccountEvent } from "./event-types.ts";
import { paymentAccounts } from "./tables.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import {
  accountProblem,
  type ProviderAccount,
} from "#modules/payments/connectors/provider-objects.ts";
import { metadataBloom } from "#modules/payments/core/bloom/metadata-bloom.ts";
import type { AccountType } from "#modules/payments/core/enums.ts";
import { fetchedKind, type FetchedKind } from "#modules/payments/ingestion/fetched-kind.ts";
import type { PreparedPage } from "#modules/payments/ingestion/page.ts";
import { installedKey } from "#modules/payments/installs/installed.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { columnValues, jsonRows, ROW_ORDER } from "#platform/db/json-rows.ts";
import { stringifyJson } from "#platform/json.ts";

export interface AccountPage {
  readonly connector: InstalledConnector;
  /** INTERNAL for accounts of the provider itself, EXTERNAL for beneficiaries. */
  readonly type: AccountType;
  readonly accounts: readonly ProviderAccount[];
}

const fetchedAccounts = (
  type: AccountType,
  operation: "fetchAccounts" | "fetchExternalAccounts",
): FetchedKind =>
  fetchedKind({
    operation,
    problemOf: accountProblem,
    hasOwner: true,
    parentsOf: ({ items }) => items,
    prepare: (context, { connector, page }) =>
      prepareAccounts(context, { connector, type, accounts: page.items }),
  });

export const INTERNAL_ACCOUNTS = fetchedAccounts("INTERNAL", "fetchAccounts");
export const EXTERNAL_ACCOUNTS = fetchedAccounts("EXTERNAL", "fetchExternalAccounts");

/** Prepares accounts for storage. Known accounts stay as they are. Throws `ConnectorError` for an invalid account. */
export async function prepareAccounts(
  context: ServiceContext,
  page: AccountPage,
): Promise<PreparedPage> {
  for (const account of page.accounts) {
    const problem = accountProblem(account);
    if (problem !== undefined) throw new ConnectorError("invalid", problem);
  }
  return prepareNewAccounts(context, page);
}

/**
 * Prepares accounts that have been checked already, by other rules if a client has sent them. Known accounts stay as they
 * are.
 */
export async function prepareNewAccounts(
  { env, clock }: ServiceContext,
  { connector, type, accounts }: AccountPage,
): Promise<PreparedPage> {
  const db = databaseOf(env);
  const { known, lastKey } = await knownReferences(db, connector, accounts);
  // Of several accounts with the same reference, the first is stored.
  const added = [...Map.groupBy(accounts, ({ reference }) => reference).values()].flatMap(
    ([first]) => (first === undefined || known.has(first.reference) ? [] : [first]),
  );
  if (added.length === 0) return { statements: [], events: [] };
  const { source, items } = jsonRows(added.map((account) => toRow(account, type)));
  const now = clock();
  return {
    statements: [
      db.insert(paymentAccounts).select(sql`
          SELECT ${columnValues(paymentAccounts, { ...items, key: null, connectorKey: installedKey(connector) })}
          FROM ${source} WHERE true ORDER BY ${ROW_ORDER}`),
      ACCOUNT_BLOOM_INDEX.addInserted(
        db,
        added.map((account) => termsOfAccount(connector, type, account)),
        { firstKey: lastKey + 1 },
      ),
    ],
    events: added.map(({ reference, ...account }) =>
      savedAccountEvent({ ...account, id: { connector: connector.id, reference }, type }, now),
    ),
  };
}

interface KnownAccounts {
  readonly known: ReadonlySet<string>;
  /** The key of the account that was stored last, of any connector; 0 without accounts. */
  readonly lastKey: number;
}

async function knownReferences(
  db: Database,
  { key }: InstalledConnector,
  accounts: readonly ProviderAccount[],
): Promise<KnownAccounts> {
  if (accounts.length === 0) return { known: new Set(), lastKey: 0 };
  const { source, items } = jsonRows(accounts.map(({ reference }) => ({ reference })));
  const rows = await db.all<{ last: number; reference: string | null }>(sql`
    SELECT coalesce(max(key), 0) AS last, NULL AS reference FROM ${paymentAccounts}
    UNION ALL
    SELECT 0, a.reference FROM ${source}
    CROSS JOIN ${paymentAccounts} AS a ON a.reference = ${items.reference} AND a.connector_key = ${key}`);
  return {
    known: new Set(rows.flatMap(({ reference }) => reference ?? [])),
    lastKey: Math.max(...rows.map(({ last }) => last)),
  };
}

const toRow = (account: ProviderAccount, type: AccountType) => ({
  reference: account.reference,
  createdAt: account.createdAt,
  type,
  name: account.name ?? null,
  defaultAsset: account.defaultAsset ?? null,
  psuId: account.psuId ?? null,
  connectionId: account.connectionId ?? null,
  metadata: stringifyJson(account.metadata),
  metadataBits: metadataBloom(account.metadata),
  raw: account.raw,
});
