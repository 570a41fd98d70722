CREATE TABLE `object_backlogs` (
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`waiting` integer NOT NULL,
	`since_ms` integer NOT NULL,
	`reason` text NOT NULL,
	`written_ms` integer NOT NULL,
	PRIMARY KEY(`kind`, `name`)
);
--> statement-breakpoint
CREATE INDEX `object_backlogs_oldest` ON `object_backlogs` (`kind`,`since_ms`);--> statement-breakpoint
CREATE TABLE `sweep_runs` (
	`name` text PRIMARY KEY NOT NULL,
	`ran_ms` integer NOT NULL,
	`next_ms` integer NOT NULL,
	`succeeded_ms` integer,
	`failed_ms` integer,
	`error` text,
	`failures` integer NOT NULL,
	`failures_total` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `orchestration_triggers_stopped` ON `orchestration_triggers` (`stopped_at`) WHERE stopped_at IS NOT NULL AND deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `payment_bookings_failing` ON `payment_bookings` (`updated_at`) WHERE attempts > 0;--> statement-breakpoint
CREATE INDEX `payment_connectors_unhealthy` ON `payment_connectors` (`health_since`) WHERE health <> 'healthy' AND deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `wallet_hold_expiries_failing` ON `wallet_hold_expiries` (`asked_at`) WHERE attempts > 0;--> statement-breakpoint
CREATE INDEX `webhook_configs_failed` ON `webhook_configs` (`updated_at`) WHERE has_failed = 1 AND deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `storage_sizes_largest` ON `storage_sizes` (`bytes`);