CREATE TABLE `reconciliation_source_uses` (
	`source_id` text NOT NULL,
	`matching_id` text NOT NULL,
	PRIMARY KEY(`source_id`, `matching_id`)
);
--> statement-breakpoint
CREATE INDEX `reconciliation_source_uses_matching` ON `reconciliation_source_uses` (`matching_id`);--> statement-breakpoint
CREATE TABLE `reconciliation_sources` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`definition` text NOT NULL,
	`ledgers` text NOT NULL,
	`has_payments` integer NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	`created_by` text NOT NULL,
	`deleted_at` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `reconciliation_sources_id_unique` ON `reconciliation_sources` (`id`);--> statement-breakpoint
CREATE INDEX `reconciliation_sources_listed` ON `reconciliation_sources` (`deleted_at`,`created_at`);--> statement-breakpoint
CREATE TABLE `reconciliation_statement_heads` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`statement_key` integer NOT NULL,
	`source_id` text NOT NULL,
	`ordinal` integer NOT NULL,
	`name` text,
	`account` text,
	`account_key` text NOT NULL,
	`asset` text,
	`from_day` text,
	`to_day` text,
	`opening` text,
	`closing` text,
	`lines` integer NOT NULL,
	`pending` integer NOT NULL,
	`totals` text NOT NULL,
	`balanced` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `reconciliation_statement_heads_place` ON `reconciliation_statement_heads` (`statement_key`,`ordinal`);--> statement-breakpoint
CREATE INDEX `reconciliation_statement_heads_period` ON `reconciliation_statement_heads` (`source_id`,`account_key`,`asset`,`to_day`);--> statement-breakpoint
CREATE INDEX `reconciliation_statement_heads_name` ON `reconciliation_statement_heads` (`source_id`,`account_key`,`name`) WHERE name IS NOT NULL;--> statement-breakpoint
CREATE TABLE `reconciliation_statements` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`source_id` text NOT NULL,
	`state` text NOT NULL,
	`file_name` text,
	`bytes` integer NOT NULL,
	`sha256` text NOT NULL,
	`format` text,
	`uploaded_at` text NOT NULL,
	`uploaded_by` text NOT NULL,
	`ended_at` text,
	`lines` integer NOT NULL,
	`pending` integer NOT NULL,
	`refusal` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `reconciliation_statements_id_unique` ON `reconciliation_statements` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `reconciliation_statements_content` ON `reconciliation_statements` (`source_id`,`sha256`) WHERE state <> 'refused';--> statement-breakpoint
CREATE INDEX `reconciliation_statements_listed` ON `reconciliation_statements` (`source_id`,`uploaded_at`);