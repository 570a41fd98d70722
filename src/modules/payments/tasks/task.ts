import type { TaskStatus } from "#modules/payments/core/enums.ts";
import type { ConnectorId, OwnedId } from "#modules/payments/core/ids.ts";
import type { Timestamp } from "#platform/time.ts";

/** Work that goes on after the answer to the request that has begun it. */
export interface Task {
  readonly id: OwnedId;
  /** The connector that it belongs to, and is deleted with; absent for the tasks that outlive it. */
  readonly connectorKey?: number;
  readonly status: TaskStatus;
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
  /** The id of what it has made, as clients see it. */
  readonly createdObjectId?: string;
  readonly error?: string;
}

/** The connector that a task shows: that of its id, if it belongs to it. */
export const connectorOf = ({ id, connectorKey }: Task): ConnectorId | undefined =>
  connectorKey === undefined ? undefined : id.connector;
