/** A family of metrics, in the terms of OpenMetrics 1.0: samples of one name and meaning, told apart by their labels. */
export interface MetricFamily {
  /** Ends with the unit, where there is one. Behind it, samples of a counter have `_total`, and those of a histogram `_bucket`, `_count` and `_sum`. */
  readonly name: `florin_${string}`;
  readonly type: "gauge" | "counter" | "histogram";
  readonly unit?: "seconds" | "bytes";
  readonly labels: readonly string[];
  /** A sentence without a line break. */
  readonly help: string;
}

const family = <const F extends MetricFamily>(definition: F): F => definition;

/** All metrics of a deployment. The status shows the same samples as `GET /metrics`. */
export const FAMILIES = {
  ok: family({
    name: "florin_ok",
    type: "gauge",
    labels: [],
    help: "1 if no section of the status has a critical problem, otherwise 0.",
  }),
  sectionUp: family({
    name: "florin_section_up",
    type: "gauge",
    labels: ["module", "section"],
    help: "1 if the section of the status could be read, otherwise 0.",
  }),
  sectionSeconds: family({
    name: "florin_section_duration_seconds",
    type: "gauge",
    unit: "seconds",
    labels: ["module", "section"],
    help: "Time that the section of the status took to read.",
  }),
  problems: family({
    name: "florin_problems",
    type: "gauge",
    labels: ["module", "section", "severity"],
    help: "Problems that the section of the status shows.",
  }),
  workWaiting: family({
    name: "florin_work_waiting",
    type: "gauge",
    labels: ["module", "work"],
    help: "Pieces of work that wait, counted up to 10,000.",
  }),
  workOverdue: family({
    name: "florin_work_overdue",
    type: "gauge",
    labels: ["module", "work"],
    help: "Pieces of work that wait longer than they should, counted up to 10,000.",
  }),
  workOldest: family({
    name: "florin_work_oldest_age_seconds",
    type: "gauge",
    unit: "seconds",
    labels: ["module", "work"],
    help: "How long the oldest piece of work has been due; 0 if nothing is due.",
  }),
  objectsBehind: family({
    name: "florin_objects_behind",
    type: "gauge",
    labels: ["module", "kind"],
    help: "Objects whose work waits longer than it should, counted up to 10,000.",
  }),
  objectWaiting: family({
    name: "florin_object_waiting",
    type: "gauge",
    labels: ["module", "kind", "name"],
    help: "Pieces of work that wait in the object, at least; for the hundred objects that have waited longest.",
  }),
  objectOldest: family({
    name: "florin_object_oldest_age_seconds",
    type: "gauge",
    unit: "seconds",
    labels: ["module", "kind", "name"],
    help: "How long the oldest work of the object has waited; for the hundred objects that have waited longest.",
  }),
  sweepAge: family({
    name: "florin_sweep_success_age_seconds",
    type: "gauge",
    unit: "seconds",
    labels: ["sweep"],
    help: "Time since the last run of the sweep that succeeded and is recorded.",
  }),
  sweepOverdue: family({
    name: "florin_sweep_overdue_seconds",
    type: "gauge",
    unit: "seconds",
    labels: ["sweep"],
    help: "Time since the sweep should have run; 0 if it is not overdue.",
  }),
  sweepFailures: family({
    name: "florin_sweep_failures",
    type: "gauge",
    labels: ["sweep"],
    help: "Runs of the sweep in a row that have failed.",
  }),
  sweepFailed: family({
    name: "florin_sweep_failed_runs",
    type: "counter",
    labels: ["sweep"],
    help: "Runs of the sweep that have failed since they are recorded.",
  }),
  storageSize: family({
    name: "florin_storage_size_bytes",
    type: "gauge",
    unit: "bytes",
    labels: ["name"],
    help: "Size of the database, and of the twenty largest objects of 1 MB or more.",
  }),
  storageLimit: family({
    name: "florin_storage_limit_bytes",
    type: "gauge",
    unit: "bytes",
    labels: ["name"],
    help: "The platform's limit for the database or the object.",
  }),
  storageFullIn: family({
    name: "florin_storage_full_in_seconds",
    type: "gauge",
    unit: "seconds",
    labels: ["name"],
    help: "Time until the storage is full at the present rate; absent for storage that does not grow.",
  }),
  clockDifference: family({
    name: "florin_clock_difference_seconds",
    type: "gauge",
    unit: "seconds",
    labels: [],
    help: "The server's clock minus the database's clock.",
  }),
  clockBehind: family({
    name: "florin_clock_behind_seconds",
    type: "gauge",
    unit: "seconds",
    labels: [],
    help: "How far the server's clock is behind the latest time that it has stored; 0 if it is not.",
  }),
  keyAge: family({
    name: "florin_signing_key_age_seconds",
    type: "gauge",
    unit: "seconds",
    labels: [],
    help: "Age of the key that signs tokens.",
  }),
  keyAgeMax: family({
    name: "florin_signing_key_age_limit_seconds",
    type: "gauge",
    unit: "seconds",
    labels: [],
    help: "Age at which the key that signs tokens is replaced: FLORIN_SIGNING_KEY_AGE.",
  }),
  verifyingKeys: family({
    name: "florin_verifying_keys",
    type: "gauge",
    labels: [],
    help: "Keys that verify tokens, with the one that signs.",
  }),
  secretKeyAge: family({
    name: "florin_secret_key_age_seconds",
    type: "gauge",
    unit: "seconds",
    labels: [],
    help: "Time since the key in FLORIN_SECRET_KEY was first seen; absent until a sweep has noted it.",
  }),
  previousSecrets: family({
    name: "florin_previous_secret_keys",
    type: "gauge",
    labels: [],
    help: "Keys in FLORIN_PREVIOUS_SECRET_KEYS.",
  }),
  quotaRefusals: family({
    name: "florin_quota_refusals",
    type: "counter",
    labels: ["client", "kind"],
    help: "Requests, bulks and streams beyond the quota of the client; for the hundred that were refused last.",
  }),
  requests: family({
    name: "florin_requests",
    type: "counter",
    labels: ["module", "status"],
    help: "Requests that this process has answered, by the class of the status; under npm start only.",
  }),
  requestDuration: family({
    name: "florin_request_duration_seconds",
    type: "histogram",
    unit: "seconds",
    labels: ["module"],
    help: "Time from the arrival of a request until its answer begins; under npm start only.",
  }),
  rejections: family({
    name: "florin_rejections",
    type: "counter",
    labels: ["module", "reason"],
    help: "Requests that this process has refused: beyond a share of work (admission), a quota or another limit, without a valid token, too large, or without capacity or storage for them.",
  }),
  ledgerRequests: family({
    name: "florin_ledger_requests",
    type: "counter",
    labels: ["ledger", "status"],
    help: "Requests for the twenty busiest ledgers that this process has answered; '(others)' stands for all other ledgers.",
  }),
  ledgerSeconds: family({
    name: "florin_ledger_request_seconds",
    type: "counter",
    unit: "seconds",
    labels: ["ledger"],
    help: "Time that the requests of florin_ledger_requests took until their answers began, as a sum.",
  }),
  ledgerRejections: family({
    name: "florin_ledger_rejections",
    type: "counter",
    labels: ["ledger", "reason"],
    help: "Requests for the ledger that this process has refused.",
  }),
  clientRejections: family({
    name: "florin_client_rejections",
    type: "counter",
    labels: ["client", "reason"],
    help: "Requests that this process has refused, for the twenty clients that were refused most; 'anonymous' has no valid token, and '(others)' stands for all other clients.",
  }),
  disarmed: family({
    name: "florin_disarmed",
    type: "gauge",
    labels: [],
    help: "1 while the deployment is disarmed, so that it calls no other server, otherwise 0.",
  }),
  backupAge: family({
    name: "florin_backup_age_seconds",
    type: "gauge",
    unit: "seconds",
    labels: [],
    help: "Time since the last complete backup in the deployment's bucket, or since the first one was due; absent where FLORIN_BACKUP_HOUR is not set.",
  }),
  pollingAge: family({
    name: "florin_connector_poll_success_age_seconds",
    type: "gauge",
    unit: "seconds",
    labels: ["connector", "provider"],
    help: "Time since the last successful run of the connector's schedule that has waited longest; for a hundred connectors.",
  }),
} as const;
