CREATE TABLE `reconciliation_matching_runs` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`matching_key` integer NOT NULL,
	`number` integer NOT NULL,
	`state` text NOT NULL,
	`head` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `reconciliation_matching_runs_of_matching` ON `reconciliation_matching_runs` (`matching_key`,`number`);--> statement-breakpoint
CREATE TABLE `reconciliation_matchings` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`left_source_id` text NOT NULL,
	`right_source_id` text NOT NULL,
	`period_from` integer NOT NULL,
	`period_to` integer,
	`passes` text,
	`threshold` integer NOT NULL,
	`timing_days` integer NOT NULL,
	`suspense_account` text NOT NULL,
	`fees_account` text NOT NULL,
	`ledgers` text NOT NULL,
	`has_payments` integer NOT NULL,
	`created_by` text NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	`deleted_at` text,
	`revision` integer NOT NULL,
	`last_run` text,
	`audited_decision` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `reconciliation_matchings_id_unique` ON `reconciliation_matchings` (`id`);--> statement-breakpoint
CREATE INDEX `reconciliation_matchings_listed` ON `reconciliation_matchings` (`deleted_at`,`created_at`);