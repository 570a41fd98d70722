import { sql } from "drizzle-orm";
import { paymentInitiations } from "./tables.ts";
import type { ObjectMetadata } from "#modules/payments/common/metadata.ts";
import type { InitiationStatus, InitiationType } from "#modules/payments/core/enums.ts";
import { given } from "#modules/payments/core/given.ts";
import type { ConnectorId, OwnedId } from "#modules/payments/core/ids.ts";
import type { InitiationState } from "#modules/payments/core/initiation-machine.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import { parseJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

/** An order to move money: a transfer between own accounts, or a payout to an account of somebody else. */
export interface Initiation {
  readonly key: number;
  readonly connectorKey: number;
  readonly id: OwnedId;
  readonly createdAt: Timestamp;
  /** The time at which it is to be sent; absent for an initiation that is sent as soon as it is approved. */
  readonly scheduledAt?: Timestamp;
  readonly description: string;
  readonly type: InitiationType;
  readonly asset: string;
  readonly source?: OwnedId;
  readonly destination?: OwnedId;
  readonly metadata: ObjectMetadata;
  readonly creator: Person;
  readonly state: InitiationState;
  /** The error of its last adjustment; absent if the adjustment has none. */
  readonly error?: string;
  readonly adjustedAt: Timestamp;
  readonly adjustments: number;
  /** The number of times it was sent. */
  readonly attempts: number;
  /** The number of triggers that, one after the other, led to the initiation. */
  readonly causationDepth: number;
  /** What has caused the initiation (`platform/tracing/cause.ts`); null where it is not known. */
  readonly cause: string | null;
}

/** A principal, as tokens name it. */
export interface Person {
  readonly issuer: string;
  readonly subject: string;
}

export interface InitiationAdjustment {
  readonly key: number;
  readonly createdAt: Timestamp;
  readonly status: InitiationStatus;
  readonly amount?: bigint;
  readonly error?: string;
  readonly metadata: ObjectMetadata;
}

/** The columns of an initiation, in a query that joins its connector. */
export const INITIATION_COLUMNS = {
  row: paymentInitiations,
  provider: paymentConnectors.provider,
  connectorReference: sql<string>`${paymentConnectors.reference}`.as("connector_reference"),
};

export interface InitiationRow {
  readonly row: typeof paymentInitiations.$inferSelect;
  readonly provider: string;
  readonly connectorReference: string;
}

export function toInitiation({ row, provider, connectorReference }: InitiationRow): Initiation {
  const connector = { provider, reference: connectorReference };
  const { key, connectorKey, reference, createdAt, description, type, asset, status } = row;
  const { adjustedAt, adjustments, attempts, wasProcessed, causationDepth, cause } = row;
  return {
    key,
    connectorKey,
    createdAt,
    description,
    type,
    asset,
    adjustedAt,
    adjustments,
    attempts,
    causationDepth,
    cause,
    id: { connector, reference },
    metadata: parseJson(row.metadata) as ObjectMetadata, // only this module writes the column
    creator: { issuer: row.creatorIssuer, subject: row.creatorSubject },
    state: {
      status,
      wasProcessed,
      amount: BigInt(row.amount),
      reversed: BigInt(row.reversed),
      reserved: BigInt(row.reserved),
    },
    ...given({
      scheduledAt: row.scheduledAt,
      error: row.error,
      source: accountOf(connector, row.source),
      destination: accountOf(connector, row.destination),
    }),
  };
}

const accountOf = (connector: ConnectorId, reference: string | null): OwnedId | undefined =>
  reference === null ? undefined : { connector, reference };
