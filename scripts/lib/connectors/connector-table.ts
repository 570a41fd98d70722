import { existsSync } from "node:fs";
import type { ConnectorKind } from "#modules/payments/connectors/contract.ts";
import type { Capability } from "#modules/payments/core/enums.ts";
import { inProject } from "#scripts/lib/project.ts";

const BEGIN = "<!-- connectors: npm run connector:docs writes this table -->";
const END = "<!-- /connectors -->";
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
  const [before, after] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (before < 0 || after < before) throw new Error("the page has no place for the table");
  return `${page.slice(0, before)}${BEGIN}\n${connectorTable(kinds)}\n${page.slice(after)}`;
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
  return [titles, titles.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

function nameOf({ key }: ConnectorKind): string {
  const readme = `${READMES}/${key}/README.md`;
  return existsSync(inProject(readme)) ? `[\`${key}\`](../${readme})` : `\`${key}\``;
}
