CREATE TABLE `auth_former_authorities` (
	`kind` text NOT NULL,
	`holder` text NOT NULL,
	`authority` text NOT NULL,
	`expires_ms` integer NOT NULL,
	PRIMARY KEY(`kind`, `holder`, `authority`)
);
--> statement-breakpoint
CREATE INDEX `auth_former_authorities_expiry` ON `auth_former_authorities` (`expires_ms`);--> statement-breakpoint
CREATE TABLE `auth_logins` (
	`hash` text PRIMARY KEY NOT NULL,
	`browser` text NOT NULL,
	`request` text NOT NULL,
	`person_id` text,
	`authenticated_at` text,
	`challenge` text,
	`expires_at` text NOT NULL,
	FOREIGN KEY (`person_id`) REFERENCES `auth_people`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `auth_logins_person` ON `auth_logins` (`person_id`);--> statement-breakpoint
CREATE INDEX `auth_logins_expires` ON `auth_logins` (`expires_at`);--> statement-breakpoint
CREATE TABLE `auth_codes` (
	`hash` text PRIMARY KEY NOT NULL,
	`client_id` text NOT NULL,
	`subject` text NOT NULL,
	`redirect_uri` text NOT NULL,
	`scopes` text NOT NULL,
	`nonce` text,
	`code_challenge` text,
	`auth_time` integer NOT NULL,
	`expires_ms` integer NOT NULL,
	`grant_id` text
);
--> statement-breakpoint
CREATE INDEX `auth_codes_expiry` ON `auth_codes` (`expires_ms`);--> statement-breakpoint
CREATE INDEX `auth_codes_client` ON `auth_codes` (`client_id`);--> statement-breakpoint
CREATE INDEX `auth_codes_subject` ON `auth_codes` (`subject`);--> statement-breakpoint
CREATE TABLE `auth_grants` (
	`id` text PRIMARY KEY NOT NULL,
	`client_id` text NOT NULL,
	`subject` text NOT NULL,
	`scopes` text NOT NULL,
	`auth_time` integer NOT NULL,
	`expires_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `auth_grants_expiry` ON `auth_grants` (`expires_ms`);--> statement-breakpoint
CREATE INDEX `auth_grants_client` ON `auth_grants` (`client_id`);--> statement-breakpoint
CREATE INDEX `auth_grants_subject` ON `auth_grants` (`subject`);--> statement-breakpoint
CREATE TABLE `auth_refresh_tokens` (
	`hash` text PRIMARY KEY NOT NULL,
	`grant_id` text NOT NULL,
	`expires_ms` integer NOT NULL,
	`successor` text,
	FOREIGN KEY (`grant_id`) REFERENCES `auth_grants`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `auth_refresh_tokens_grant` ON `auth_refresh_tokens` (`grant_id`);--> statement-breakpoint
CREATE INDEX `auth_refresh_tokens_expiry` ON `auth_refresh_tokens` (`expires_ms`);--> statement-breakpoint
CREATE TABLE `auth_passkeys` (
	`id` text PRIMARY KEY NOT NULL,
	`person_id` text NOT NULL,
	`public_key` text NOT NULL,
	`counter` integer NOT NULL,
	FOREIGN KEY (`person_id`) REFERENCES `auth_people`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `auth_passkeys_person` ON `auth_passkeys` (`person_id`);--> statement-breakpoint
CREATE TABLE `auth_invitations` (
	`hash` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`scopes` text NOT NULL,
	`person_id` text,
	`expires_at` text NOT NULL,
	`has_all_scopes` integer NOT NULL,
	`maker` text NOT NULL,
	`authority` text NOT NULL,
	FOREIGN KEY (`person_id`) REFERENCES `auth_people`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `auth_invitations_maker` ON `auth_invitations` (`maker`);--> statement-breakpoint
CREATE INDEX `auth_invitations_person` ON `auth_invitations` (`person_id`);--> statement-breakpoint
CREATE INDEX `auth_invitations_expires` ON `auth_invitations` (`expires_at`);--> statement-breakpoint
CREATE TABLE `auth_people` (
	`sequence` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`email` text NOT NULL,
	`email_verified` integer NOT NULL,
	`name` text NOT NULL,
	`scopes` text NOT NULL,
	`login` text,
	`password` text,
	`has_all_scopes` integer DEFAULT false NOT NULL,
	`vouched_by` text,
	`version` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `auth_people_id_unique` ON `auth_people` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `auth_people_login_unique` ON `auth_people` (`login`);--> statement-breakpoint
CREATE UNIQUE INDEX `auth_people_subject` ON `auth_people` (`issuer`,`subject`);--> statement-breakpoint
CREATE TABLE `auth_sessions` (
	`hash` text PRIMARY KEY NOT NULL,
	`person_id` text NOT NULL,
	`authenticated_at` text NOT NULL,
	`challenge` text,
	`expires_at` text NOT NULL,
	FOREIGN KEY (`person_id`) REFERENCES `auth_people`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `auth_sessions_person` ON `auth_sessions` (`person_id`);--> statement-breakpoint
CREATE INDEX `auth_sessions_expires` ON `auth_sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `auth_revocations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`value` text NOT NULL,
	`revoked_at` integer NOT NULL,
	`expires_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `auth_revocations_expiry` ON `auth_revocations` (`expires_ms`);--> statement-breakpoint
CREATE INDEX `auth_revocations_value` ON `auth_revocations` (`value`);--> statement-breakpoint
CREATE TABLE `auth_client_secrets` (
	`sequence` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`client_id` text NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`last_digits` text NOT NULL,
	`metadata` text NOT NULL,
	`maker` text NOT NULL,
	FOREIGN KEY (`client_id`) REFERENCES `auth_clients`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `auth_client_secrets_id_unique` ON `auth_client_secrets` (`id`);--> statement-breakpoint
CREATE INDEX `auth_client_secrets_client` ON `auth_client_secrets` (`client_id`);--> statement-breakpoint
CREATE TABLE `auth_clients` (
	`sequence` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`public` integer NOT NULL,
	`trusted` integer NOT NULL,
	`redirect_uris` text NOT NULL,
	`post_logout_redirect_uris` text NOT NULL,
	`scopes` text NOT NULL,
	`metadata` text NOT NULL,
	`has_all_scopes` integer DEFAULT false NOT NULL,
	`redirect_uri_makers` text DEFAULT '[]' NOT NULL,
	`version` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `auth_clients_id_unique` ON `auth_clients` (`id`);--> statement-breakpoint
CREATE TABLE `auth_signing_keys` (
	`sequence` integer PRIMARY KEY NOT NULL,
	`kid` text NOT NULL,
	`public_key` text NOT NULL,
	`private_key` text NOT NULL,
	`created_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `auth_signing_keys_kid_unique` ON `auth_signing_keys` (`kid`);--> statement-breakpoint
CREATE TABLE `event_recordings` (
	`id` integer PRIMARY KEY NOT NULL
);
--> statement-breakpoint
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
	`revision` integer DEFAULT 0 NOT NULL,
	`synced_revision` integer DEFAULT 0 NOT NULL,
	`sync_attempts` integer DEFAULT 0 NOT NULL,
	`sync_after` text,
	`created_at` text NOT NULL,
	`deleted_at` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `pipelines_way` ON `pipelines` (`ledger`,`exporter_id`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `pipelines_exporter` ON `pipelines` (`exporter_id`);--> statement-breakpoint
CREATE INDEX `pipelines_pending` ON `pipelines` (`sync_after`,`id`) WHERE synced_revision < revision;--> statement-breakpoint
CREATE TABLE `ledgers` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`name` text NOT NULL,
	`bucket` text NOT NULL,
	`metadata` text NOT NULL,
	`features` text NOT NULL,
	`added_at` text NOT NULL,
	`deleted_at` text,
	`revision` integer DEFAULT 0 NOT NULL,
	`synced_revision` integer DEFAULT 0 NOT NULL,
	`sync_attempts` integer DEFAULT 0 NOT NULL,
	`sync_after` text,
	`purging_since` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `ledgers_uuid_unique` ON `ledgers` (`uuid`);--> statement-breakpoint
CREATE UNIQUE INDEX `ledgers_name_unique` ON `ledgers` (`name`);--> statement-breakpoint
CREATE INDEX `ledgers_bucket` ON `ledgers` (`bucket`);--> statement-breakpoint
CREATE INDEX `ledgers_pending` ON `ledgers` (`sync_after`,`id`) WHERE synced_revision < revision;--> statement-breakpoint
CREATE INDEX `ledgers_deleted` ON `ledgers` (`deleted_at`) WHERE deleted_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `orchestration_activities` (
	`instance_key` integer NOT NULL,
	`stage` integer NOT NULL,
	`ordinal` integer NOT NULL,
	`name` text NOT NULL,
	`input` text NOT NULL,
	`output` text,
	`error` text,
	`error_kind` text,
	`attempt` integer NOT NULL,
	`last_failure` text,
	`next_execution` text NOT NULL,
	`started_at` text NOT NULL,
	`terminated_at` text,
	PRIMARY KEY(`instance_key`, `stage`, `ordinal`)
);
--> statement-breakpoint
CREATE TABLE `orchestration_instances` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workflow_key` integer NOT NULL,
	`variables` text NOT NULL,
	`principal` text NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	`terminated_at` text,
	`error` text,
	`stage` integer NOT NULL,
	`run` integer NOT NULL,
	`round` integer NOT NULL,
	`due_at` text,
	`change_id` text NOT NULL,
	`state` text,
	`hold` text,
	`causation_depth` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `orchestration_instances_id_unique` ON `orchestration_instances` (`id`);--> statement-breakpoint
CREATE INDEX `orchestration_instances_workflow` ON `orchestration_instances` (`workflow_key`,`key`);--> statement-breakpoint
CREATE INDEX `orchestration_instances_due` ON `orchestration_instances` (`due_at`);--> statement-breakpoint
CREATE INDEX `orchestration_instances_changed` ON `orchestration_instances` (`updated_at`) WHERE due_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `orchestration_instances_running` ON `orchestration_instances` (`terminated_at`,`key`);--> statement-breakpoint
CREATE INDEX `orchestration_instances_state` ON `orchestration_instances` (`state`,`key`) WHERE state IS NOT NULL;--> statement-breakpoint
CREATE TABLE `orchestration_moments` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`instance_key` integer NOT NULL,
	`at` text NOT NULL,
	`kind` text NOT NULL,
	`stage` integer,
	`data` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `orchestration_moments_instance` ON `orchestration_moments` (`instance_key`,`key`);--> statement-breakpoint
CREATE TABLE `orchestration_stages` (
	`instance_key` integer NOT NULL,
	`number` integer NOT NULL,
	`started_at` text NOT NULL,
	`terminated_at` text,
	`error` text,
	`history_error` text,
	PRIMARY KEY(`instance_key`, `number`)
);
--> statement-breakpoint
CREATE TABLE `orchestration_occurrences` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`trigger_key` integer NOT NULL,
	`dedup_key` text NOT NULL,
	`date` text NOT NULL,
	`event` text NOT NULL,
	`state` text NOT NULL,
	`attempts` integer NOT NULL,
	`due_at` text,
	`lease_until` text,
	`instance_id` text,
	`error` text,
	`causation_depth` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `orchestration_occurrences_id_unique` ON `orchestration_occurrences` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `orchestration_occurrences_once` ON `orchestration_occurrences` (`trigger_key`,`dedup_key`);--> statement-breakpoint
CREATE INDEX `orchestration_occurrences_listed` ON `orchestration_occurrences` (`trigger_key`,`state`,`key`);--> statement-breakpoint
CREATE INDEX `orchestration_occurrences_due` ON `orchestration_occurrences` (`due_at`);--> statement-breakpoint
CREATE INDEX `orchestration_occurrences_instance` ON `orchestration_occurrences` (`instance_id`) WHERE instance_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `orchestration_occurrences_failed` ON `orchestration_occurrences` (`date`) WHERE state = 'done' AND instance_id IS NULL;--> statement-breakpoint
CREATE INDEX `orchestration_occurrences_expired` ON `orchestration_occurrences` (`date`) WHERE state = 'expired';--> statement-breakpoint
CREATE TABLE `orchestration_trigger_generation` (
	`one` integer PRIMARY KEY NOT NULL,
	`generation` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `orchestration_triggers` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`event` text NOT NULL,
	`version` text,
	`filter` text,
	`workflow_key` integer NOT NULL,
	`vars` text NOT NULL,
	`principal` text NOT NULL,
	`created_at` text NOT NULL,
	`deleted_at` text,
	`stopped_at` text,
	`stopped_by` text,
	`stopped_depth` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `orchestration_triggers_id_unique` ON `orchestration_triggers` (`id`);--> statement-breakpoint
CREATE INDEX `orchestration_triggers_listed` ON `orchestration_triggers` (`deleted_at`,`key`);--> statement-breakpoint
CREATE INDEX `orchestration_triggers_event` ON `orchestration_triggers` (`event`,`deleted_at`,`key`);--> statement-breakpoint
CREATE TABLE `orchestration_workflows` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`config` text NOT NULL,
	`ledgers` text NOT NULL,
	`created_at` text NOT NULL,
	`deleted_at` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `orchestration_workflows_id_unique` ON `orchestration_workflows` (`id`);--> statement-breakpoint
CREATE INDEX `orchestration_workflows_listed` ON `orchestration_workflows` (`deleted_at`,`key`);--> statement-breakpoint
CREATE TABLE `payment_account_segments` (
	`segment` integer PRIMARY KEY NOT NULL,
	`w0` integer NOT NULL,
	`w1` integer NOT NULL,
	`w2` integer NOT NULL,
	`w3` integer NOT NULL,
	`w4` integer NOT NULL,
	`w5` integer NOT NULL,
	`w6` integer NOT NULL,
	`w7` integer NOT NULL,
	`w8` integer NOT NULL,
	`w9` integer NOT NULL,
	`w10` integer NOT NULL,
	`w11` integer NOT NULL,
	`w12` integer NOT NULL,
	`w13` integer NOT NULL,
	`w14` integer NOT NULL,
	`w15` integer NOT NULL,
	`w16` integer NOT NULL,
	`w17` integer NOT NULL,
	`w18` integer NOT NULL,
	`w19` integer NOT NULL,
	`w20` integer NOT NULL,
	`w21` integer NOT NULL,
	`w22` integer NOT NULL,
	`w23` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `payment_accounts` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`connector_key` integer NOT NULL,
	`reference` text NOT NULL,
	`created_at` text NOT NULL,
	`type` text NOT NULL,
	`name` text,
	`default_asset` text,
	`psu_id` text,
	`connection_id` text,
	`metadata` text NOT NULL,
	`metadata_bits` integer NOT NULL,
	`raw` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `payment_accounts_identity` ON `payment_accounts` (`reference`,`connector_key`);--> statement-breakpoint
CREATE INDEX `payment_accounts_listed` ON `payment_accounts` (`created_at`,`key`,`connector_key`,`type`,`default_asset`,`name`,`psu_id`,`connection_id`,`metadata_bits`);--> statement-breakpoint
CREATE TABLE `payment_balance_confirmations` (
	`segment` integer PRIMARY KEY NOT NULL,
	`times` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `payment_balances` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`connector_key` integer NOT NULL,
	`account_reference` text NOT NULL,
	`asset` text NOT NULL,
	`amount` text NOT NULL,
	`created_at` text NOT NULL,
	`last_updated_at` text NOT NULL,
	`is_open` integer NOT NULL,
	`psu_id` text,
	`connection_id` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `payment_balances_open` ON `payment_balances` (`connector_key`,`account_reference`,`asset`) WHERE is_open = 1;--> statement-breakpoint
CREATE INDEX `payment_balances_listed` ON `payment_balances` (`connector_key`,`account_reference`,`created_at`,`key`,`asset`,`last_updated_at`);--> statement-breakpoint
CREATE TABLE `payment_bank_account_relations` (
	`bank_account_key` integer NOT NULL,
	`connector_key` integer NOT NULL,
	`account_reference` text NOT NULL,
	`created_at` text NOT NULL,
	PRIMARY KEY(`bank_account_key`, `connector_key`, `account_reference`)
);
--> statement-breakpoint
CREATE INDEX `payment_bank_account_relations_connector` ON `payment_bank_account_relations` (`connector_key`);--> statement-breakpoint
CREATE TABLE `payment_bank_accounts` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`country` text,
	`numbers` text NOT NULL,
	`psu_id` text,
	`metadata` text NOT NULL,
	`metadata_bits` integer NOT NULL,
	`created_at` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `payment_bank_accounts_id_unique` ON `payment_bank_accounts` (`id`);--> statement-breakpoint
CREATE INDEX `payment_bank_accounts_listed` ON `payment_bank_accounts` (`created_at`,`key`,`country`,`name`,`metadata_bits`);--> statement-breakpoint
CREATE INDEX `payment_bank_accounts_user` ON `payment_bank_accounts` (`psu_id`);--> statement-breakpoint
CREATE TABLE `payment_booking_failures` (
	`booking_key` integer NOT NULL,
	`adjustment_key` integer NOT NULL,
	`adjustment_id` text NOT NULL,
	`payment_id` text NOT NULL,
	`message` text NOT NULL,
	`details` text,
	`created_at` text NOT NULL,
	PRIMARY KEY(`booking_key`, `adjustment_key`)
);
--> statement-breakpoint
CREATE TABLE `payment_bookings` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`connector_key` integer,
	`pool_id` text,
	`ledger` text NOT NULL,
	`schema_version` text NOT NULL,
	`template` text NOT NULL,
	`templates` text NOT NULL,
	`state` text NOT NULL,
	`run` integer NOT NULL,
	`position` integer NOT NULL,
	`booked` integer NOT NULL,
	`failed` integer NOT NULL,
	`error` text,
	`attempts` integer NOT NULL,
	`wait_until` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	`last_booked_at` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `payment_bookings_id_unique` ON `payment_bookings` (`id`);--> statement-breakpoint
CREATE INDEX `payment_bookings_listed` ON `payment_bookings` (`created_at`,`key`);--> statement-breakpoint
CREATE UNIQUE INDEX `payment_bookings_connector` ON `payment_bookings` (`connector_key`,`ledger`) WHERE connector_key IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `payment_bookings_pool` ON `payment_bookings` (`pool_id`,`ledger`) WHERE pool_id IS NOT NULL;--> statement-breakpoint
CREATE TABLE `payment_conversion_segments` (
	`segment` integer PRIMARY KEY NOT NULL,
	`w0` integer NOT NULL,
	`w1` integer NOT NULL,
	`w2` integer NOT NULL,
	`w3` integer NOT NULL,
	`w4` integer NOT NULL,
	`w5` integer NOT NULL,
	`w6` integer NOT NULL,
	`w7` integer NOT NULL,
	`w8` integer NOT NULL,
	`w9` integer NOT NULL,
	`w10` integer NOT NULL,
	`w11` integer NOT NULL,
	`w12` integer NOT NULL,
	`w13` integer NOT NULL,
	`w14` integer NOT NULL,
	`w15` integer NOT NULL,
	`w16` integer NOT NULL,
	`w17` integer NOT NULL,
	`w18` integer NOT NULL,
	`w19` integer NOT NULL,
	`w20` integer NOT NULL,
	`w21` integer NOT NULL,
	`w22` integer NOT NULL,
	`w23` integer NOT NULL,
	`w24` integer NOT NULL,
	`w25` integer NOT NULL,
	`w26` integer NOT NULL,
	`w27` integer NOT NULL,
	`w28` integer NOT NULL,
	`w29` integer NOT NULL,
	`w30` integer NOT NULL,
	`w31` integer NOT NULL,
	`w32` integer NOT NULL,
	`w33` integer NOT NULL,
	`w34` integer NOT NULL,
	`w35` integer NOT NULL,
	`w36` integer NOT NULL,
	`w37` integer NOT NULL,
	`w38` integer NOT NULL,
	`w39` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `payment_conversions` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`connector_key` integer NOT NULL,
	`reference` text NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	`source_asset` text NOT NULL,
	`destination_asset` text NOT NULL,
	`source_amount` text NOT NULL,
	`destination_amount` text,
	`fee` text,
	`fee_asset` text,
	`status` text NOT NULL,
	`source_reference` text,
	`destination_reference` text,
	`source_hash` integer,
	`destination_hash` integer,
	`metadata` text NOT NULL,
	`metadata_bits` integer NOT NULL,
	`raw` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `payment_conversions_identity` ON `payment_conversions` (`reference`,`connector_key`);--> statement-breakpoint
CREATE INDEX `payment_conversions_listed` ON `payment_conversions` (`created_at`,`key`,`connector_key`,`status`,`source_asset`,`destination_asset`,`source_amount`,`destination_amount`,`source_hash`,`destination_hash`,`metadata_bits`);--> statement-breakpoint
CREATE INDEX `payment_conversions_connector` ON `payment_conversions` (`connector_key`);--> statement-breakpoint
CREATE TABLE `payment_initiation_adjustments` (
	`key` integer PRIMARY KEY NOT NULL,
	`initiation_key` integer NOT NULL,
	`status` text NOT NULL,
	`metadata_bits` integer NOT NULL,
	`created_at` text NOT NULL,
	`amount` text,
	`error` text,
	`metadata` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `payment_initiation_payments` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`initiation_key` integer NOT NULL,
	`payment_key` integer NOT NULL,
	`created_at` text NOT NULL,
	`heard_of` integer NOT NULL,
	`has_news` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `payment_initiation_payments_identity` ON `payment_initiation_payments` (`initiation_key`,`payment_key`);--> statement-breakpoint
CREATE INDEX `payment_initiation_payments_payment` ON `payment_initiation_payments` (`payment_key`);--> statement-breakpoint
CREATE INDEX `payment_initiation_payments_news` ON `payment_initiation_payments` (`initiation_key`) WHERE has_news = 1;--> statement-breakpoint
CREATE TABLE `payment_initiations` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`connector_key` integer NOT NULL,
	`reference` text NOT NULL,
	`created_at` text NOT NULL,
	`scheduled_at` text,
	`description` text NOT NULL,
	`type` text NOT NULL,
	`amount` text NOT NULL,
	`asset` text NOT NULL,
	`source` text,
	`destination` text,
	`source_hash` integer,
	`destination_hash` integer,
	`metadata` text NOT NULL,
	`metadata_bits` integer NOT NULL,
	`creator_issuer` text NOT NULL,
	`creator_subject` text NOT NULL,
	`status` text NOT NULL,
	`error` text,
	`adjusted_at` text NOT NULL,
	`adjustments` integer NOT NULL,
	`attempts` integer NOT NULL,
	`was_processed` integer NOT NULL,
	`reversed` text NOT NULL,
	`reserved` text NOT NULL,
	`causation_depth` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `payment_initiations_identity` ON `payment_initiations` (`reference`,`connector_key`);--> statement-breakpoint
CREATE INDEX `payment_initiations_listed` ON `payment_initiations` (`created_at`,`key`,`connector_key`,`status`,`type`,`asset`,`amount`,`source_hash`,`destination_hash`,`metadata_bits`);--> statement-breakpoint
CREATE INDEX `payment_initiations_connector` ON `payment_initiations` (`connector_key`);--> statement-breakpoint
CREATE TABLE `payment_movements` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`connector_key` integer NOT NULL,
	`initiation_key` integer NOT NULL,
	`reversal_key` integer,
	`task` text NOT NULL,
	`polling_id` text,
	`mark` text NOT NULL,
	`signature` text NOT NULL,
	`sent_at` text,
	`shown` text,
	`due_at` text NOT NULL,
	`claims` integer NOT NULL,
	`failures` integer NOT NULL,
	`failing_since` text,
	`last_error` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `payment_movements_initiation_key_unique` ON `payment_movements` (`initiation_key`);--> statement-breakpoint
CREATE INDEX `payment_movements_due` ON `payment_movements` (`due_at`);--> statement-breakpoint
CREATE INDEX `payment_movements_connector` ON `payment_movements` (`connector_key`,`due_at`);--> statement-breakpoint
CREATE INDEX `payment_movements_task` ON `payment_movements` (`connector_key`,`task`);--> statement-breakpoint
CREATE INDEX `payment_movements_mark` ON `payment_movements` (`connector_key`,`mark`);--> statement-breakpoint
CREATE INDEX `payment_movements_signature` ON `payment_movements` (`connector_key`,`signature`) WHERE failures > 0;--> statement-breakpoint
CREATE INDEX `payment_movements_shown` ON `payment_movements` (`connector_key`) WHERE shown IS NOT NULL;--> statement-breakpoint
CREATE INDEX `payment_movements_trouble` ON `payment_movements` (`connector_key`,`failures`) WHERE failing_since IS NOT NULL;--> statement-breakpoint
CREATE TABLE `payment_reversal_adjustments` (
	`reversal_key` integer NOT NULL,
	`ordinal` integer NOT NULL,
	`created_at` text NOT NULL,
	`status` text NOT NULL,
	`error` text,
	PRIMARY KEY(`reversal_key`, `ordinal`)
);
--> statement-breakpoint
CREATE TABLE `payment_reversals` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`connector_key` integer NOT NULL,
	`initiation_key` integer NOT NULL,
	`reference` text NOT NULL,
	`created_at` text NOT NULL,
	`description` text NOT NULL,
	`amount` text NOT NULL,
	`metadata` text NOT NULL,
	`status` text NOT NULL,
	`adjustments` integer NOT NULL,
	`payment_reference` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `payment_reversals_identity` ON `payment_reversals` (`reference`,`connector_key`);--> statement-breakpoint
CREATE INDEX `payment_reversals_initiation` ON `payment_reversals` (`initiation_key`);--> statement-breakpoint
CREATE TABLE `payment_connectors` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`provider` text NOT NULL,
	`reference` text NOT NULL,
	`name` text NOT NULL,
	`config` text NOT NULL,
	`polling_period_ms` integer NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text,
	`deleted_at` text,
	`held_until` text,
	`health` text DEFAULT 'healthy' NOT NULL,
	`health_since` text,
	`health_version` integer DEFAULT 0 NOT NULL,
	`public_url` text,
	`successor` text,
	`revision` integer DEFAULT 0 NOT NULL,
	`synced_revision` integer DEFAULT 0 NOT NULL,
	`sync_attempts` integer DEFAULT 0 NOT NULL,
	`sync_after` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `payment_connectors_reference_unique` ON `payment_connectors` (`reference`);--> statement-breakpoint
CREATE UNIQUE INDEX `payment_connectors_name_unique` ON `payment_connectors` (`name`);--> statement-breakpoint
CREATE INDEX `payment_connectors_listed` ON `payment_connectors` (`created_at`,`key`);--> statement-breakpoint
CREATE INDEX `payment_connectors_deleted` ON `payment_connectors` (`deleted_at`) WHERE deleted_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `payment_connectors_pending` ON `payment_connectors` (`sync_after`,`key`) WHERE synced_revision < revision;--> statement-breakpoint
CREATE TABLE `payment_plugin_texts` (
	`connector_key` integer NOT NULL,
	`name` text NOT NULL,
	`value` text NOT NULL,
	PRIMARY KEY(`connector_key`, `name`)
);
--> statement-breakpoint
CREATE TABLE `payment_jobs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`job` text NOT NULL,
	`connector_key` integer,
	`created_at` text NOT NULL,
	`revision` integer DEFAULT 0 NOT NULL,
	`synced_revision` integer DEFAULT 0 NOT NULL,
	`sync_attempts` integer DEFAULT 0 NOT NULL,
	`sync_after` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `payment_jobs_name_unique` ON `payment_jobs` (`name`);--> statement-breakpoint
CREATE INDEX `payment_jobs_pending` ON `payment_jobs` (`sync_after`,`id`) WHERE synced_revision < revision;--> statement-breakpoint
CREATE INDEX `payment_jobs_connector` ON `payment_jobs` (`connector_key`);--> statement-breakpoint
CREATE TABLE `payment_order_adjustments` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`order_key` integer NOT NULL,
	`ordinal` integer NOT NULL,
	`identity` text NOT NULL,
	`reference` text NOT NULL,
	`created_at` text NOT NULL,
	`status` text NOT NULL,
	`base_quantity_filled` text,
	`fee` text,
	`fee_asset` text,
	`metadata` text NOT NULL,
	`raw` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `payment_order_adjustments_order` ON `payment_order_adjustments` (`order_key`,`ordinal`);--> statement-breakpoint
CREATE UNIQUE INDEX `payment_order_adjustments_identity` ON `payment_order_adjustments` (`order_key`,`identity`);--> statement-breakpoint
CREATE TABLE `payment_order_segments` (
	`segment` integer PRIMARY KEY NOT NULL,
	`w0` integer NOT NULL,
	`w1` integer NOT NULL,
	`w2` integer NOT NULL,
	`w3` integer NOT NULL,
	`w4` integer NOT NULL,
	`w5` integer NOT NULL,
	`w6` integer NOT NULL,
	`w7` integer NOT NULL,
	`w8` integer NOT NULL,
	`w9` integer NOT NULL,
	`w10` integer NOT NULL,
	`w11` integer NOT NULL,
	`w12` integer NOT NULL,
	`w13` integer NOT NULL,
	`w14` integer NOT NULL,
	`w15` integer NOT NULL,
	`w16` integer NOT NULL,
	`w17` integer NOT NULL,
	`w18` integer NOT NULL,
	`w19` integer NOT NULL,
	`w20` integer NOT NULL,
	`w21` integer NOT NULL,
	`w22` integer NOT NULL,
	`w23` integer NOT NULL,
	`w24` integer NOT NULL,
	`w25` integer NOT NULL,
	`w26` integer NOT NULL,
	`w27` integer NOT NULL,
	`w28` integer NOT NULL,
	`w29` integer NOT NULL,
	`w30` integer NOT NULL,
	`w31` integer NOT NULL,
	`w32` integer NOT NULL,
	`w33` integer NOT NULL,
	`w34` integer NOT NULL,
	`w35` integer NOT NULL,
	`w36` integer NOT NULL,
	`w37` integer NOT NULL,
	`w38` integer NOT NULL,
	`w39` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `payment_orders` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`connector_key` integer NOT NULL,
	`reference` text NOT NULL,
	`client_order_id` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	`direction` text NOT NULL,
	`source_asset` text NOT NULL,
	`destination_asset` text NOT NULL,
	`type` text NOT NULL,
	`status` text NOT NULL,
	`base_quantity_ordered` text NOT NULL,
	`base_quantity_filled` text,
	`limit_price` text,
	`stop_price` text,
	`time_in_force` text NOT NULL,
	`expires_at` text,
	`quote_amount` text,
	`quote_asset` text,
	`fee` text,
	`fee_asset` text,
	`average_fill_price` text,
	`price_asset` text,
	`source_reference` text,
	`destination_reference` text,
	`metadata` text NOT NULL,
	`metadata_bits` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `payment_orders_identity` ON `payment_orders` (`reference`,`connector_key`);--> statement-breakpoint
CREATE INDEX `payment_orders_listed` ON `payment_orders` (`created_at`,`key`,`connector_key`,`direction`,`source_asset`,`destination_asset`,`type`,`status`,`time_in_force`,`base_quantity_ordered`,`base_quantity_filled`,`limit_price`,`fee`,`metadata_bits`);--> statement-breakpoint
CREATE INDEX `payment_orders_connector` ON `payment_orders` (`connector_key`);--> statement-breakpoint
CREATE TABLE `payment_adjustments` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`payment_key` integer NOT NULL,
	`ordinal` integer NOT NULL,
	`reference` text NOT NULL,
	`created_at` text NOT NULL,
	`status` text NOT NULL,
	`amount` text,
	`asset` text,
	`metadata` text NOT NULL,
	`raw` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `payment_adjustments_ordinal` ON `payment_adjustments` (`payment_key`,`ordinal`);--> statement-breakpoint
CREATE TABLE `payment_payments` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`connector_key` integer NOT NULL,
	`reference` text NOT NULL,
	`type` text NOT NULL,
	`created_at` text NOT NULL,
	`scheme` text NOT NULL,
	`status` text NOT NULL,
	`asset` text NOT NULL,
	`initial_amount` text NOT NULL,
	`amount` text NOT NULL,
	`opening_initial_amount` text,
	`opening_amount` text,
	`source_account` text,
	`destination_account` text,
	`source_hash` integer,
	`destination_hash` integer,
	`psu_id` text,
	`connection_id` text,
	`metadata` text NOT NULL,
	`metadata_bits` integer NOT NULL,
	`causation_depth` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `payment_payments_identity` ON `payment_payments` (`reference`,`connector_key`,`type`);--> statement-breakpoint
CREATE INDEX `payment_payments_listed` ON `payment_payments` (`created_at`,`key`,`connector_key`,`type`,`status`,`scheme`,`asset`,`amount`,`initial_amount`,`source_hash`,`destination_hash`,`psu_id`,`connection_id`,`metadata_bits`);--> statement-breakpoint
CREATE TABLE `payment_segments` (
	`segment` integer PRIMARY KEY NOT NULL,
	`w0` integer NOT NULL,
	`w1` integer NOT NULL,
	`w2` integer NOT NULL,
	`w3` integer NOT NULL,
	`w4` integer NOT NULL,
	`w5` integer NOT NULL,
	`w6` integer NOT NULL,
	`w7` integer NOT NULL,
	`w8` integer NOT NULL,
	`w9` integer NOT NULL,
	`w10` integer NOT NULL,
	`w11` integer NOT NULL,
	`w12` integer NOT NULL,
	`w13` integer NOT NULL,
	`w14` integer NOT NULL,
	`w15` integer NOT NULL,
	`w16` integer NOT NULL,
	`w17` integer NOT NULL,
	`w18` integer NOT NULL,
	`w19` integer NOT NULL,
	`w20` integer NOT NULL,
	`w21` integer NOT NULL,
	`w22` integer NOT NULL,
	`w23` integer NOT NULL,
	`w24` integer NOT NULL,
	`w25` integer NOT NULL,
	`w26` integer NOT NULL,
	`w27` integer NOT NULL,
	`w28` integer NOT NULL,
	`w29` integer NOT NULL,
	`w30` integer NOT NULL,
	`w31` integer NOT NULL,
	`w32` integer NOT NULL,
	`w33` integer NOT NULL,
	`w34` integer NOT NULL,
	`w35` integer NOT NULL,
	`w36` integer NOT NULL,
	`w37` integer NOT NULL,
	`w38` integer NOT NULL,
	`w39` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `payment_fetches` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`schedule_key` integer NOT NULL,
	`node` text NOT NULL,
	`parent` text NOT NULL,
	`payload` text,
	`state` text,
	`is_due` integer DEFAULT 1 NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`retry_at` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `payment_fetches_of_item` ON `payment_fetches` (`schedule_key`,`node`,`parent`);--> statement-breakpoint
CREATE INDEX `payment_fetches_walk` ON `payment_fetches` (`schedule_key`,`node`,`key`);--> statement-breakpoint
CREATE INDEX `payment_fetches_failing` ON `payment_fetches` (`schedule_key`) WHERE failures > 0;--> statement-breakpoint
CREATE TABLE `payment_instances` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`schedule_key` integer NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	`terminated_at` text,
	`error` text
);
--> statement-breakpoint
CREATE INDEX `payment_instances_listed` ON `payment_instances` (`schedule_key`,`created_at`,`key`);--> statement-breakpoint
CREATE TABLE `payment_schedules` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`connector_key` integer NOT NULL,
	`task` text NOT NULL,
	`created_at` text NOT NULL,
	`paused_at` text,
	`paused_reason` text,
	`next_at` text NOT NULL,
	`version` integer DEFAULT 0 NOT NULL,
	`instance_key` integer,
	`node` text DEFAULT '' NOT NULL,
	`fetch_key` integer DEFAULT 0 NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`given_up` integer DEFAULT 0 NOT NULL,
	`items` integer DEFAULT 0 NOT NULL,
	`error` text,
	`failures` integer DEFAULT 0 NOT NULL,
	`failing_since` text,
	`degraded_since` text,
	`progress_at` text,
	`last_success_at` text,
	`last_failure_at` text,
	`last_error` text,
	`last_items` integer,
	`confirmed` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `payment_schedules_of_connector` ON `payment_schedules` (`connector_key`,`task`);--> statement-breakpoint
CREATE INDEX `payment_schedules_due` ON `payment_schedules` (`next_at`);--> statement-breakpoint
CREATE TABLE `payment_pool_accounts` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`pool_key` integer NOT NULL,
	`connector_key` integer NOT NULL,
	`account_reference` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `payment_pool_accounts_identity` ON `payment_pool_accounts` (`pool_key`,`connector_key`,`account_reference`);--> statement-breakpoint
CREATE INDEX `payment_pool_accounts_account` ON `payment_pool_accounts` (`connector_key`,`account_reference`);--> statement-breakpoint
CREATE TABLE `payment_pools` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`type` text NOT NULL,
	`query` text,
	`created_at` text NOT NULL,
	`change_id` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `payment_pools_id_unique` ON `payment_pools` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `payment_pools_name_unique` ON `payment_pools` (`name`);--> statement-breakpoint
CREATE INDEX `payment_pools_listed` ON `payment_pools` (`created_at`,`key`,`name`);--> statement-breakpoint
CREATE TABLE `payment_rejected_items` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`connector_key` integer NOT NULL,
	`schedule_key` integer NOT NULL,
	`fetch_key` integer NOT NULL,
	`task` text NOT NULL,
	`item_id` text NOT NULL,
	`raw` text NOT NULL,
	`reason` text NOT NULL,
	`state` text,
	`bytes` integer NOT NULL,
	`created_at` text NOT NULL,
	`tried_at` text NOT NULL,
	`attempts` integer DEFAULT 1 NOT NULL,
	`instance_key` integer NOT NULL,
	`retried_in` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `payment_rejected_items_of_fetch` ON `payment_rejected_items` (`connector_key`,`schedule_key`,`fetch_key`,`item_id`);--> statement-breakpoint
CREATE INDEX `payment_rejected_items_of_schedule` ON `payment_rejected_items` (`schedule_key`,`fetch_key`);--> statement-breakpoint
CREATE INDEX `payment_rejected_items_listed` ON `payment_rejected_items` (`connector_key`,`created_at`,`key`);--> statement-breakpoint
CREATE TABLE `payment_tasks` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`reference` text NOT NULL,
	`provider` text NOT NULL,
	`connector_reference` text NOT NULL,
	`connector_key` integer,
	`status` text NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	`created_object_id` text,
	`error` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `payment_tasks_of_reference` ON `payment_tasks` (`reference`,`connector_reference`);--> statement-breakpoint
CREATE INDEX `payment_tasks_of_connector` ON `payment_tasks` (`connector_key`);--> statement-breakpoint
CREATE TABLE `payment_forwarded_users` (
	`user_key` integer NOT NULL,
	`connector_key` integer NOT NULL,
	`provider_user_id` text,
	`access_token` text,
	`metadata` text NOT NULL,
	`created_at` text NOT NULL,
	PRIMARY KEY(`user_key`, `connector_key`)
);
--> statement-breakpoint
CREATE INDEX `payment_forwarded_users_connector` ON `payment_forwarded_users` (`connector_key`,`provider_user_id`);--> statement-breakpoint
CREATE TABLE `payment_link_attempts` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`user_key` integer NOT NULL,
	`connector_key` integer NOT NULL,
	`status` text NOT NULL,
	`error` text,
	`client_redirect_url` text NOT NULL,
	`state_hash` text NOT NULL,
	`link` text NOT NULL,
	`created_at` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `payment_link_attempts_id_unique` ON `payment_link_attempts` (`id`);--> statement-breakpoint
CREATE INDEX `payment_link_attempts_listed` ON `payment_link_attempts` (`user_key`,`connector_key`,`created_at`,`key`,`status`);--> statement-breakpoint
CREATE INDEX `payment_link_attempts_connector` ON `payment_link_attempts` (`connector_key`);--> statement-breakpoint
CREATE TABLE `payment_user_connections` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_key` integer NOT NULL,
	`connector_key` integer NOT NULL,
	`connection_id` text NOT NULL,
	`status` text NOT NULL,
	`error` text,
	`access_token` text,
	`metadata` text NOT NULL,
	`metadata_bits` integer NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	`data_updated_at` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `payment_user_connections_identity` ON `payment_user_connections` (`connector_key`,`connection_id`,`user_key`);--> statement-breakpoint
CREATE INDEX `payment_user_connections_listed` ON `payment_user_connections` (`user_key`,`created_at`,`key`,`connector_key`,`status`,`connection_id`,`metadata_bits`);--> statement-breakpoint
CREATE TABLE `payment_users` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`contact_details` text,
	`address` text,
	`metadata` text NOT NULL,
	`metadata_bits` integer NOT NULL,
	`created_at` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `payment_users_id_unique` ON `payment_users` (`id`);--> statement-breakpoint
CREATE INDEX `payment_users_listed` ON `payment_users` (`created_at`,`key`,`metadata_bits`);--> statement-breakpoint
CREATE TABLE `payment_webhook_configs` (
	`connector_key` integer NOT NULL,
	`url_path` text NOT NULL,
	`name` text NOT NULL,
	`metadata` text NOT NULL,
	`failed_at` text,
	`error` text,
	PRIMARY KEY(`connector_key`, `url_path`)
);
--> statement-breakpoint
CREATE TABLE `payment_webhook_deliveries` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`connector_key` integer NOT NULL,
	`digest` text NOT NULL,
	`received_at` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `payment_webhook_deliveries_of_connector` ON `payment_webhook_deliveries` (`connector_key`,`digest`);--> statement-breakpoint
CREATE TABLE `wallet_hold_expiries` (
	`ledger` text NOT NULL,
	`hold_id` text NOT NULL,
	`due_at` text NOT NULL,
	`asked_at` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`ledger`, `hold_id`)
);
--> statement-breakpoint
CREATE INDEX `wallet_hold_expiries_due` ON `wallet_hold_expiries` (`due_at`);--> statement-breakpoint
CREATE TABLE `webhook_configs` (
	`id` text PRIMARY KEY NOT NULL,
	`endpoint` text NOT NULL,
	`sealed_endpoint` text,
	`secret` text NOT NULL,
	`previous_secrets` text,
	`event_types` text NOT NULL,
	`name` text NOT NULL,
	`active` integer NOT NULL,
	`ended_revision` integer DEFAULT 0 NOT NULL,
	`has_failed` integer DEFAULT false NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	`deleted_at` text,
	`test_minute` integer,
	`test_count` integer DEFAULT 0 NOT NULL,
	`revision` integer DEFAULT 0 NOT NULL,
	`synced_revision` integer DEFAULT 0 NOT NULL,
	`sync_attempts` integer DEFAULT 0 NOT NULL,
	`sync_after` text
);
--> statement-breakpoint
CREATE INDEX `webhook_configs_listed` ON `webhook_configs` (`updated_at`,`id`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `webhook_configs_tested` ON `webhook_configs` (`test_minute`) WHERE test_minute IS NOT NULL;--> statement-breakpoint
CREATE INDEX `webhook_configs_pending` ON `webhook_configs` (`sync_after`,`id`) WHERE synced_revision < revision;--> statement-breakpoint
CREATE TABLE `webhook_owed` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`config_id` text NOT NULL,
	`revision` integer NOT NULL,
	`batch` text NOT NULL,
	`created_at` text NOT NULL,
	`due_at` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `webhook_owed_due` ON `webhook_owed` (`due_at`);--> statement-breakpoint
CREATE INDEX `webhook_owed_config` ON `webhook_owed` (`config_id`,`due_at`);--> statement-breakpoint
CREATE TABLE `webhook_payloads` (
	`event_id` text PRIMARY KEY NOT NULL,
	`created_ms` integer NOT NULL,
	`keep_until_ms` integer NOT NULL,
	`body` blob NOT NULL
);
--> statement-breakpoint
CREATE INDEX `webhook_payloads_due` ON `webhook_payloads` (`keep_until_ms`);--> statement-breakpoint
CREATE TABLE `webhook_replays` (
	`key` text PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`request_hash` text NOT NULL,
	`plan` text,
	`response` text,
	`created_at` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `webhook_replays_purged` ON `webhook_replays` (`created_at`);--> statement-breakpoint
CREATE TABLE `audit` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`date` text NOT NULL,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`client_id` text NOT NULL,
	`action` text NOT NULL,
	`object` text NOT NULL,
	`request_id` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_date` ON `audit` (`date`);--> statement-breakpoint
CREATE INDEX `audit_client` ON `audit` (`client_id`,`date`);--> statement-breakpoint
CREATE INDEX `audit_subject` ON `audit` (`subject`,`date`);--> statement-breakpoint
CREATE INDEX `audit_action` ON `audit` (`action`,`date`);--> statement-breakpoint
CREATE INDEX `audit_object` ON `audit` (`object`,`date`);--> statement-breakpoint
CREATE TABLE `storage_reserve` (
	`slot` integer PRIMARY KEY NOT NULL,
	`bytes` blob NOT NULL
);
--> statement-breakpoint
CREATE TABLE `outbox` (
	`sequence` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`order_key` text,
	`event` text NOT NULL,
	`attempts` integer NOT NULL,
	`announce_at` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `outbox_id_unique` ON `outbox` (`id`);--> statement-breakpoint
CREATE INDEX `outbox_due` ON `outbox` (`announce_at`,`sequence`);--> statement-breakpoint
CREATE INDEX `outbox_ordered` ON `outbox` (`order_key`,`sequence`) WHERE order_key IS NOT NULL;--> statement-breakpoint
CREATE TABLE `storage_sizes` (
	`name` text PRIMARY KEY NOT NULL,
	`bytes` integer NOT NULL,
	`measured_ms` integer NOT NULL,
	`day_bytes` integer NOT NULL,
	`day_ms` integer NOT NULL,
	`growth` real
);
