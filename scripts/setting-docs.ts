import { readFileSync, writeFileSync } from "node:fs";
import { run } from "./lib/main.ts";
import { inProject } from "./lib/project.ts";
import { withSettings } from "./lib/settings/docs.ts";

/** `npm run settings:docs`: writes the tables of settings in `docs/settings.md`. A test fails while they are stale. */
async function main(): Promise<void> {
  const page = inProject("docs/settings.md");
  writeFileSync(page, withSettings(readFileSync(page, "utf8")));
}

await run(main);
