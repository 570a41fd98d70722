CREATE TABLE `reconciliation_corrections` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`matching_id` text NOT NULL,
	`line` integer NOT NULL,
	`closes` text NOT NULL,
	`kind` text NOT NULL,
	`state` text NOT NULL,
	`needs_approval` integer NOT NULL,
	`ledger` text NOT NULL,
	`side` text NOT NULL,
	`script` text NOT NULL,
	`vars` text NOT NULL,
	`timestamp` text,
	`note` text NOT NULL,
	`idempotency_key` text NOT NULL,
	`requested_by` text NOT NULL,
	`decided_by` text,
	`decision_note` text,
	`error` text,
	`transaction_id` text,
	`line_group` integer,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `reconciliation_corrections_id_unique` ON `reconciliation_corrections` (`id`);--> statement-breakpoint
CREATE INDEX `reconciliation_corrections_of_matching` ON `reconciliation_corrections` (`matching_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `reconciliation_corrections_of_line` ON `reconciliation_corrections` (`matching_id`,`line`);--> statement-breakpoint
CREATE INDEX `reconciliation_corrections_pending` ON `reconciliation_corrections` (`state`,`updated_at`) WHERE state IN ('begun', 'waiting', 'booking', 'releasing');