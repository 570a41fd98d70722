CREATE TABLE `search_gaps` (
	`origin` text PRIMARY KEY NOT NULL,
	`ledger` text NOT NULL,
	`since` text NOT NULL,
	`reason` text NOT NULL,
	`revision` integer NOT NULL
);
