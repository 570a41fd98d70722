import { readCases } from "./cases.ts";
import { measureCopy } from "./copy.ts";
import { fillLedger, openLedger } from "./fill.ts";
import { measureRead, type ReadReport } from "./measure.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";

const [task, file = "", sizeText] = process.argv.slice(2);
const size = Number(sizeText);
const sql = new NodeSql(file);

if (task === "fill") {
  fillLedger(sql, size);
  report({ figures: [], exportedPerSecond: 0, importedPerSecond: 0 });
} else {
  const ledger = openLedger(sql, size);
  const figures = readCases(ledger).map(measureRead);
  report({ figures, ...measureCopy(ledger.engine, new NodeSql(`${file}-copy`)) });
}
sql.close();

function report(measured: Omit<ReadReport, "memoryMb">): void {
  const answer: ReadReport = { ...measured, memoryMb: process.resourceUsage().maxRSS / 1024 };
  process.send?.(answer);
  process.disconnect();
}
