/**
 * The kit of connectors. Each file of a connector imports this file as `kit`:
 *
 *     contract    the operations of a plugin, and the objects that they return: `contract.ts`, `provider-objects.ts`, `webhook-contract.ts`
 *     kinds       the fields of a configuration, and the tree of tasks
 *     client      an API over HTTP; `token-client` if a login gives tokens
 *     objects     the values that providers send; `items` reads many and sets the invalid ones aside, `raw` keeps them without secrets
 *     currencies  amounts as the provider counts them
 *     lists       how far a list was read, as the table below shows
 *     orders      movements of money that the provider has to make; `open-movements` if their ends have to be polled
 *     webhooks    registered endpoints, and deliveries whose `signatures` are verified
 *
 * | The list | Reader |
 * | --- | --- |
 * | can be requested from a time on, in numbered pages | `time-list` |
 * | has its newest object first, and can be requested from a time on | `newest-list` |
 * | has its newest object first, with pages next to an object | `timeline` |
 * | grows at its end, and has numbered pages | `growing-list` |
 * | can be read only from its beginning, by tokens of pages | `token-list` |
 * | is a single answer | `pages` |
 */
export type { ConfigField, PluginConfig } from "#modules/payments/connectors/config.ts";
export * from "#modules/payments/connectors/connector-error.ts";
export type * from "#modules/payments/connectors/contract.ts";
export type * from "#modules/payments/connectors/provider-objects.ts";
export type * from "#modules/payments/connectors/webhook-contract.ts";
export type { PaymentScheme, PaymentStatus, PaymentType } from "#modules/payments/core/enums.ts";
export { given } from "#modules/payments/core/given.ts";
export * from "./client.ts";
export * from "./currencies.ts";
export * from "./growing-list.ts";
export * from "./http.ts";
export * from "./items.ts";
export * from "./kinds.ts";
export * from "./newest-list.ts";
export * from "./objects.ts";
export * from "./open-movements.ts";
export * from "./orders.ts";
export * from "./pages.ts";
export * from "./raw.ts";
export * from "./signatures.ts";
export * from "./spec-metadata.ts";
export * from "./time-list.ts";
export * from "./timeline.ts";
export * from "./token-client.ts";
export * from "./token-list.ts";
export * from "./webhooks.ts";
