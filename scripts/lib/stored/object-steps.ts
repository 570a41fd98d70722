import { STEPS as LEDGER_STEPS } from "#ledger-engine/storage/tables.ts";
import { RECORDING_TABLES } from "#modules/events/event-recording.ts";
import { PROGRESS_TABLES } from "#modules/exporters/delivery/progress.ts";
import { WAKE_TABLES } from "#modules/orchestration/run/wake-list.ts";
import { LANE_TABLES as TRIGGER_LANE_TABLES } from "#modules/orchestration/triggers/lane/tables.ts";
import { MATCHING_TABLES } from "#modules/reconciliation/matchings/engine/tables.ts";
import { STATEMENT_SOURCE_TABLES } from "#modules/reconciliation/statements/object-tables.ts";
import { SHARD_TABLES } from "#modules/search/engine/tables.ts";
import { LANE_TABLES as WEBHOOK_LANE_TABLES } from "#modules/webhooks/lane/lane-tables.ts";
import { KEEPER_TABLES } from "#platform/backup/scheduled/keeper-tables.ts";
import type { Step } from "#platform/sql/step.ts";

/**
 * The steps of the tables of each class of objects that wrangler.toml binds. A class without steps has no tables of its own, only single
 * values under keys, or nothing. The audit of a ledger has the tables of a ledger, and starts again if they are at another step.
 */
export const OBJECT_STEPS: Readonly<Record<string, readonly Step[]>> = {
  AttemptLimitObject: [],
  BackupObject: KEEPER_TABLES.steps,
  ClientQuotaObject: [],
  ClockObject: [],
  ConnectorObject: [],
  EndpointObject: WEBHOOK_LANE_TABLES.steps,
  EventStreamObject: RECORDING_TABLES.steps,
  InstanceRunnerObject: WAKE_TABLES.steps,
  LedgerAuditObject: LEDGER_STEPS,
  LedgerObject: LEDGER_STEPS,
  MatchingObject: MATCHING_TABLES.steps,
  PasswordHashObject: [],
  PipelineObject: PROGRESS_TABLES.steps,
  SearchShardObject: SHARD_TABLES.steps,
  StatementSourceObject: STATEMENT_SOURCE_TABLES.steps,
  TriggerLaneObject: TRIGGER_LANE_TABLES.steps,
};
