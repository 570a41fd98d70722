import type { LaneSpec } from "#modules/webhooks/core/lane.ts";
import { webhookConfigs } from "#modules/webhooks/tables.ts";

/** The columns that make up a `LaneSpec`. */
export const SPEC_COLUMNS = {
  id: webhookConfigs.id,
  revision: webhookConfigs.revision,
  endpoint: webhookConfigs.endpoint,
  active: webhookConfigs.active,
  endedRevision: webhookConfigs.endedRevision,
  hasFailed: webhookConfigs.hasFailed,
  deletedAt: webhookConfigs.deletedAt,
};

export const toSpec = ({
  id,
  deletedAt,
  revision,
  endpoint,
  active,
  endedRevision,
  hasFailed,
}: Pick<typeof webhookConfigs.$inferSelect, keyof typeof SPEC_COLUMNS>): LaneSpec => ({
  configId: id,
  revision,
  endpoint,
  active,
  endedRevision,
  hasFailed,
  isDeleted: deletedAt !== null,
});
