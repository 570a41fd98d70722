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

/** What rows of a connector show of it. */
export interface ConnectorEntry {
  readonly key: number;
  readonly id: ConnectorId;
  readonly name: string;
  readonly createdAt: Timestamp;
}

/** A page of rows as what they are at their connectors. What an uninstalled connector has left goes soon, and is not shown. */
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

/** The connectors of a deployment, which are few, by their keys and ids. */
export class ConnectorDirectory {
  readonly #byKey: ReadonlyMap<number, ConnectorEntry>;
  readonly #byReference: ReadonlyMap<string, ConnectorEntry>;

  constructor(entries: readonly ConnectorEntry[]) {
    this.#byKey = new Map(entries.map((entry) => [entry.key, entry]));
    this.#byReference = new Map(entries.map((entry) => [entry.id.reference, entry]));
  }

  /** Those that are installed now, and those that are being uninstalled. Read after rows, it has the connectors of all of them. */
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

  /** Undefined once it is uninstalled. */
  byKey(key: number): ConnectorEntry | undefined {
    return this.#byKey.get(key);
  }

  byId({ provider, reference }: ConnectorId): ConnectorEntry | undefined {
    const entry = this.#byReference.get(reference);
    return entry?.id.provider === provider ? entry : undefined;
  }

  /** An account as rows name it. */
  accountKeyOf(id: OwnedId): string {
    const connector = this.byId(id.connector);
    return connector === undefined
      ? toForeignAccountKey(encodeOwnedId(id))
      : toAccountKey(connector.key, id.reference);
  }

  /** The id of an account that a row names; undefined once its connector is uninstalled. */
  accountIdOf(key: string): string | undefined {
    const name: AccountName = parseAccountKey(key);
    if ("id" in name) return name.id;
    const connector = this.byKey(name.connectorKey);
    return connector === undefined
      ? undefined
      : encodeOwnedId({ connector: connector.id, reference: name.reference });
  }
}
