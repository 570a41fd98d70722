import type { OpenAPIHono } from "@hono/zod-openapi";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { ResourceGroup } from "./resources.ts";
import type { Site } from "./site.ts";
import type { ServiceContext } from "#platform/context.ts";
import type { ErrorTable } from "#platform/errors.ts";
import type { EventTypeTable } from "#platform/events/event-types.ts";
import type { EventListener, EventSource } from "#platform/events/source.ts";
import type { Scope } from "#platform/http/authenticator.ts";
import type { AppEnv } from "#platform/http/context.ts";
import type { SettingsTable } from "#platform/settings.ts";

/** What a part of the product declares. The app, the queues and the clock walk the list of modules and know none by name. */
export interface Module {
  /** Path segment below `/api`. */
  readonly name: string;
  /** The module whose API its operations belong to: they are served below that one's path, with its version. */
  readonly partOf?: string;
  /** Version of the API that it speaks, as its clients compare it. A module that is part of another one has none. */
  readonly version?: string;
  readonly routes: () => Routes;
  /** What the API document shows of it: each of its operations has the name of one of these resources as its tag. */
  readonly resources: readonly ResourceGroup[];
  /** Examples of all its operations, in Markdown; see `parseExchanges`. */
  readonly examples: string;
  /** Routes that are Florin's own, below `/api/florin/v1`. */
  readonly florinRoutes?: () => Routes;
  /** Resolves if what the module depends on answers, and rejects otherwise. */
  readonly health: (context: ServiceContext) => Promise<void>;
  readonly settings: SettingsTable;
  readonly scopes: ScopeTable;
  /** The failures that only this module knows. */
  readonly errors?: ErrorTable;
  /** What its clients call codes that they do not know: `{ INTERNAL: "INTERNAL_ERROR" }`. */
  readonly clientCodes?: Readonly<Record<string, string>>;
  /** The types of its events: the API document describes them, and consumers may rely on them. */
  readonly eventTypes?: EventTypeTable;
  /** How consumers get the events of its messages. */
  readonly eventSource?: EventSource;
  /** The module's listener for events of all modules. */
  readonly eventListener?: EventListener;
  /** Its pages for browsers, declared in its file `site.ts`. */
  readonly site?: Site;
  readonly queues?: QueueConsumers;
  readonly sweeps?: readonly Sweep[];
  readonly classes?: Classes;
  /** Its tables in D1: `tablesIn` of its files `tables.ts`. It is healthy only where the database has them. */
  readonly tables: readonly SQLiteTable[];
}

export type Routes = OpenAPIHono<AppEnv>;

/** The scopes that a token may have, each with what it allows, in words without a full stop. */
export type ScopeTable = Readonly<Record<Scope, string>>;

/** The scopes of all modules. */
export const scopesOf = (modules: readonly Module[]): Record<string, string> =>
  Object.fromEntries(modules.flatMap(({ scopes }) => Object.entries(scopes)));

/** Consumers of queues, by the name of the queue. A consumer acknowledges each message when its effect is stored. */
export type QueueConsumers = Readonly<
  Record<string, (batch: MessageBatch, context: ServiceContext) => Promise<void>>
>;

/** Completes work that a message or a request has left undone because a process was killed, late or unreachable. */
export interface Sweep {
  /** Names it in the log, and its clock; see `platform/objects/deployment-clock.ts`. */
  readonly name: string;
  /** Does what is overdue, and returns when to run again, in milliseconds since the epoch; undefined for whenever it is asked for, or after an hour. */
  readonly run: (context: ServiceContext) => Promise<number | undefined>;
  /** Whether it deletes: it may use the reserve where the database is full, and is run once more then. */
  readonly purges?: boolean;
}

/** Durable Object and Workflow classes, by name: `index.ts` of the Worker exports them, `wrangler.toml` binds them. */
export type Classes = Readonly<Record<string, new (ctx: never, env: Env) => object>>;

/** The two scopes of most modules. */
export const readAndWrite = <N extends string>(name: N, things: string) =>
  ({
    [`${name}:read`]: `Read ${things}`,
    [`${name}:write`]: `Read and change ${things}`,
  }) as Record<`${N}:read` | `${N}:write`, string>; // computed keys lose their names in TypeScript
