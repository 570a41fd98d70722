CREATE TABLE `auth_client_quotas` (
	`client_id` text PRIMARY KEY NOT NULL,
	`quota` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `auth_quota_refusals` (
	`client` text NOT NULL,
	`kind` text NOT NULL,
	`count` integer NOT NULL,
	`updated_ms` integer NOT NULL,
	PRIMARY KEY(`client`, `kind`)
);
--> statement-breakpoint
CREATE INDEX `auth_quota_refusals_updated` ON `auth_quota_refusals` (`updated_ms`);