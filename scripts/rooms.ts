import { run } from "./lib/main.ts";
import { inProject, OperatorError } from "./lib/project.ts";
import { findViolations, readSources } from "./lib/rooms/violations.ts";

/** Checks that the sources keep to the rooms of `lib/rooms/room-table.ts`. It is a part of `npm run check`. */
async function rooms(): Promise<void> {
  const violations = findViolations(readSources(inProject("src")));
  if (violations.length > 0) throw new OperatorError(violations.join("\n"));
}

await run(rooms);
