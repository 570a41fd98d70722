import { z } from "zod";
import type { OutageWorld, Subject } from "./world.ts";
import { present } from "#platform/assert.ts";

const Time = z.iso.datetime().transform((text) => Date.parse(text));
const Summary = z.object({
  connectorID: z.string(),
  status: z.string(),
  since: Time,
  lastSuccessAt: Time.optional(),
  lastError: z.string().optional(),
  nextRunAt: Time.optional(),
});
export type Summary = z.output<typeof Summary>;
const Health = z.object({
  data: Summary.extend({
    schedules: z.array(z.object({ scheduleID: z.string(), task: z.string() })),
  }),
});
const Run = z.object({
  createdAt: Time,
  terminatedAt: Time.nullish(),
  error: z.string().nullish(),
});
const Payment = z.object({
  connectorID: z.string(),
  reference: z.string(),
  amount: z.int(),
});
const Initiation = z.object({
  connectorID: z.string(),
  reference: z.string(),
  status: z.string(),
});
const Account = z.object({ id: z.string(), connectorID: z.string(), reference: z.string() });

/** The first page of a list. Throws if there are more pages. */
async function list<S extends z.ZodType>(world: OutageWorld, path: string, schema: S) {
  const page = z.object({ cursor: z.object({ hasMore: z.literal(false), data: z.array(schema) }) });
  return (await world.read(`${path}?pageSize=1000`, page)).cursor.data;
}

/** The health of all connectors, as the list shows it. */
export const readHealth = (world: OutageWorld): Promise<Summary[]> =>
  list(world, "/api/florin/v1/payments/connectors/health", Summary);

/** The completed runs of a schedule, the oldest first. Times are the server's. */
export interface ScheduleRuns {
  readonly task: string;
  readonly runs: readonly {
    readonly startMs: number;
    readonly endMs: number;
    readonly error: string | undefined;
  }[];
}

/** The completed runs of each schedule of a connector. */
export async function readRuns(world: OutageWorld, { id }: Subject): Promise<ScheduleRuns[]> {
  const path = `/api/florin/v1/payments/connectors/${id}/health`;
  const { schedules } = (await world.read(path, Health)).data;
  const runsOf = async (scheduleID: string) => {
    const of = `/api/payments/v3/connectors/${id}/schedules/${scheduleID}/instances`;
    const runs = await list(world, of, Run);
    return runs
      .flatMap(({ createdAt: startMs, terminatedAt, error }) =>
        terminatedAt ? [{ startMs, endMs: terminatedAt, error: error || undefined }] : [],
      )
      .toSorted((a, b) => a.startMs - b.startMs);
  };
  return Promise.all(
    schedules.map(async ({ scheduleID, task }) => ({ task, runs: await runsOf(scheduleID) })),
  );
}

export const readPayments = (world: OutageWorld) =>
  list(world, "/api/payments/v3/payments", Payment);

export const readAccounts = (world: OutageWorld) =>
  list(world, "/api/payments/v3/accounts", Account);

export const readInitiations = (world: OutageWorld) =>
  list(world, "/api/payments/v3/payment-initiations", Initiation);

/** The reference of the payout that a subject makes at a moment of the test. */
export const payoutOf = ({ name }: Subject, moment: string): string => `${moment}: ${name}`;

/** Asks for a payout at each provider, until the server has accepted it. */
export async function payOut(world: OutageWorld, moment: string): Promise<void> {
  const accounts = await readAccounts(world);
  for (const subject of world.subjects) {
    const { id: connectorID, away } = subject;
    const idOf = (wanted: string): string => {
      const isWanted = (it: z.output<typeof Account>) =>
        it.connectorID === connectorID && it.reference === wanted;
      return present(accounts.find(isWanted), `the account ${wanted} is known`).id;
    };
    const [source] = away.provider.accounts;
    const body = {
      reference: payoutOf(subject, moment),
      connectorID,
      description: "",
      type: "PAYOUT",
      amount: 7,
      asset: source?.balances.keys().next().value,
      sourceAccountID: idOf("acc-001"),
      destinationAccountID: idOf("ben-001"),
    };
    await ask(world, body);
  }
}

/** Repeats a request that the server refuses because it is busy. The reference makes a repetition harmless. */
async function ask(world: OutageWorld, body: object): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await world.send("POST", "/api/payments/v3/payment-initiations?noValidation=true", body);
      return;
    } catch (error) {
      if (String(error).includes("CONFLICT")) return;
      if (attempt === ATTEMPTS_MAX) throw error;
    }
  }
}

const ATTEMPTS_MAX = 20;
