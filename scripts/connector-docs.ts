import { readFileSync, writeFileSync } from "node:fs";
import { withConnectorTable } from "./lib/connectors/connector-table.ts";
import { run } from "./lib/main.ts";
import { inProject } from "./lib/project.ts";
import { CONNECTOR_KINDS } from "#modules/payments/connectors/index.ts";

/** `npm run connector:docs`: writes the table of connectors in `docs/connectors.md`. A test fails while it is stale. */
async function main(): Promise<void> {
  const page = inProject("docs/connectors.md");
  writeFileSync(page, withConnectorTable(readFileSync(page, "utf8"), CONNECTOR_KINDS));
}

await run(main);
