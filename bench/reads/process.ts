import { NodeSql } from "../../src/modules/ledger/object/node-sql.ts";
import { readCases } from "./cases.ts";
import { fillLedger, openLedger } from "./fill.ts";
import { measureRead, type ReadReport } from "./measure.ts";

const [task, file = "", sizeText] = process.argv.slice(2);
const size = Number(sizeText);
const sql = new NodeSql(file);

if (task === "fill") {
  fillLedger(sql, size);
  report([]);
} else {
  report(readCases(openLedger(sql, size)).map(measureRead));
}
sql.close();

function report(figures: ReadReport["figures"]): void {
  const answer: ReadReport = { figures, memoryMb: process.resourceUsage().maxRSS / 1024 };
  process.send?.(answer);
  process.disconnect();
}
