CREATE TABLE `required_migration` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL
);

--> statement-breakpoint
INSERT INTO `required_migration` (`id`, `name`) VALUES (1, '0000_release_0_2_0.sql');
