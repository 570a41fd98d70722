import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deliveryCases } from "./cases.ts";
import { fillLane } from "./fill.ts";
import { measureRead, type ReadFigures } from "#bench/reads/measure.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";

const DELIVERIES = 1_000_000;

/** Measures pages of an endpoint's million deliveries on `node:sqlite`. */
export function measureDeliveries(): ReadFigures[] {
  const folder = mkdtempSync(join(tmpdir(), "florin-bench-"));
  const sql = new NodeSql(join(folder, "lane.db"));
  try {
    return deliveryCases(sql, fillLane(sql, DELIVERIES), DELIVERIES).map(measureRead);
  } finally {
    sql.close();
    rmSync(folder, { recursive: true });
  }
}
