import type { SourceLines } from "./source-map.ts";
import {
  IDLE,
  OBJECT_PATHS,
  type Stage,
  STAGE_OF_NATIVE,
  STAGE_OF_PATH,
  STAGES,
} from "./stages.ts";
import type { CpuProfile } from "#bench/inspector.ts";

/** The time of a stage, in microseconds. */
export interface StageTime {
  readonly stage: Stage;
  readonly workerMicros: number;
  readonly objectMicros: number;
}

export interface Attribution {
  readonly stages: readonly StageTime[];
  /** The time of functions without a stage, largest first. */
  readonly rest: readonly { readonly name: string; readonly micros: number }[];
}

type Frame = CpuProfile["nodes"][number]["callFrame"];

/** The attribution of a profile's node. */
interface Place {
  readonly stage: Stage | undefined;
  readonly isObject: boolean;
  readonly name: string;
}

/** Divides the time of a profile among the stages: the innermost function with a stage decides. Idle time is left out. */
export function attribute(profile: CpuProfile, lines: SourceLines): Attribution {
  const places = placesOf(profile, lines);
  const times = new Map(STAGES.map((stage) => [stage, { worker: 0, object: 0 }]));
  const rest = new Map<string, number>();
  for (const [index, node] of profile.samples.entries()) {
    const place = places.get(node);
    const micros = profile.timeDeltas[index] ?? 0;
    if (place === undefined || place.name === IDLE) continue;
    const { stage = "rest", isObject, name } = place;
    const time = times.get(stage);
    if (time !== undefined) time[isObject ? "object" : "worker"] += micros;
    if (stage === "rest") rest.set(name, (rest.get(name) ?? 0) + micros);
  }
  return {
    stages: [...times].map(([stage, { worker, object }]) => ({
      stage,
      workerMicros: worker,
      objectMicros: object,
    })),
    rest: [...rest]
      .map(([name, micros]) => ({ name, micros }))
      .toSorted((a, b) => b.micros - a.micros),
  };
}

function placesOf({ nodes }: CpuProfile, lines: SourceLines): Map<number, Place> {
  const places = new Map<number, Place>();
  // A node comes before its callees.
  const callers = new Map(nodes.flatMap(({ id, children = [] }) => children.map((c) => [c, id])));
  for (const { id, callFrame } of nodes) {
    const caller = places.get(callers.get(id) ?? Number.NaN);
    const file = isOfScript(callFrame) ? lines.fileOf(callFrame.lineNumber) : "";
    const isObject = OBJECT_PATHS.some((path) => file.startsWith(path));
    places.set(id, {
      stage: stageOf(callFrame, file) ?? caller?.stage,
      isObject: isObject || caller?.isObject === true,
      name: `${callFrame.functionName || "anonymous"}${file === "" ? "" : ` of ${file}`}`,
    });
  }
  return places;
}

/** Whether a frame belongs to the script. The runtime's own modules have other URLs, and native code has none. */
const isOfScript = ({ url }: Frame): boolean => url !== "" && !url.includes("-internal:");

function stageOf({ functionName }: Frame, file: string): Stage | undefined {
  if (file === "") {
    return Object.hasOwn(STAGE_OF_NATIVE, functionName) ? STAGE_OF_NATIVE[functionName] : undefined;
  }
  return stageOfFunction(functionName, file);
}

/** The number that the bundler adds to a repeated name. */
const ADDED_NUMBER = /\d+$/;

function stageOfFunction(name: string, file: string): Stage | undefined {
  const own = `${file}#${name.replace(ADDED_NUMBER, "")}`;
  for (let path = own; path !== ""; path = outerOf(path)) {
    if (Object.hasOwn(STAGE_OF_PATH, path)) return STAGE_OF_PATH[path];
  }
  return undefined;
}

const outerOf = (path: string): string =>
  path.slice(0, Math.max(path.lastIndexOf("#"), path.lastIndexOf("/"), 0));
