import { z } from "@hono/zod-openapi";
import { OptionalAsset, OptionalMetadata, ReferenceInput } from "./fields.ts";
import { ConnectorIdInput } from "./path-ids.ts";
import type { NewAccount } from "#modules/payments/accounts/create.ts";
import type { AccountType } from "#modules/payments/core/enums.ts";
import { encodeConnectorId } from "#modules/payments/core/ids.ts";
import { TimestampInput } from "#platform/http/index.ts";
import { stringifyJson } from "#platform/json.ts";
import { formatTimestamp } from "#platform/time.ts";

/** The fields of a new account that both versions of the API have. */
export const AccountFields = z.object({
  reference: ReferenceInput,
  connectorID: ConnectorIdInput,
  createdAt: TimestampInput,
  defaultAsset: OptionalAsset,
  metadata: OptionalMetadata,
});

/** A new account of a client. The request itself becomes its raw data. */
export function toNewAccount(
  body: z.output<typeof AccountFields> & {
    readonly accountName: string | undefined;
    readonly type: AccountType;
  },
): NewAccount {
  const { reference, connectorID: connector, createdAt, type, metadata } = body;
  const { defaultAsset, accountName } = body;
  return {
    connector,
    reference,
    createdAt,
    type,
    metadata,
    ...(accountName === undefined ? {} : { name: accountName }),
    ...(defaultAsset === undefined ? {} : { defaultAsset }),
    raw: stringifyJson({
      ...body,
      connectorID: encodeConnectorId(connector),
      createdAt: formatTimestamp(createdAt),
    }),
  };
}
