ALTER TABLE `auth_invitations` ADD `ledgers` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `auth_people` ADD `ledgers` text DEFAULT '[]' NOT NULL;