CREATE TABLE `restoration` (
	`id` integer PRIMARY KEY NOT NULL,
	`reference` text NOT NULL,
	`backup` text NOT NULL,
	`moment` text NOT NULL,
	`stage` text NOT NULL,
	`token_hash` text NOT NULL,
	`began_at` text NOT NULL,
	`ended_at` text,
	`written_at` text,
	`plan` text NOT NULL,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`client_id` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `restored_parts` (
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`last_log_id` integer,
	PRIMARY KEY(`kind`, `name`)
);
--> statement-breakpoint
CREATE TABLE `restored_tables` (
	`name` text PRIMARY KEY NOT NULL,
	`rows` integer NOT NULL,
	`is_complete` integer NOT NULL
);
