import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";

const SHOWN_MAX = 10;

/** Prints the slowest test files with their seconds in one line at the end of a run. */
export default class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const slowest = modules
      .map((module) => ({
        path: relative(module.project.config.root, module.moduleId),
        ms: timeOf(module),
      }))
      .toSorted((a, b) => b.ms - a.ms)
      .slice(0, SHOWN_MAX)
      .map(({ path, ms }) => `${path} ${(ms / 1000).toFixed(1)} s`);
    if (slowest.length > 0) process.stdout.write(`Slowest files: ${slowest.join(", ")}\n`);
  }
}

/** The milliseconds from the import of a file to the end of its last test. */
function timeOf(module: TestModule): number {
  const { setupDuration, collectDuration, duration } = module.diagnostic();
  return setupDuration + collectDuration + duration;
}
