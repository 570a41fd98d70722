import { clickhouseDriver } from "./clickhouse.ts";
import type { Driver } from "./driver.ts";
import { elasticsearchDriver } from "./elasticsearch.ts";
import { httpDriver } from "./http.ts";
import { noopDriver } from "./noop.ts";
import { queueDriver } from "./queue.ts";
import { r2Driver } from "./r2.ts";

const DRIVERS: ReadonlyMap<string, Driver> = new Map(
  [httpDriver, clickhouseDriver, elasticsearchDriver, noopDriver, queueDriver, r2Driver].map(
    (driver) => [driver.name, driver],
  ),
);

export const findDriver = (name: string): Driver | undefined => DRIVERS.get(name);

/** Names of the drivers, in the order in which the API document lists them. */
export const DRIVER_NAMES: readonly string[] = [...DRIVERS.keys()];
