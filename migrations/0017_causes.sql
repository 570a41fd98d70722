ALTER TABLE `orchestration_instances` ADD `cause` text;--> statement-breakpoint
ALTER TABLE `orchestration_occurrences` ADD `cause` text;--> statement-breakpoint
ALTER TABLE `payment_initiations` ADD `cause` text;