ALTER TABLE `ledgers` ADD `inconsistent_since` text;--> statement-breakpoint
CREATE INDEX `ledgers_inconsistent` ON `ledgers` (`id`) WHERE inconsistent_since IS NOT NULL;