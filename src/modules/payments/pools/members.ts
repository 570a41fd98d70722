import { sql } from "drizzle-orm";
import { POOL_ACCOUNTS_MAX } from "./pool.ts";
import { paymentAccounts } from "#modules/payments/accounts/tables.ts";
import type { AccountType } from "#modules/payments/core/enums.ts";
import { encodeOwnedId, type OwnedId } from "#modules/payments/core/ids.ts";
import { ConnectorDirectory } from "#modules/payments/installs/directory.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { jsonRows } from "#platform/db/json-rows.ts";
import { AppError } from "#platform/errors.ts";

/** An account that a static pool may have. */
export interface Member {
  readonly id: OwnedId;
  readonly connectorKey: number;
}

/**
 * The accounts with certain ids, without duplicates. Throws `NOT_FOUND` for an unknown account, and `VALIDATION` for an
 * account that is not internal or for too many accounts.
 */
export async function requireMembers(
  context: Pick<ServiceContext, "env">,
  ids: readonly OwnedId[],
): Promise<Member[]> {
  const wanted = [...new Map(ids.map((id) => [encodeOwnedId(id), id])).values()];
  if (wanted.length > POOL_ACCOUNTS_MAX) throw tooManyAccounts();
  if (wanted.length === 0) return [];
  const directory = await ConnectorDirectory.read(context);
  const members = wanted.map((id) => {
    const connector = directory.byId(id.connector);
    if (connector === undefined) throw unknownAccount(id);
    return { id, connectorKey: connector.key };
  });
  const types = await readTypes(context, members);
  for (const member of members) {
    const type = types.get(nameOf(member));
    if (type === undefined) throw unknownAccount(member.id);
    if (type === "INTERNAL") continue;
    throw new AppError(
      "VALIDATION",
      `account ${encodeOwnedId(member.id)} is not an internal account`,
    );
  }
  return members;
}

async function readTypes(
  { env }: Pick<ServiceContext, "env">,
  members: readonly Member[],
): Promise<Map<string, AccountType>> {
  const { source, items } = memberRows(members);
  const rows = await databaseOf(env).all<{
    connectorKey: number;
    reference: string;
    type: AccountType;
  }>(sql`
    SELECT a.connector_key AS connectorKey, a.reference, a.type
    FROM ${source} CROSS JOIN ${paymentAccounts} AS a
      ON a.reference = ${items.accountReference} AND a.connector_key = ${items.connectorKey}`);
  return new Map(
    rows.map(({ connectorKey, reference, type }) => [
      nameOf({ connectorKey, id: { reference } }),
      type,
    ]),
  );
}

/** Members as a source of a statement; there is at least one. */
export const memberRows = (members: readonly Member[]) =>
  jsonRows(
    members.map(({ connectorKey, id }) => ({ connectorKey, accountReference: id.reference })),
  );

const nameOf = ({
  connectorKey,
  id,
}: {
  readonly connectorKey: number;
  readonly id: { readonly reference: string };
}): string => `${connectorKey}:${id.reference}`;

const unknownAccount = (id: OwnedId): AppError =>
  new AppError("NOT_FOUND", `cannot get account ${encodeOwnedId(id)}: not found`);

export const tooManyAccounts = (): AppError =>
  new AppError("VALIDATION", `a pool has at most ${POOL_ACCOUNTS_MAX} accounts`);
