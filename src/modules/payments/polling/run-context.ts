import type { WalkNode } from "./walk.ts";
import type { Plugin } from "#modules/payments/connectors/contract.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import type { ServiceContext } from "#platform/context.ts";

/** What a run works with. */
export interface Run {
  readonly context: ServiceContext;
  readonly connector: InstalledConnector;
  readonly pageSize: number;
  readonly walk: readonly WalkNode[];
  /** Throws `ConnectorError`. */
  readonly openPlugin: () => Promise<Plugin>;
}
