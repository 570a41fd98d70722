import { existsSync } from "node:fs";
import type { ConnectorKind } from "#modules/payments/connectors/contract.ts";
import type { Capability } from "#modules/payments/core/enums.ts";
import { markdownTable, withGeneratedPart } from "#scripts/lib/generated-part.ts";
import { inProject } from "#scripts/lib/project.ts";

const READMES = "src/modules/payments/connectors";

/** The columns of the table, with the capability that each stands for. */
const COLUMNS: readonly (readonly [title: string, capability: Capability])[] = [
  ["Accounts", "FETCH_ACCOUNTS"],
  ["External accounts", "FETCH_EXTERNAL_ACCOUNTS"],
  ["Balances", "FETCH_BALANCES"],
  ["Payments", "FETCH_PAYMENTS"],
  ["Webhooks", "TRANSLATE_WEBHOOKS"],
  ["Transfers", "CREATE_TRANSFER"],
  ["Payouts", "CREATE_PAYOUT"],
  ["Bank accounts", "CREATE_BANK_ACCOUNT"],
  ["Orders", "FETCH_ORDERS"],
  ["Conversions", "FETCH_CONVERSIONS"],
];

/** The page with the table of these connectors in place of the one that it has. */
export function withConnectorTable(page: string, kinds: readonly ConnectorKind[]): string {
  const text = connectorTable(kinds);
  return withGeneratedPart(page, { name: "connectors", command: "connector:docs", text });
}

/** A row for each connector; columns that none has are left out. */
function connectorTable(kinds: readonly ConnectorKind[]): string {
  const columns = COLUMNS.filter(([, capability]) =>
    kinds.some(({ capabilities }) => capabilities.includes(capability)),
  );
  const rows = kinds.map((kind) => [
    nameOf(kind),
    ...columns.map(([, capability]) => (kind.capabilities.includes(capability) ? "✓" : "")),
    kind.fields.map(({ name, isRequired }) => `\`${name}\`${isRequired ? "" : "?"}`).join(", "),
  ]);
  const titles = ["Kind", ...columns.map(([title]) => title), "Fields"];
  return markdownTable(titles, rows);
}

function nameOf({ key }: ConnectorKind): string {
  const readme = `${READMES}/${key}/README.md`;
  return existsSync(inProject(readme)) ? `[\`${key}\`](../${readme})` : `\`${key}\``;
}
