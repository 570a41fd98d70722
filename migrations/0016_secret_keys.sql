CREATE TABLE `secret_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`first_seen_ms` integer NOT NULL
);
