import type { z } from "@hono/zod-openapi";
import type { ActivityHistoryResponse, MomentResponse, StageHistoryResponse } from "./schemas.ts";
import { formatSignedDurationMs } from "#modules/orchestration/core/go-duration.ts";
import { type Stage, STAGE_NAMES } from "#modules/orchestration/core/stages.ts";
import type {
  ExecutedStage,
  Moment,
  ShownActivity,
} from "#modules/orchestration/instances/history.ts";
import { formatTimestamp, optionalTimestamp } from "#platform/time.ts";

type Shown = Readonly<Record<string, unknown>>;

export const toStageHistoryView = ({
  stage,
  status,
}: ExecutedStage): z.output<typeof StageHistoryResponse> => ({
  name: STAGE_NAMES[stage.type],
  input: toStageInput(stage),
  ...(status.historyError === undefined ? {} : { error: status.historyError }),
  terminated: status.terminatedAt !== undefined,
  startedAt: formatTimestamp(status.startedAt),
  ...optionalTimestamp("terminatedAt", status.terminatedAt),
});

function toStageInput(stage: Stage): Record<string, unknown> {
  switch (stage.type) {
    case "send": {
      const { amount, source, destination, metadata, timestamp } = stage;
      return {
        ...(amount === undefined ? {} : { amount }),
        destination,
        ...withoutEmpty({ metadata }),
        source,
        ...optionalTimestamp("timestamp", timestamp),
      };
    }
    case "delay": {
      const { durationMs, until } = stage;
      return {
        ...(durationMs === undefined ? {} : { duration: formatSignedDurationMs(durationMs) }),
        ...optionalTimestamp("until", until),
      };
    }
    case "wait_event":
      return { event: stage.event };
    case "update":
      return { account: stage.account };
    case "noop":
      return {};
  }
}

const withoutEmpty = (maps: Readonly<Record<string, object>>): Shown =>
  Object.fromEntries(Object.entries(maps).filter(([, map]) => Object.keys(map).length > 0));

/** An activity, as one of the two generations of clients reads it. */
export function toActivityView(
  activity: ShownActivity,
  isFirstGeneration: boolean,
): z.output<typeof ActivityHistoryResponse> {
  const { name, input, output, error, cancelledAt } = activity;
  const terminatedAt = activity.terminatedAt ?? cancelledAt;
  const shownError = cancelledAt === undefined ? error : "cancelled";
  const isPending = terminatedAt === undefined;
  const shownOutput = output === undefined ? undefined : toOutput(name, output, isFirstGeneration);
  return {
    name,
    input: { [name]: toInput(name, toShown(input)) },
    ...(shownOutput === undefined ? {} : { output: { [name]: shownOutput } }),
    ...(shownError === undefined ? {} : { error: shownError }),
    terminated: !isPending,
    startedAt: formatTimestamp(activity.startedAt),
    ...optionalTimestamp("terminatedAt", terminatedAt),
    attempt: isPending ? Math.max(activity.attempt, 1) : 1,
    ...(isPending && activity.lastFailure !== undefined
      ? { lastFailure: activity.lastFailure }
      : {}),
    ...(isPending ? { nextExecution: formatTimestamp(activity.nextExecution) } : {}),
  };
}

const toShown = (value: unknown): Shown =>
  typeof value === "object" && value !== null ? (value as Shown) : {}; // an object has members by name

/** The input of an activity. It has the same values under several names, because clients of different languages read different ones. */
function toInput(name: ShownActivity["name"], input: Shown): Shown {
  switch (name) {
    case "CreateTransaction": {
      const { ledger } = input;
      const { metadata, ...data } = toShown(input["data"]);
      const rest = withTimestamp(data);
      const empty = withoutEmpty({ metadata: toShown(metadata) });
      return {
        Ledger: ledger,
        Data: { ...rest, ...empty },
        ledger,
        data: { ...rest, metadata },
      };
    }
    case "AddAccountMetadata":
      return { ...input, id: input["account"] };
    case "CreditWallet":
    case "DebitWallet":
      return { ...input, data: withTimestamp(toShown(input["data"])) };
    case "CreateTransferInitiation": {
      const { description: _, ...shown } = input;
      return shown;
    }
    default:
      return input;
  }
}

/** Removes the trailing zeros of a timestamp, which is stored with a fixed width. */
function withTimestamp({ timestamp, ...data }: Shown): Shown {
  return typeof timestamp === "string"
    ? { ...data, timestamp: timestamp.replace(/\.?0+Z$/, "Z") }
    : data;
}

function toOutput(
  name: ShownActivity["name"],
  output: unknown,
  isFirstGeneration: boolean,
): Shown | undefined {
  const shown = toShown(output);
  switch (name) {
    case "CreateTransaction": {
      const transaction = { ...shown, txid: shown["id"] };
      return { data: isFirstGeneration ? transaction : [transaction] };
    }
    case "GetPayment":
      return { data: withKnownProvider(shown) };
    case "GetAccount":
    case "GetWallet":
      return { data: shown };
    case "ListWallets":
      return { cursor: shown };
    default:
      return undefined;
  }
}

/** Providers that clients know. They refuse an answer with any other provider. */
const PROVIDERS = new Set<unknown>([
  "STRIPE",
  "DUMMY-PAY",
  "WISE",
  "MODULR",
  "CURRENCY-CLOUD",
  "BANKING-CIRCLE",
  "MANGOPAY",
  "MONEYCORP",
]);

function withKnownProvider({ provider, ...payment }: Shown): Shown {
  return PROVIDERS.has(provider) ? { ...payment, provider } : payment;
}

export const toMomentView = ({
  at,
  kind,
  stage,
  data,
}: Moment): z.output<typeof MomentResponse> => ({
  at: formatTimestamp(at),
  kind,
  ...(stage === undefined ? {} : { stage }),
  data: { ...toShown(data) },
});
