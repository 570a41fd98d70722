/** Rows `1` to `count`, as a common table expression. */
const NUMBERS = (count: number) =>
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;

/** The date of a row: so many seconds ago as its number says. */
const at = "strftime('%Y-%m-%dT%H:%M:%f', 'now', '-' || i || ' seconds') || '000Z'";

/** Statements that fill D1 as in a large deployment in trouble: 10,000 ledgers, 500 endpoints, and more waiting work than is counted. */
export const TROUBLE: readonly string[] = [
  `INSERT INTO ledgers (uuid, name, bucket, metadata, features, added_at) ${NUMBERS(10_000)}
   SELECT 'u' || i, 'l' || i, 'b', '{}', '{}', ${at} FROM n`,
  `INSERT INTO object_backlogs ${NUMBERS(10_000)} SELECT 'ledger-events', 'l' || i, 1, i, 'r', i FROM n`,
  `INSERT INTO object_backlogs ${NUMBERS(500)} SELECT 'webhook-deliveries', 'c' || i, 1, i, 'r', i FROM n`,
  `INSERT INTO storage_sizes (name, bytes, measured_ms, day_bytes, day_ms) ${NUMBERS(10_000)}
   SELECT 'ledger/l' || i, 500000000 + i, i, 1, 1 FROM n`,
  `INSERT INTO webhook_configs (id, endpoint, secret, event_types, name, active, has_failed, created_at, updated_at) ${NUMBERS(500)}
   SELECT 'c' || i, 'https://hook.example.com', 's', '[]', '', 0, 1, ${at}, ${at} FROM n`,
  `INSERT INTO webhook_owed (config_id, revision, batch, created_at, due_at) ${NUMBERS(20_000)}
   SELECT 'c' || (i % 500), 1, '{}', ${at}, ${at} FROM n`,
  `INSERT INTO outbox (id, event, attempts, announce_at) ${NUMBERS(20_000)}
   SELECT 'e' || i, '{"date":"2026-01-01T00:00:00Z"}', 9, '2100-01-01T00:00:00.000000Z' FROM n`,
  `INSERT INTO orchestration_instances
     (id, workflow_key, variables, principal, created_at, updated_at, stage, run, round, due_at, change_id, state, hold) ${NUMBERS(50_000)}
   SELECT 'i' || i, 1, '{}', '{}', ${at}, ${at}, 0, 1, 1, iif(i % 2, ${at}, NULL), 'x',
     iif(i % 2, 'stuck', NULL), iif(i % 2, '{"since":"2026-01-01T00:00:00.000000Z"}', NULL) FROM n`,
  `INSERT INTO wallet_hold_expiries (ledger, hold_id, due_at, asked_at, attempts) ${NUMBERS(20_000)}
   SELECT 'w', 'h' || i, ${at}, ${at}, i % 2 FROM n`,
  `INSERT INTO payment_schedules (connector_key, task, created_at, next_at) ${NUMBERS(2000)}
   SELECT i / 5, 't' || i, ${at}, ${at} FROM n`,
  `INSERT INTO payment_connectors
     (key, provider, reference, name, config, polling_period_ms, created_at, health, health_since) ${NUMBERS(400)}
   SELECT i, 'stripe', 'r' || i, 'n' || i, '', 1, ${at}, 'failing', ${at} FROM n`,
];
