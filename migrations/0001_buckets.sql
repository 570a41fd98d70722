ALTER TABLE `ledgers` ADD `visibility` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `ledgers` ADD `told_visibility` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `ledgers` ADD `purging_since` text;--> statement-breakpoint
CREATE INDEX `ledgers_untold` ON `ledgers` (`id`) WHERE visibility <> told_visibility;--> statement-breakpoint
CREATE INDEX `ledgers_deleted` ON `ledgers` (`deleted_at`) WHERE deleted_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `ledgers_purging` ON `ledgers` (`id`) WHERE purging_since IS NOT NULL;