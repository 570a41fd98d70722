import type * as worker from "#scripts/lib/build/worker.ts";
import { inProject } from "#scripts/lib/project.ts";

/** Returns the path of the script of the Worker that the package contains. */
export const buildWorker: typeof worker.buildWorker = async () => inProject("worker/index.js");
