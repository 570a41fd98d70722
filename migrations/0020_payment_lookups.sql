CREATE TABLE `payment_lookups` (
	`connector_key` integer PRIMARY KEY NOT NULL,
	`began_at` text NOT NULL,
	`first_began_at` text NOT NULL,
	`ended_at` text,
	`is_skipped` integer NOT NULL,
	`position` integer NOT NULL,
	`due_at` text NOT NULL,
	`failures` integer NOT NULL,
	`failing_since` text,
	`last_error` text
);
--> statement-breakpoint
CREATE INDEX `payment_lookups_under_way` ON `payment_lookups` (`began_at`) WHERE ended_at IS NULL;--> statement-breakpoint
CREATE TABLE `payment_reviews` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`connector_key` integer NOT NULL,
	`initiation_key` integer NOT NULL,
	`reversal_key` integer,
	`created_at` text NOT NULL,
	`reason` text NOT NULL,
	`status` text NOT NULL,
	`version` integer NOT NULL,
	`decision` text,
	`payment_reference` text,
	`decided_at` text,
	`issuer` text,
	`subject` text,
	`client_id` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `payment_reviews_id_unique` ON `payment_reviews` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `payment_reviews_open` ON `payment_reviews` (`initiation_key`) WHERE status = 'open';--> statement-breakpoint
CREATE INDEX `payment_reviews_waiting` ON `payment_reviews` (`created_at`) WHERE status = 'open';--> statement-breakpoint
CREATE INDEX `payment_reviews_initiation` ON `payment_reviews` (`initiation_key`);--> statement-breakpoint
CREATE INDEX `payment_reviews_connector` ON `payment_reviews` (`connector_key`);--> statement-breakpoint
CREATE INDEX `payment_reviews_listed` ON `payment_reviews` (`created_at`,`key`,`status`);--> statement-breakpoint
CREATE TABLE `payment_shown_marks` (
	`connector_key` integer NOT NULL,
	`mark` text NOT NULL,
	`shown` text NOT NULL,
	`noted_at` text NOT NULL,
	PRIMARY KEY(`connector_key`, `mark`)
);
--> statement-breakpoint
CREATE INDEX `payment_shown_marks_noted` ON `payment_shown_marks` (`noted_at`);