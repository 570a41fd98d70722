import { readCases } from "./cases.ts";
import { measureCopy } from "./copy.ts";
import { fillLedger, openLedger } from "./fill.ts";
import { COPY_NAMES, measureRead, type ReadReport, VERIFICATION_NAME } from "./measure.ts";
import { measureVerification } from "./verification.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";

const [task, file = "", sizeText, readsText = ""] = process.argv.slice(2);
const picked = readsText.split(",").filter(Boolean);
const size = Number(sizeText);
const sql = new NodeSql(file);

if (task === "fill") {
  fillLedger(sql, size);
  report({ figures: [] });
} else {
  const ledger = openLedger(sql, size);
  const isPicked = (name: string) => picked.length === 0 || picked.some((it) => name.includes(it));
  const figures = readCases(ledger)
    .filter(({ name }) => isPicked(name))
    .map(measureRead);
  const [isCopied, isVerified] = [COPY_NAMES.some(isPicked), isPicked(VERIFICATION_NAME)];
  if (figures.length === 0 && !isCopied && !isVerified) {
    throw new Error(`no read has a name that contains ${readsText}`);
  }
  report({
    figures,
    ...(isCopied ? measureCopy(ledger.engine, new NodeSql(`${file}-copy`)) : {}),
    ...(isVerified ? { verifiedPerSecond: measureVerification(sql) } : {}),
  });
}
sql.close();

function report(measured: Omit<ReadReport, "memoryMb">): void {
  const answer: ReadReport = { ...measured, memoryMb: process.resourceUsage().maxRSS / 1024 };
  process.send?.(answer);
  process.disconnect();
}
