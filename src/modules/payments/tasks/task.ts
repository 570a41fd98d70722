import type { TaskStatus } from "#modules/payments/core/enums.ts";
import type { ConnectorId, OwnedId } from "#modules/payments/core/ids.ts";
import type { Timestamp } from "#platform/time.ts";

/** Work that continues after the answer to the request that has begun it. */
export interface Task {
  readonly id: OwnedId;
  /** The connector with which the task is deleted; absent for a task that outlives it. */
  readonly connectorKey?: number;
  readonly status: TaskStatus;
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
  /** The id of the object that the task has created, as clients see it. */
  readonly createdObjectId?: string;
  readonly error?: string;
}

/** The connector that a task shows: the one in its id, unless the task outlives its connector. */
export const connectorOf = ({ id, connectorKey }: Task): ConnectorId | undefined =>
  connectorKey === undefined ? undefined : id.connector;
