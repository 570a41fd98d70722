import { paymentConnectors } from "./tables.ts";
import {
  type AccountName,
  parseAccountKey,
  toAccountKey,
  toForeignAccountKey,
} from "#modules/payments/core/account-keys.ts";
import { type ConnectorId, encodeOwnedId, type OwnedId } from "#modules/payments/core/ids.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { Timestamp } from "#platform/time.ts";

/** The columns of a connector that answers about its objects show. */
export interface ConnectorEntry {
  readonly key: number;
  readonly id: ConnectorId;
  readonly name: string;
  readonly createdAt: Timestamp;
}

/**
 * A page of rows, each turned into an item with its connector. Rows of a connector that has been uninstalled are left out,
 * as they are deleted soon.
 */
export async function withConnectors<Row extends { readonly connectorKey: number }, Item>(
  context: Pick<ServiceContext, "env">,
  page: Page<Row>,
  toItem: (row: Row, connector: ConnectorId) => Item,
): Promise<Page<Item>> {
  const connectors = await ConnectorDirectory.read(context);
  const data = page.data.flatMap((row) => {
    const connector = connectors.byKey(row.connectorKey);
    return connector === undefined ? [] : [toItem(row, connector.id)];
  });
  return { ...page, data };
}

/** All connectors of a deployment, by their keys and ids. A deployment has few of them. */
export class ConnectorDirectory {
  readonly #byKey: ReadonlyMap<number, ConnectorEntry>;
  readonly #byReference: ReadonlyMap<string, ConnectorEntry>;

  constructor(entries: readonly ConnectorEntry[]) {
    this.#byKey = new Map(entries.map((entry) => [entry.key, entry]));
    this.#byReference = new Map(entries.map((entry) => [entry.id.reference, entry]));
  }

  /**
   * Reads the connectors that are installed or being uninstalled. A directory that is read after rows has the connectors of
   * all these rows.
   */
  static async read({ env }: Pick<ServiceContext, "env">): Promise<ConnectorDirectory> {
    const rows = await databaseOf(env)
      .select({
        key: paymentConnectors.key,
        provider: paymentConnectors.provider,
        reference: paymentConnectors.reference,
        name: paymentConnectors.name,
        createdAt: paymentConnectors.createdAt,
      })
      .from(paymentConnectors);
    return new ConnectorDirectory(
      rows.map(({ provider, reference, ...entry }) => ({ ...entry, id: { provider, reference } })),
    );
  }

  /** Undefined for a connector that has been uninstalled. */
  byKey(key: number): ConnectorEntry | undefined {
    return this.#byKey.get(key);
  }

  byId({ provider, reference }: ConnectorId): ConnectorEntry | undefined {
    const entry = this.#byReference.get(reference);
    return entry?.id.provider === provider ? entry : undefined;
  }

  /** The text by which rows name an account. */
  accountKeyOf(id: OwnedId): string {
    const connector = this.byId(id.connector);
    return connector === undefined
      ? toForeignAccountKey(encodeOwnedId(id))
      : toAccountKey(connector.key, id.reference);
  }

  /** The id of an account that a row names; undefined if its connector has been uninstalled. */
  accountIdOf(key: string): string | undefined {
    const name: AccountName = parseAccountKey(key);
    if ("id" in name) return name.id;
    const connector = this.byKey(name.connectorKey);
    return connector === undefined
      ? undefined
      : encodeOwnedId({ connector: connector.id, reference: name.reference });
  }
}
