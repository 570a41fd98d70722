import type { VisitedNode } from "./preorder.ts";
import type { Plugin } from "#modules/payments/connectors/contract.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import type { ServiceContext } from "#platform/context.ts";

export interface Run {
  readonly context: ServiceContext;
  readonly connector: InstalledConnector;
  readonly pageSize: number;
  readonly walk: readonly VisitedNode[];
  /** Opens the plugin at its first use. Throws `ConnectorError`. */
  readonly openPlugin: () => Promise<Plugin>;
}
