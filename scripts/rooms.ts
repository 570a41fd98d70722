import { run } from "./lib/main.ts";
import { inProject, OperatorError } from "./lib/project.ts";
import { findViolations, readSources } from "./lib/rooms.ts";

/** Proves that the sources keep to the rooms of `lib/room-table.ts`; `npm run check` runs it. */
async function rooms(): Promise<void> {
  const violations = findViolations(readSources(inProject("src")));
  if (violations.length > 0) throw new OperatorError(violations.join("\n"));
}

await run(rooms);
