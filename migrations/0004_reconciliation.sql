CREATE TABLE `reconciliation_alert_events` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`alert_id` text NOT NULL,
	`rule_key` integer NOT NULL,
	`evaluation_id` text,
	`type` text NOT NULL,
	`prev_status` text,
	`new_status` text NOT NULL,
	`payload` text,
	`at` text NOT NULL,
	`is_reopen` integer NOT NULL,
	`notify` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `reconciliation_alert_events_id_unique` ON `reconciliation_alert_events` (`id`);--> statement-breakpoint
CREATE INDEX `reconciliation_alert_events_of_alert` ON `reconciliation_alert_events` (`alert_id`,`at`);--> statement-breakpoint
CREATE INDEX `reconciliation_alert_events_of_rule` ON `reconciliation_alert_events` (`rule_key`);--> statement-breakpoint
CREATE INDEX `reconciliation_alert_events_dated` ON `reconciliation_alert_events` (`notify`,`at`);--> statement-breakpoint
CREATE TABLE `reconciliation_alerts` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`rule_key` integer NOT NULL,
	`rule_id` text NOT NULL,
	`fingerprint` text NOT NULL,
	`period_id` text NOT NULL,
	`status` text NOT NULL,
	`severity` text NOT NULL,
	`first_seen_at` text NOT NULL,
	`last_seen_at` text NOT NULL,
	`occurrence_count` integer NOT NULL,
	`last_evaluation_id` text NOT NULL,
	`evidence` text NOT NULL,
	`ack` text,
	`resolution` text,
	`snooze` text,
	`labels` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	`change_id` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `reconciliation_alerts_id_unique` ON `reconciliation_alerts` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `reconciliation_alerts_once` ON `reconciliation_alerts` (`rule_key`,`fingerprint`,`period_id`);--> statement-breakpoint
CREATE INDEX `reconciliation_alerts_listed` ON `reconciliation_alerts` (`last_seen_at`);--> statement-breakpoint
CREATE INDEX `reconciliation_alerts_of_rule` ON `reconciliation_alerts` (`rule_key`,`last_seen_at`);--> statement-breakpoint
CREATE INDEX `reconciliation_alerts_of_period` ON `reconciliation_alerts` (`period_id`,`status`,`last_seen_at`);--> statement-breakpoint
CREATE INDEX `reconciliation_alerts_of_status` ON `reconciliation_alerts` (`status`,`last_seen_at`);--> statement-breakpoint
CREATE INDEX `reconciliation_alerts_active` ON `reconciliation_alerts` (`rule_key`,`period_id`) WHERE status <> 'RESOLVED';--> statement-breakpoint
CREATE INDEX `reconciliation_alerts_resolved` ON `reconciliation_alerts` (`updated_at`) WHERE status = 'RESOLVED';--> statement-breakpoint
CREATE TABLE `reconciliation_evaluations` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`rule_key` integer NOT NULL,
	`rule_id` text NOT NULL,
	`result` text NOT NULL,
	`started_at` text NOT NULL,
	`ended_at` text NOT NULL,
	`created_at` text NOT NULL,
	`moments` text NOT NULL,
	`evidence` text NOT NULL,
	`error` text,
	`cost_units` integer NOT NULL,
	`cause` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `reconciliation_evaluations_id_unique` ON `reconciliation_evaluations` (`id`);--> statement-breakpoint
CREATE INDEX `reconciliation_evaluations_listed` ON `reconciliation_evaluations` (`created_at`);--> statement-breakpoint
CREATE INDEX `reconciliation_evaluations_of_result` ON `reconciliation_evaluations` (`result`,`created_at`);--> statement-breakpoint
CREATE INDEX `reconciliation_evaluations_of_rule` ON `reconciliation_evaluations` (`rule_key`,`created_at`);--> statement-breakpoint
CREATE INDEX `reconciliation_evaluations_passed` ON `reconciliation_evaluations` (`created_at`) WHERE result = 'PASS';--> statement-breakpoint
CREATE TABLE `reconciliation_policies` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`ledger` text NOT NULL,
	`query` text NOT NULL,
	`pool_id` text NOT NULL,
	`created_at` text NOT NULL,
	`deleted_at` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `reconciliation_policies_id_unique` ON `reconciliation_policies` (`id`);--> statement-breakpoint
CREATE INDEX `reconciliation_policies_listed` ON `reconciliation_policies` (`deleted_at`,`created_at`);--> statement-breakpoint
CREATE TABLE `reconciliations` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`policy_key` integer NOT NULL,
	`policy_id` text NOT NULL,
	`created_at` text NOT NULL,
	`at_ledger` text NOT NULL,
	`at_payments` text NOT NULL,
	`status` text NOT NULL,
	`ledger_balances` text NOT NULL,
	`payments_balances` text NOT NULL,
	`drift_balances` text NOT NULL,
	`error` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `reconciliations_id_unique` ON `reconciliations` (`id`);--> statement-breakpoint
CREATE INDEX `reconciliations_listed` ON `reconciliations` (`created_at`);--> statement-breakpoint
CREATE INDEX `reconciliations_of_policy` ON `reconciliations` (`policy_key`,`created_at`);--> statement-breakpoint
CREATE TABLE `reconciliation_rules` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`template_kind` text NOT NULL,
	`template_spec` text NOT NULL,
	`enabled` integer NOT NULL,
	`severity` text NOT NULL,
	`period_type` text NOT NULL,
	`schedule` text,
	`event_types` text,
	`notifications` text,
	`labels` text,
	`ledgers` text NOT NULL,
	`has_pools` integer NOT NULL,
	`evidence_ledgers` text NOT NULL,
	`evidence_has_pools` integer NOT NULL,
	`principal` text NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	`deleted_at` text,
	`revision` integer NOT NULL,
	`alert_revision` integer NOT NULL,
	`lock_token` text,
	`lock_until` text,
	`last_evaluation_id` text,
	`next_at` text,
	`events_due_at` text,
	`events_taken_at` text,
	`events_depth` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `reconciliation_rules_id_unique` ON `reconciliation_rules` (`id`);--> statement-breakpoint
CREATE INDEX `reconciliation_rules_listed` ON `reconciliation_rules` (`deleted_at`,`created_at`);--> statement-breakpoint
CREATE INDEX `reconciliation_rules_next` ON `reconciliation_rules` (`next_at`) WHERE next_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `reconciliation_rules_events_due` ON `reconciliation_rules` (`events_due_at`) WHERE events_due_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `reconciliation_rules_events_taken` ON `reconciliation_rules` (`events_taken_at`) WHERE events_taken_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `reconciliation_rules_on_events` ON `reconciliation_rules` (`key`) WHERE event_types IS NOT NULL;