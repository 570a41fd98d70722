CREATE TABLE `failed_requests` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`date` text NOT NULL,
	`request_id` text NOT NULL,
	`method` text NOT NULL,
	`path` text NOT NULL,
	`route` text NOT NULL,
	`operation` text NOT NULL,
	`status` integer NOT NULL,
	`code` text NOT NULL,
	`message` text,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`client_id` text NOT NULL,
	`duration_ms` integer NOT NULL,
	`body` text,
	`more` integer NOT NULL,
	`more_of_others` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `failed_request_date` ON `failed_requests` (`date`);--> statement-breakpoint
CREATE INDEX `failed_request_client` ON `failed_requests` (`client_id`,`date`);--> statement-breakpoint
CREATE UNIQUE INDEX `failed_request_request` ON `failed_requests` (`request_id`);--> statement-breakpoint
CREATE INDEX `audit_request` ON `audit` (`request_id`);