import {
  type ConnectorId,
  encodeOwnedId,
  NO_CONNECTOR,
  type OwnedId,
} from "#modules/payments/core/ids.ts";

/** The name of the deployment in the references of tasks and schedules. Clients recognise operations by these references. */
export const STACK = "florin";

const nameOf = ({ provider, reference }: ConnectorId): string => `${provider}-${reference}`;

/** The ids of tasks. The same operation on the same objects has the same id. */
export const TASK_IDS = {
  createBankAccount: (connector: ConnectorId, bankAccountId: string): OwnedId => ({
    connector,
    reference: `create-bank-account-${STACK}-${nameOf(connector)}-${bankAccountId}`,
  }),
  /** Each retry has a task of its own. */
  createMovement: (
    type: "TRANSFER" | "PAYOUT",
    { initiation, attempt }: { readonly initiation: OwnedId; readonly attempt: number },
  ): OwnedId => ({
    connector: initiation.connector,
    reference: `create-${type.toLowerCase()}-${STACK}-${attempt}-${nameOf(initiation.connector)}-${encodeOwnedId(initiation)}`,
  }),
  reverseMovement: (type: "TRANSFER" | "PAYOUT", reversal: OwnedId): OwnedId => ({
    connector: reversal.connector,
    reference: `reverse-${type.toLowerCase()}-${STACK}-${nameOf(reversal.connector)}-${encodeOwnedId(reversal)}`,
  }),
  uninstall: (connector: ConnectorId): OwnedId => ({
    connector,
    reference: `uninstall-${STACK}-${nameOf(connector)}`,
  }),
  reset: (connector: ConnectorId): OwnedId => ({
    connector,
    reference: `reset-${STACK}-${nameOf(connector)}`,
  }),
  deleteUser: (userId: string): OwnedId => ({
    connector: NO_CONNECTOR,
    reference: `delete-user-${STACK}-${userId}`,
  }),
  deleteUserFromConnector: (connector: ConnectorId, userId: string): OwnedId => ({
    connector,
    reference: `delete-user-connector-${STACK}-${nameOf(connector)}-${userId}`,
  }),
  deleteUserConnection: (
    connector: ConnectorId,
    { userId, connectionId }: { readonly userId: string; readonly connectionId: string },
  ): OwnedId => ({
    connector,
    reference: `delete-user-connection-${STACK}-${nameOf(connector)}-${userId}-${connectionId}`,
  }),
} as const;
