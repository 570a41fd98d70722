import type { ObjectMetadata } from "#modules/payments/common/metadata.ts";
import type { ConnectionStatus, LinkStatus } from "#modules/payments/core/enums.ts";
import type { ConnectorId } from "#modules/payments/core/ids.ts";
import type { Timestamp } from "#platform/time.ts";

export interface User {
  readonly key: number;
  readonly id: string;
  readonly name: string;
  readonly contactDetails?: ContactDetails;
  readonly address?: Address;
  /** The ids of the user's bank accounts, oldest first. */
  readonly bankAccountIds: readonly string[];
  readonly metadata: ObjectMetadata;
  readonly createdAt: Timestamp;
}

export interface ContactDetails {
  readonly email?: string;
  readonly phoneNumber?: string;
  readonly locale?: string;
}

export interface Address {
  readonly streetName?: string;
  readonly streetNumber?: string;
  readonly city?: string;
  readonly region?: string;
  readonly postalCode?: string;
  readonly country?: string;
}

/** A connection of a user to a bank, without its token. */
export interface Connection {
  readonly key: number;
  readonly connector: ConnectorId;
  /** The provider's id of the connection. */
  readonly connectionId: string;
  readonly status: ConnectionStatus;
  readonly error?: string;
  readonly metadata: ObjectMetadata;
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
  /** The last time at which its data was fetched. */
  readonly dataUpdatedAt?: Timestamp;
}

/** An attempt to link a user to a bank. */
export interface LinkAttempt {
  readonly key: number;
  readonly id: string;
  readonly userId: string;
  readonly connector: ConnectorId;
  readonly status: LinkStatus;
  readonly error?: string;
  readonly clientRedirectUrl: string;
  readonly createdAt: Timestamp;
}
