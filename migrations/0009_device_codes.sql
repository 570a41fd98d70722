CREATE TABLE `auth_device_codes` (
	`hash` text PRIMARY KEY NOT NULL,
	`user_code` text NOT NULL,
	`client_id` text NOT NULL,
	`scopes` text NOT NULL,
	`membership` text,
	`hinted_subject` text,
	`address` text NOT NULL,
	`state` text NOT NULL,
	`subject` text,
	`auth_time` integer,
	`next_poll_ms` integer NOT NULL,
	`created_ms` integer NOT NULL,
	`expires_ms` integer NOT NULL,
	`grant_id` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `auth_device_codes_user_code` ON `auth_device_codes` (`user_code`);--> statement-breakpoint
CREATE INDEX `auth_device_codes_expiry` ON `auth_device_codes` (`expires_ms`);--> statement-breakpoint
CREATE INDEX `auth_device_codes_client` ON `auth_device_codes` (`client_id`);--> statement-breakpoint
CREATE INDEX `auth_device_codes_subject` ON `auth_device_codes` (`subject`);--> statement-breakpoint
ALTER TABLE `auth_grants` ADD `membership` text;