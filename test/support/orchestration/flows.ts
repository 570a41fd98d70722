import { env } from "cloudflare:workers";
import type { FlowInstance } from "#modules/orchestration/instances/instance.ts";
import { startInstance } from "#modules/orchestration/instances/start.ts";
import { getInstance } from "#modules/orchestration/instances/store.ts";
import { advance } from "#modules/orchestration/run/advance.ts";
import type { Next } from "#modules/orchestration/run/next.ts";
import { createWorkflow } from "#modules/orchestration/workflows/create.ts";
import { readConfig } from "#modules/orchestration/workflows/read-config.ts";
import type { Workflow } from "#modules/orchestration/workflows/workflow.ts";
import type { Principal, ServiceContext } from "#platform/context.ts";
import { fromMillis } from "#platform/time.ts";
import { api, bodyOf } from "#test/support/platform/api.ts";

export const ALL_SCOPES = [
  "ledger:write",
  "payments:write",
  "wallets:write",
  "orchestration:write",
];

/** A platform that executes nothing, because the test itself advances instances. It reports `status` for each instance. */
export class FakePlatform {
  /** The calls of the platform, each with the id of its instance. */
  readonly calls: [id: string, call: string][] = [];
  readonly #status: string | undefined;

  /** A runner that runs no instances, and records each wake with the id of the instance and the delay in seconds. */
  readonly runner = {
    getByName: () => ({
      wake: async ({ id, run }: { id: string; run: number }, atMs: number) => {
        this.calls.push([`${id}-${run}`, `wake in ${Math.round((atMs - Date.now()) / 1000)} s`]);
      },
    }),
  };

  /** `status` is undefined for a platform without instances. */
  constructor(status?: string) {
    this.#status = status;
  }

  async create({ id, params }: { id: string; params: { run: number } }): Promise<void> {
    this.calls.push([id, `create ${params.run}`]);
  }

  async get(id: string) {
    if (this.#status === undefined) throw new Error("there is no such instance");
    const note = async (call: string) => {
      this.calls.push([id, call]);
    };
    return {
      status: async () => ({ status: this.#status }),
      pause: () => note("pause"),
      resume: () => note("resume"),
      sendEvent: () => note("wake"),
      terminate: () => note("terminate"),
    };
  }
}

const NO_QUEUE = { sendBatch: async () => undefined };

/** Instances that the test advances itself, by a clock of its own, so that no test waits. */
export class Flows {
  nowMs = Date.now();
  principal: Principal;
  /** Settings that replace settings of the tests. */
  settings: Readonly<Record<string, string>> = {};

  readonly #platform: FakePlatform;

  constructor(
    scopes: readonly string[] = ALL_SCOPES,
    ledgers: readonly string[] = [],
    platform = new FakePlatform(),
  ) {
    this.#platform = platform;
    this.principal = {
      issuer: "test",
      subject: "alice",
      clientId: "test",
      scopes: new Set(scopes),
      ledgers,
    };
  }

  get context(): ServiceContext {
    return {
      // The bindings of a deployment, with stand-ins for the platform of instances, for their runner, and for the queue of
      // events.
      env: {
        ...env,
        ...this.settings,
        INSTANCES: this.#platform,
        INSTANCE_RUNNER: this.#platform.runner,
        EVENTS: NO_QUEUE,
      } as unknown as Env,
      principal: this.principal,
      requestId: "test",
      clock: () => fromMillis(this.nowMs),
    };
  }

  workflow(stages: readonly object[]): Promise<Workflow> {
    return createWorkflow(this.context, readConfig({ stages }));
  }

  async start(
    stages: readonly object[],
    variables: Readonly<Record<string, string>> = {},
  ): Promise<FlowInstance> {
    const { id } = await this.workflow(stages);
    const { instance } = await startInstance(this.context, { workflowId: id, variables });
    return instance;
  }

  /** Advances an instance until it ends or waits. Up to `retries` waits for a time are skipped by the clock. */
  async drive({ id }: { readonly id: string }, retries = 0): Promise<Next> {
    for (let left = retries; ;) {
      const { run } = await getInstance(this.context, id);
      const next = await advance(this.context, { id, run });
      if (next.kind === "go-on") continue;
      if (next.kind !== "wait" || left === 0) return next;
      left--;
      this.nowMs += next.waitMs;
    }
  }

  /** Executes one stage to its end; returns its instance. */
  async run(
    stage: object,
    variables: Readonly<Record<string, string>> = {},
  ): Promise<FlowInstance> {
    const started = await this.start([stage], variables);
    await this.drive(started);
    return getInstance(this.context, started.id);
  }
}

export interface ShownActivity {
  readonly name: string;
  readonly input: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly output?: Readonly<Record<string, unknown>>;
  readonly error?: string;
  readonly attempt: number;
  readonly lastFailure?: string;
  readonly nextExecution?: string;
  readonly terminated: boolean;
}

/** The activities of a stage, as version 2 shows them. */
export async function activitiesOf(id: string, stage = 0): Promise<ShownActivity[]> {
  const path = `/api/orchestration/v2/instances/${id}/stages/${stage}/history`;
  const { data } = (await bodyOf(await api(path))) as { data: ShownActivity[] }; // the server answers this shape
  return data;
}

/** The inputs of a stage's activities, without the activities' names. */
export const inputsOf = async (id: string, stage = 0): Promise<unknown[]> =>
  (await activitiesOf(id, stage)).map(({ name, input }) => {
    const shown = input[name] ?? {};
    return name === "CreateTransaction" ? [name, shown["Ledger"], shown["Data"]] : [name, shown];
  });
