import { trafficOf } from "./count-answer.ts";
import {
  BOUNDS_MS,
  type RefusedRequests,
  type RejectionCounts,
  type RequestCounts,
  type TimedCounts,
} from "./counts.ts";
import type { Traffic } from "./traffic.ts";
import { FAMILIES } from "#platform/status/families.ts";
import {
  firstProblems,
  type HistogramPart,
  type Problem,
  sample,
  type Sample,
  type StatusSection,
} from "#platform/status/section.ts";
import { toMillis } from "#platform/time.ts";

/** Requests of a client that were refused within the last minute or two, from which on the client is shown as a problem. */
const REFUSED_MIN = 100;
/** The label of all ledgers, or clients, without a place of their own. Neither is called like this. */
const OTHERS = "(others)";
/** The label of requests without a valid token. */
const ANONYMOUS_CLIENT = "anonymous";

/** Requests that this process has answered. On Cloudflare, no process counts them, and the section is empty. */
export const requestsSection: StatusSection = {
  name: "requests",
  description: "Requests that this process has answered and refused; under npm start only",
  read: async ({ env, clock }) => {
    const traffic = trafficOf(env);
    if (traffic === undefined) return { samples: [], problems: [] };
    const nowMs = toMillis(clock());
    return {
      samples: samplesOf(traffic),
      problems: [...withoutRoom(traffic, nowMs), ...floods(traffic, nowMs)],
    };
  },
};

const samplesOf = ({ modules, ledgers, clients }: Traffic): Sample[] => [
  ...[...modules].flatMap(([module, counts]) => moduleSamples(module, counts)),
  ...[...ledgers.entries(), [OTHERS, ledgers.others] as const].flatMap(([ledger, counts]) =>
    ledgerSamples(ledger, counts),
  ),
  ...namedClients(clients).flatMap(([client, { counts }]) =>
    rejectionSamples(counts, (reason, count) =>
      sample(FAMILIES.clientRejections, count, { client, reason }),
    ),
  ),
];

const namedClients = (clients: Traffic["clients"]): (readonly [string, RefusedRequests])[] => [
  ...[...clients.entries()].map(
    ([client, refusals]) => [client === "" ? ANONYMOUS_CLIENT : client, refusals] as const,
  ),
  [OTHERS, clients.others],
];

const moduleSamples = (module: string, counts: TimedCounts): Sample[] => [
  ...[...counts.statuses()].map(([status, count]) =>
    sample(FAMILIES.requests, count, { module, status }),
  ),
  ...histogram(module, counts),
  ...rejectionSamples(counts.rejections, (reason, count) =>
    sample(FAMILIES.rejections, count, { module, reason }),
  ),
];

/** The samples of a histogram: each bucket has all requests up to its bound. */
function histogram(module: string, { buckets, durationMs }: TimedCounts): Sample[] {
  const family = FAMILIES.requestDuration;
  const of = (part: HistogramPart, value: number, labels: Sample["labels"]): Sample => ({
    family,
    labels,
    value,
    part,
  });
  let upTo = 0;
  const bounded = buckets.map((count, index) => {
    upTo += count;
    const boundMs = BOUNDS_MS[index];
    const le = boundMs === undefined ? "+Inf" : String(boundMs / 1000);
    return of("bucket", upTo, { module, le });
  });
  return [...bounded, of("count", upTo, { module }), of("sum", durationMs / 1000, { module })];
}

function ledgerSamples(ledger: string, counts: RequestCounts): Sample[] {
  const statuses = [...counts.statuses()];
  if (statuses.length === 0) return [];
  return [
    ...statuses.map(([status, count]) =>
      sample(FAMILIES.ledgerRequests, count, { ledger, status }),
    ),
    sample(FAMILIES.ledgerSeconds, counts.durationMs / 1000, { ledger }),
    ...rejectionSamples(counts.rejections, (reason, count) =>
      sample(FAMILIES.ledgerRejections, count, { ledger, reason }),
    ),
  ];
}

const rejectionSamples = (
  rejections: RejectionCounts,
  toSample: (reason: string, count: number) => Sample,
): Sample[] => [...rejections.entries()].map(([reason, count]) => toSample(reason, count));

/** Requests of late for which storage had no room. Under `npm start`, where the limit is the disk, no size tells of it before. */
function withoutRoom({ withoutRoom: refused }: Traffic, nowMs: number): Problem[] {
  const recent = refused.recent(nowMs);
  if (recent === 0) return [];
  return [
    {
      severity: "critical",
      what: "storage",
      sinceMs: undefined,
      why: `storage had no room for ${recent} requests within the last two minutes`,
      whatToDo:
        "make room: see 'When the disk is full' in docs/operations.md; writes then succeed without a restart",
    },
  ];
}

/** The clients that are refused all the time, those that are refused most first. */
function floods({ clients }: Traffic, nowMs: number): Problem[] {
  const flooding = namedClients(clients)
    .map(([client, refusals]) => ({ client, refusals, recent: refusals.recent(nowMs) }))
    .filter(({ recent }) => recent >= REFUSED_MIN)
    .toSorted((a, b) => b.recent - a.recent);
  return firstProblems(
    flooding.map(({ client, refusals, recent }) => ({
      severity: "warning",
      what: `the client ${client}`,
      sinceMs: undefined,
      why: `${recent} of its requests were refused within the last two minutes; since the start: ${reasonsOf(refusals)}`,
      whatToDo:
        "tell the client's owner; a quota keeps it within bounds (npm run florin -- clients set-quota), and without the client its tokens end (npm run florin -- clients delete)",
    })),
  );
}

const reasonsOf = ({ counts }: RefusedRequests): string =>
  [...counts.entries()].map(([reason, count]) => `${count} by ${reason}`).join(", ");
