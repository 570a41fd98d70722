import { and, eq } from "drizzle-orm";
import type { Conversion } from "./conversion.ts";
import { paymentConversions } from "./tables.ts";
import type { ObjectMetadata } from "#modules/payments/common/metadata.ts";
import { given } from "#modules/payments/core/given.ts";
import type { ConnectorId, OwnedId } from "#modules/payments/core/ids.ts";
import { ConnectorDirectory } from "#modules/payments/installs/directory.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { parseJson } from "#platform/json.ts";

/** A conversion by id. Throws `NOT_FOUND`. */
export async function getConversion(
  context: { readonly env: Env },
  id: OwnedId,
): Promise<Conversion> {
  const connector = (await ConnectorDirectory.read(context)).byId(id.connector);
  const [row] =
    connector === undefined
      ? []
      : await databaseOf(context.env)
          .select()
          .from(paymentConversions)
          .where(
            and(
              eq(paymentConversions.reference, id.reference),
              eq(paymentConversions.connectorKey, connector.key),
            ),
          );
  if (row === undefined) throw new AppError("NOT_FOUND", "cannot get conversion: not found");
  return toConversion(row, id.connector);
}

export function toConversion(
  row: typeof paymentConversions.$inferSelect,
  connector: ConnectorId,
): Conversion {
  const accountOf = (reference: string | null): OwnedId | undefined =>
    reference === null ? undefined : { connector, reference };
  return {
    key: row.key,
    id: { connector, reference: row.reference },
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    sourceAsset: row.sourceAsset,
    destinationAsset: row.destinationAsset,
    sourceAmount: BigInt(row.sourceAmount),
    status: row.status,
    metadata: parseJson(row.metadata) as ObjectMetadata, // only this module writes the column
    raw: row.raw,
    ...given({
      destinationAmount: row.destinationAmount === null ? null : BigInt(row.destinationAmount),
      fee: row.fee === null ? null : BigInt(row.fee),
      feeAsset: row.feeAsset,
      sourceAccount: accountOf(row.sourceReference),
      destinationAccount: accountOf(row.destinationReference),
    }),
  };
}
