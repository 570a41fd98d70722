import type { ProfiledCase } from "./measure.ts";

const NAME_WIDTH = 12;
const CELL_WIDTH = 10;
const NAMES_SHOWN = 5;

/** The table of a case: microseconds for one request, by stage. */
export function profileLines(profiled: ProfiledCase): string {
  const { name, clients, requestsPerSecond, stages, rest } = profiled;
  const sum = (micros: (time: (typeof stages)[number]) => number): number =>
    stages.reduce((total, time) => total + micros(time), 0);
  const workerMicros = sum((time) => time.workerMicros);
  const objectMicros = sum((time) => time.objectMicros);
  return [
    `${name}, ${clients} clients, ${requestsPerSecond.toFixed(0)} requests a second while they are profiled; µs for one request`,
    line("stage", ["Worker", "object", "both"]),
    ...stages.map(({ stage, ...time }) => line(stage, cells(time.workerMicros, time.objectMicros))),
    line("JavaScript", cells(workerMicros, objectMicros)),
    ...processorLines(profiled, workerMicros + objectMicros),
    `  largest of the rest: ${rest
      .slice(0, NAMES_SHOWN)
      .map((item) => `${item.name} ${micros(item.micros)}`)
      .join(", ")}`,
  ].join("\n");
}

/** The lines for the runtime's work besides JavaScript: HTTP, calls between Worker and object, files, and the profiler. */
function processorLines({ cpuMicros }: ProfiledCase, javaScriptMicros: number): string[] {
  if (cpuMicros === undefined) return [];
  return [
    line("runtime", ["", "", micros(cpuMicros - javaScriptMicros)]),
    line("processor", ["", "", micros(cpuMicros)]),
  ];
}

const cells = (worker: number, object: number): string[] =>
  [worker, object, worker + object].map(micros);

const micros = (value: number): string => value.toFixed(value < 100 ? 1 : 0);

const line = (name: string, texts: readonly string[]): string =>
  `  ${name.padEnd(NAME_WIDTH)}${texts.map((text) => text.padStart(CELL_WIDTH)).join("")}`;
