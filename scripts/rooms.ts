import { run } from "./lib/main.ts";
import { inProject, OperatorError } from "./lib/project.ts";
import { findToolViolations, findViolations, readSources } from "./lib/rooms/violations.ts";

/** Checks that the imports of sources and tools follow `lib/rooms/room-table.ts`, as a part of `npm run check`. */
async function rooms(): Promise<void> {
  const tools = ["scripts", "bench"].flatMap((folder) => [
    ...readSources(inProject(folder), `${folder}/`),
  ]);
  const violations = [
    ...findViolations(readSources(inProject("src"))),
    ...findToolViolations(new Map(tools)),
  ];
  if (violations.length > 0) throw new OperatorError(violations.join("\n"));
}

await run(rooms);
