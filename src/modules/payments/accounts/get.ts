import { and, eq } from "drizzle-orm";
import { type PaymentAccount, toAccounts } from "./account.ts";
import { paymentAccounts } from "./tables.ts";
import type { OwnedId } from "#modules/payments/core/ids.ts";
import { ConnectorDirectory } from "#modules/payments/installs/directory.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";

/** The account with an id. Throws `NOT_FOUND`. */
export async function getAccount(
  context: Pick<ServiceContext, "env">,
  { connector, reference }: OwnedId,
): Promise<PaymentAccount> {
  const directory = await ConnectorDirectory.read(context);
  const entry = directory.byId(connector);
  const rows =
    entry === undefined
      ? []
      : await databaseOf(context.env)
          .select()
          .from(paymentAccounts)
          .where(
            and(
              eq(paymentAccounts.reference, reference),
              eq(paymentAccounts.connectorKey, entry.key),
            ),
          );
  const [account] = toAccounts(rows, directory);
  if (account === undefined) throw new AppError("NOT_FOUND", "cannot get account: not found");
  return account;
}
