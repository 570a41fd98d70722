CREATE TABLE `dead_letters` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`key` text NOT NULL,
	`queue` text NOT NULL,
	`ledger` text,
	`body` text NOT NULL,
	`state` text NOT NULL,
	`first_seen` text NOT NULL,
	`last_seen` text NOT NULL,
	`arrivals` integer NOT NULL,
	`message_id` text,
	`error` text,
	`attempts` integer,
	`retries` integer NOT NULL,
	`send_at` text,
	`sent_at` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `dead_letters_key_unique` ON `dead_letters` (`key`);--> statement-breakpoint
CREATE INDEX `dead_letter_first_seen` ON `dead_letters` (`first_seen`);--> statement-breakpoint
CREATE INDEX `dead_letter_last_seen` ON `dead_letters` (`last_seen`);--> statement-breakpoint
CREATE INDEX `dead_letter_state` ON `dead_letters` (`state`,`first_seen`);--> statement-breakpoint
CREATE INDEX `dead_letter_due` ON `dead_letters` (`send_at`) WHERE send_at IS NOT NULL;