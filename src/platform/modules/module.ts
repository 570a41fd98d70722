import type { OpenAPIHono } from "@hono/zod-openapi";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { ResourceGroup } from "./resources.ts";
import type { Site } from "./site.ts";
import type { EventScopes } from "#platform/access/event-scopes.ts";
import type { CopiedClass } from "#platform/backup/copied-class.ts";
import type { ServiceContext } from "#platform/context.ts";
import type { ErrorTable } from "#platform/errors.ts";
import { eventName } from "#platform/events/envelope.ts";
import type { EventTypeTable } from "#platform/events/event-types.ts";
import type { EventListener, EventSource } from "#platform/events/source.ts";
import type { Scope } from "#platform/http/authenticator.ts";
import type { AppEnv } from "#platform/http/context.ts";
import type { SettingsTable } from "#platform/settings.ts";
import type { StatusSection } from "#platform/status/section.ts";

/** What a part of the product declares. The app, the queues and the clock walk the list of modules and know none by name. */
export interface Module {
  /** The path segment of the module below `/api`. */
  readonly name: string;
  /** The name of the module that this one is part of, whose path and version its operations have. */
  readonly partOf?: string;
  /** The version of the module's API, which clients compare. A module that is part of another one has none. */
  readonly version?: string;
  readonly routes: () => Routes;
  /** Routes at the root of the server, where other programs look for them. */
  readonly rootRoutes?: () => Routes;
  /** The resources of the module in the API document. The tag of each of its operations is the name of one of them. */
  readonly resources: readonly ResourceGroup[];
  /** Examples of all operations of the module, in Markdown; see `parseExchanges`. */
  readonly examples: string;
  /** Routes that are Florin's own, below `/api/florin/v1`. */
  readonly florinRoutes?: () => Routes;
  /** Resolves if what the module depends on answers, and rejects otherwise. */
  readonly health: (context: ServiceContext) => Promise<void>;
  readonly settings: SettingsTable;
  readonly scopes: ScopeTable;
  /** The failures that only this module declares. */
  readonly errors?: ErrorTable;
  /** Codes of failures in answers of this module whose clients know other names: `{ INTERNAL: "INTERNAL_ERROR" }`. */
  readonly clientCodes?: Readonly<Record<string, string>>;
  /** The module's event types, which the API document describes and consumers may rely on. */
  readonly eventTypes?: EventTypeTable;
  /** The source from which consumers get the events that the module's messages announce. */
  readonly eventSource?: EventSource;
  /** The module's listener for events of all modules. */
  readonly eventListener?: EventListener;
  /** The module's pages for browsers, declared in its file `site.ts`. */
  readonly site?: Site;
  readonly queues?: QueueConsumers;
  readonly sweeps?: readonly Sweep[];
  /** What waits in the module, for the status of the deployment and its metrics. */
  readonly status?: readonly StatusSection[];
  readonly classes?: Classes;
  /** Those of the classes whose objects hold what is nowhere else, so that a backup copies their tables. Ledgers are saved as their logs. */
  readonly copiedClasses?: readonly CopiedClass[];
  /**
   * Called right before a restoration ends, for what the module keeps in objects that are in no backup: those of the empty deployment are still
   * there, and know nothing of the rows and ledgers that have come. A repetition does no harm.
   */
  readonly onRestored?: (context: ServiceContext) => Promise<void>;
  /** The module's tables in D1: `tablesIn` of its files `tables.ts`. The module is healthy only if the database has them. */
  readonly tables: readonly SQLiteTable[];
}

export type Routes = OpenAPIHono<AppEnv>;

/** The scopes that a token may have, each with its meaning, in words without a full stop. */
export type ScopeTable = Readonly<Record<Scope, string>>;

/** The scopes of all modules. */
export const scopesOf = (modules: readonly Module[]): Record<string, string> =>
  Object.fromEntries(modules.flatMap(({ scopes }) => Object.entries(scopes)));

/** The types of events of all modules that need further scopes. */
export const eventScopesOf = (modules: readonly Module[]): EventScopes =>
  new Map(
    modules.flatMap(({ name: app, eventTypes = {} }) =>
      Object.entries(eventTypes).flatMap(([type, { scopes = [] }]) =>
        scopes.length === 0 ? [] : [[eventName({ app, type }), scopes] as const],
      ),
    ),
  );

/** Consumers of queues, by the name of the queue. A consumer acknowledges each message when its effect is stored. */
export type QueueConsumers = Readonly<
  Record<string, (batch: MessageBatch, context: ServiceContext) => Promise<void>>
>;

/** Completes work that a message or a request has left undone because a process was killed, late or unreachable. */
export interface Sweep {
  /** The name of the sweep in the log and of its clock; see `platform/objects/deployment-clock.ts`. */
  readonly name: string;
  /**
   * Does the overdue work. Returns the time of the next run, in milliseconds since the epoch; undefined to run only when the
   * clock is armed, or after an hour.
   */
  readonly run: (context: ServiceContext) => Promise<number | undefined>;
  /** Whether the sweep deletes. Such a sweep may use the reserve of a full database, and then runs once more. */
  readonly purges?: boolean;
  /** Whether the sweep begins work that may call other servers. Such a sweep waits while the deployment is disarmed (`platform/arming/`). */
  readonly waitsForArming?: boolean;
}

/** Durable Object and Workflow classes, by name: `index.ts` of the Worker exports them, `wrangler.toml` binds them. */
export type Classes = Readonly<Record<string, new (ctx: never, env: Env) => object>>;

/** The two scopes of most modules. */
export const readAndWrite = <N extends string>(name: N, things: string) =>
  ({
    [`${name}:read`]: `Read ${things}`,
    [`${name}:write`]: `Read and change ${things}`,
  }) as Record<`${N}:read` | `${N}:write`, string>; // computed keys lose their names in TypeScript
