import { readFileSync, writeFileSync } from "node:fs";
import { withCommands } from "./florin/command-docs.ts";
import { loadNouns } from "./florin/nouns.ts";
import { run } from "./lib/main.ts";
import { inProject } from "./lib/project.ts";

/** `npm run commands:docs`: writes the nouns and verbs in `docs/command-line.md`. A test fails while they are stale. */
await run(async () => {
  const page = inProject("docs/command-line.md");
  writeFileSync(page, withCommands(readFileSync(page, "utf8"), await loadNouns()));
});
