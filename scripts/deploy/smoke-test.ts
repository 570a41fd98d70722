import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { DISARMED_DETAILS } from "#platform/errors.ts";
import { parseJson } from "#platform/json.ts";
import { Api, UnclearError } from "#scripts/lib/api.ts";
import { OperatorError } from "#scripts/lib/project.ts";
import type { Target } from "#scripts/lib/target.ts";

const Versions = z.object({
  versions: z.array(z.object({ name: z.string(), health: z.boolean() })),
  problems: z.array(z.string()).optional(),
});
const Config = z.object({ data: z.object({ id: z.string() }) });
const Deliveries = z.object({
  cursor: z.object({ data: z.array(z.object({ status: z.string() })) }),
});

/** How long a new deployment may take to answer, for which its name and certificate are made, and a webhook to arrive, in milliseconds. */
const PATIENCE_MS = 240_000;
const POLL_MS = 1000;

/** Times of the smoke test, which tests shorten. */
export interface SmokePace {
  readonly patienceMs: number;
  readonly pollMs: number;
}
const STANDARD_PACE: SmokePace = { patienceMs: PATIENCE_MS, pollMs: POLL_MS };

/** Waits until a deployment answers and all its modules are healthy. Throws `OperatorError` with the last answer if it does not. */
export async function awaitHealth(url: string, pace: SmokePace = STANDARD_PACE): Promise<void> {
  const last = await repeat(pace, async () => {
    const fault = await whyUnhealthy(url);
    return { isDone: fault === undefined, value: fault };
  });
  if (last !== undefined) throw new OperatorError(`${url} is not healthy: ${last}`);
}

async function whyUnhealthy(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${url}/versions`);
    const text = await response.text();
    if (!response.ok) return `GET /versions answers ${response.status}: ${text.slice(0, 500)}`;
    const { versions, problems = [] } = Versions.parse(parseJson(text));
    const ill = versions.filter(({ health }) => !health).map(({ name }) => name);
    const faults = [
      ...problems,
      ...(ill.length === 0 ? [] : [`${ill.join(", ")} report a failed health check`]),
    ];
    return faults.length === 0 ? undefined : faults.join("; ");
  } catch (error) {
    return `it does not answer as Florin does: ${String(error)}`;
  }
}

/** The scopes of the smoke test. */
const SCOPES = ["ledger:write", "webhooks:write"];

/**
 * Uses a deployment as a client does: gets a token, makes a transaction in a ledger of its own, and waits for the webhook about it, which the
 * deployment sends to itself. The ledger's bucket and the webhook are deleted afterwards, also after a failure. A disarmed deployment sends no
 * webhook: its own sentence about that is returned. Throws `OperatorError`.
 */
export async function smokeTest(
  target: Target,
  pace: SmokePace = STANDARD_PACE,
): Promise<string | undefined> {
  const api = await Api.connect(target, SCOPES);
  const name = `smoke-test-${Date.now()}`;
  const { data: config } = await api.call({
    method: "POST",
    path: "/api/webhooks/configs",
    body: {
      endpoint: `${target.url}/api/florin/v1/webhook-target`,
      eventTypes: ["ledger.committed_transactions"],
      name,
    },
    answer: Config,
  });
  try {
    return await inScratchLedger(api, name, async () => {
      await makeTransaction(api, name);
      return awaitDelivery(api, config.id, pace);
    });
  } finally {
    await api.call({
      method: "DELETE",
      path: `/api/webhooks/configs/${config.id}`,
      answer: z.unknown(),
    });
  }
}

/** Makes a ledger in a bucket of its own, and deletes the bucket after the work. */
async function inScratchLedger<T>(api: Api, name: string, work: () => Promise<T>): Promise<T> {
  await api.call({
    method: "POST",
    path: `/api/ledger/v2/${name}`,
    body: { bucket: name },
    answer: z.unknown(),
  });
  try {
    return await work();
  } finally {
    await api.call({
      method: "DELETE",
      path: `/api/ledger/v2/_/buckets/${name}`,
      answer: z.unknown(),
    });
  }
}

const makeTransaction = (api: Api, ledger: string): Promise<unknown> =>
  api.call({
    method: "POST",
    path: `/api/ledger/v2/${ledger}/transactions`,
    body: {
      postings: [{ source: "world", destination: "smoke:test", asset: "EUR/2", amount: 100 }],
    },
    answer: z.unknown(),
  });

/** Waits until a webhook has succeeded. Returns why the deployment does not send it, if it is disarmed. */
async function awaitDelivery(
  api: Api,
  configId: string,
  pace: SmokePace,
): Promise<string | undefined> {
  const path = `/api/webhooks/deliveries?configId=${configId}`;
  let stop: string | undefined;
  let hasAsked = false;
  const statuses = await repeat(pace, async () => {
    const { cursor } = await api.call({ method: "GET", path, answer: Deliveries });
    const value = cursor.data.map(({ status }) => status);
    const isDone = value.includes("succeeded");
    if (!isDone && !hasAsked) {
      hasAsked = true;
      stop = await whyDisarmed(api, configId);
    }
    return { isDone: isDone || stop !== undefined, value };
  });
  if (statuses.includes("succeeded")) return undefined;
  if (stop !== undefined) return stop;
  const seen = statuses.length === 0 ? "none was made" : `they are ${statuses.join(", ")}`;
  throw new OperatorError(
    `The deployment does not deliver a webhook to itself: of the deliveries of ${path}, ${seen}.`,
  );
}

/** The sentence with which a disarmed deployment refuses to test a webhook; undefined for another deployment. */
async function whyDisarmed(api: Api, configId: string): Promise<string | undefined> {
  try {
    const path = `/api/webhooks/configs/${configId}/test`;
    await api.call({ method: "GET", path, answer: z.unknown() });
    return undefined;
  } catch (error) {
    const isDisarmed = error instanceof UnclearError && error.details === DISARMED_DETAILS;
    return isDisarmed ? error.message : undefined;
  }
}

interface Look<T> {
  readonly isDone: boolean;
  readonly value: T;
}

/** Looks until it is done or the patience is over, and returns what was seen last. */
async function repeat<T>(
  { patienceMs, pollMs }: SmokePace,
  look: () => Promise<Look<T>>,
): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const { isDone, value } = await look();
    if (isDone || Date.now() >= deadline) return value;
    await delay(pollMs);
  }
}
