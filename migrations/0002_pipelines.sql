CREATE TABLE `exporters` (
	`id` text PRIMARY KEY NOT NULL,
	`driver` text NOT NULL,
	`config` text NOT NULL,
	`created_at` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `pipelines` (
	`id` text PRIMARY KEY NOT NULL,
	`ledger` text NOT NULL,
	`exporter_id` text NOT NULL,
	`enabled` integer NOT NULL,
	`resets` integer NOT NULL,
	`revision` integer NOT NULL,
	`told_revision` integer NOT NULL,
	`created_at` text NOT NULL,
	`deleted_at` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `pipelines_way` ON `pipelines` (`ledger`,`exporter_id`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `pipelines_exporter` ON `pipelines` (`exporter_id`);--> statement-breakpoint
CREATE INDEX `pipelines_untold` ON `pipelines` (`id`) WHERE told_revision < revision;