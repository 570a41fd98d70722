import type { Module } from "./module.ts";
import type { ServiceContext } from "#platform/context.ts";
import { logError } from "#platform/log.ts";
import { memoByEnv } from "#platform/memo.ts";
import { FAMILIES } from "#platform/status/families.ts";
import { clockSection, outboxSection, storageSection } from "#platform/status/platform-sections.ts";
import { secretsSection } from "#platform/status/secret-keys.ts";
import {
  type ModuleSection,
  type Observation,
  sample,
  type Sample,
  type ProblemSeverity,
} from "#platform/status/section.ts";
import { sweepsSection } from "#platform/status/sweep-runs.ts";
import { type Timestamp, toMillis } from "#platform/time.ts";
import { requestsSection } from "#platform/traffic/traffic-section.ts";
import { ownDeadline } from "#platform/work/deadline.ts";

/** Longest time for which a section is waited for, in milliseconds. Reads of a section take a few milliseconds. */
const SECTION_MS_MAX = 3000;
/** How long an isolate gives callers without a token the same answer, in milliseconds, so that nobody can make the server work by asking. */
const PUBLIC_MS = 10_000;

/** How a section is; `unknown` if it could not be read. */
export type SectionState = "ok" | ProblemSeverity | "unknown";

/** A section as it was read. */
export interface SectionReport extends Observation {
  /** Samples about the reading of the section itself. */
  readonly readings: readonly Sample[];
  readonly module: string;
  readonly name: string;
  readonly description: string;
  readonly state: SectionState;
}

export interface StatusReport {
  /** Whether no section has a critical problem, and each could be read. */
  readonly isOk: boolean;
  readonly checkedAt: Timestamp;
  readonly sections: readonly SectionReport[];
}

/** The name of the module among sections that belong to no module. */
export const PLATFORM_NAME = "platform";

/** The sections of the platform, and those of all modules. `sweeps` are the names of all sweeps. */
export const statusSections = (
  modules: readonly Module[],
  sweeps: readonly string[],
): ModuleSection[] => [
  ...[
    outboxSection,
    sweepsSection(sweeps),
    storageSection,
    clockSection,
    secretsSection,
    requestsSection,
  ].map((section) => ({ module: PLATFORM_NAME, section })),
  ...modules.flatMap(({ name: module, status = [] }) =>
    status.map((section) => ({ module, section })),
  ),
];

/**
 * Reads all sections at the same time:
 *
 *     context ─┬─► section ── samples, problems ──────────┬─► report ─► `GET /api/florin/v1/status`
 *              ├─► section ── ✗ throws ──── "unknown" ────┤        └──► `GET /metrics`
 *              └─► section ── ⋯ 3 s ─────── "unknown" ────┘
 */
export async function readStatus(
  context: ServiceContext,
  sections: readonly ModuleSection[],
): Promise<StatusReport> {
  const checkedAt = context.clock();
  const reports = await Promise.all(sections.map((part) => readSection(context, part)));
  const isOk = reports.every(({ state }) => state === "ok" || state === "warning");
  return { isOk, checkedAt, sections: reports };
}

async function readSection(
  context: ServiceContext,
  { module, section }: ModuleSection,
): Promise<SectionReport> {
  const { name, description } = section;
  const startedMs = Date.now();
  const read = await withinTime(async () => section.read(context)).catch((error: unknown) => {
    logError("a section of the status could not be read", error, { module, section: name });
    return undefined;
  });
  const labels = { module, section: name };
  const observed = read ?? unread(context, name);
  const { samples, problems } = observed;
  const count = (severity: ProblemSeverity) =>
    problems.filter((one) => one.severity === severity).length;
  return {
    module,
    name,
    description,
    state: read === undefined ? "unknown" : stateOf(observed),
    problems,
    samples,
    readings: [
      sample(FAMILIES.sectionUp, Number(read !== undefined), labels),
      sample(FAMILIES.sectionSeconds, (Date.now() - startedMs) / 1000, labels),
      sample(FAMILIES.problems, count("warning"), { ...labels, severity: "warning" }),
      sample(FAMILIES.problems, count("critical"), { ...labels, severity: "critical" }),
    ],
  };
}

const stateOf = ({ problems }: Observation): SectionState => {
  if (problems.length === 0) return "ok";
  return problems.some(({ severity }) => severity === "critical") ? "critical" : "warning";
};

/** What is shown in place of a section that has failed. The error is in the log: it may contain data of clients. */
const unread = ({ clock }: ServiceContext, what: string): Observation => ({
  samples: [],
  problems: [
    {
      severity: "critical",
      what,
      sinceMs: toMillis(clock()),
      why: `the section could not be read within ${SECTION_MS_MAX / 1000} s`,
      whatToDo: "look at the log, which has the error, and whether D1 answers (GET /versions)",
    },
  ],
});

/** Rejects if the work of a section takes too long. The work goes on, and nobody waits for it. */
export function withinTime<T>(work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const deadline = ownDeadline(SECTION_MS_MAX, () =>
      reject(new Error(`no answer within ${SECTION_MS_MAX} ms`)),
    );
    work()
      .then(resolve, reject)
      .finally(() => deadline.end());
  });
}

/** All samples of sections. */
export const samplesOf = (sections: readonly SectionReport[]): Sample[] =>
  sections.flatMap(({ samples, readings }) => [...samples, ...readings]);

type PublicStatus = Pick<StatusReport, "isOk" | "checkedAt">;

/** The last answer for callers without a token, and until when the isolate gives it, in milliseconds since the epoch. */
const lastOf = memoByEnv((_env: object) => ({
  status: undefined as PublicStatus | undefined,
  untilMs: Number.NEGATIVE_INFINITY,
}));

/** Whether the deployment is well, for callers without a token: read at most once in `PUBLIC_MS`. */
export async function publicStatus(
  context: ServiceContext,
  sections: readonly ModuleSection[],
): Promise<PublicStatus> {
  const last = lastOf(context.env);
  const nowMs = Date.now();
  const isFresh = nowMs < last.untilMs && last.untilMs - nowMs <= PUBLIC_MS;
  if (last.status !== undefined && isFresh) return last.status;
  // Requests that come while this one reads get the answer before.
  last.untilMs = nowMs + PUBLIC_MS;
  const { isOk, checkedAt } = await readStatus(context, sections);
  last.status = { isOk, checkedAt };
  return last.status;
}
