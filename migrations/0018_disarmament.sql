CREATE TABLE `armed_connectors` (
	`reference` text PRIMARY KEY NOT NULL,
	`connector_id` text NOT NULL,
	`armed_at` text NOT NULL,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`client_id` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `disarmament` (
	`id` integer PRIMARY KEY NOT NULL,
	`since` text NOT NULL,
	`reason` text NOT NULL,
	`note` text NOT NULL,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`client_id` text NOT NULL,
	`revision` text NOT NULL
);
