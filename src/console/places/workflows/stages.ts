import type { InstanceState } from "./queries.ts";
import { isObject, textOf } from "./values.ts";
import { workflowWords } from "./words.ts";
import type { Tone } from "#console/parts/base/status.tsx";
import { locale } from "#console/parts/language/words.ts";
import { formatAmount } from "#console/parts/money/asset.ts";

/** A stage of a workflow in words. Texts of others are not marked here: who shows them does. */
export interface StageView {
  readonly number: number;
  readonly type: string;
  /** What kind of stage it is. */
  readonly kind: string;
  /** What it does, in a few words. */
  readonly title: string;
  /** Where money comes from and goes to, for a stage that sends. */
  readonly from?: Side;
  readonly to?: Side;
}

/** A side of a stage that sends: an account, a wallet or a payment. */
export interface Side {
  readonly kind: "account" | "wallet" | "payment";
  readonly text: string;
}

type Fields = Readonly<Record<string, unknown>>;

export const stageViews = (stages: readonly Fields[]): StageView[] => stages.map(toStageView);

/**
 * The stages of an instance in words. Those that it has come to have its variables put in, unless one of them could not take its values: such a
 * stage is left out of the history.
 */
export function executedViews(
  stages: readonly Fields[],
  executed: readonly { readonly input: Fields }[],
  statusCount: number,
): StageView[] {
  const isWhole = executed.length === statusCount;
  return stageViews(
    stages.map((stage, index) => {
      const input = isWhole ? executed[index]?.input : undefined;
      return input === undefined ? stage : { [typeOf(stage)]: input };
    }),
  );
}

/** The type of a stage, which is its only key. */
export const typeOf = (stage: Fields): string => Object.keys(stage)[0] ?? "";

function toStageView(stage: Fields, index: number): StageView {
  const words = workflowWords().stage;
  const type = typeOf(stage);
  const fields = fieldsOf(stage[type]);
  const number = index + 1;
  switch (type) {
    case "send": {
      const from = sideOf(fieldOf(fields, "source"), "source");
      const to = sideOf(fieldOf(fields, "destination"), "destination");
      return {
        number,
        type,
        kind: words.send,
        title: sendTitle(fieldOf(fields, "amount")),
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
      };
    }
    case "delay": {
      const until = textOf(fieldOf(fields, "until"));
      const time = textOf(fieldOf(fields, "duration"));
      const title = until === "" ? words.waits(time) : words.waitsUntil(until);
      return { number, type, kind: words.delay, title };
    }
    case "wait_event":
      return {
        number,
        type,
        kind: words.wait_event,
        title: words.waitsFor(textOf(fieldOf(fields, "event"))),
      };
    case "update": {
      const account = fieldsOf(fieldOf(fields, "account"));
      return {
        number,
        type,
        kind: words.update,
        title: words.updates(textOf(fieldOf(account, "id"))),
      };
    }
    case "noop":
      return { number, type, kind: words.noop, title: words.noops };
    default:
      return { number, type, kind: words.unknown, title: type };
  }
}

function sendTitle(amount: unknown): string {
  const words = workflowWords().stage;
  if (!isObject(amount)) return words.sendsAll;
  const asset = textOf(fieldOf(amount, "asset"));
  const value = fieldOf(amount, "amount");
  const text = textOf(value);
  if (text === "") return `${words.sendsAll} ${asset}`.trimEnd();
  const shown = /^-?\d+$/.test(text)
    ? formatAmount(BigInt(text), asset, locale)
    : `${text} ${asset}`;
  return words.sends(shown);
}

function sideOf(side: unknown, role: "source" | "destination"): Side | undefined {
  const words = workflowWords().stage;
  const fields = fieldsOf(side);
  const account = fieldOf(fields, "account");
  if (isObject(account)) {
    const ledger = textOf(fieldOf(account, "ledger"));
    const text = words.account(textOf(fieldOf(account, "id")), ledger === "" ? "main" : ledger);
    return { kind: "account", text };
  }
  const wallet = fieldOf(fields, "wallet");
  if (isObject(wallet)) {
    const name = textOf(fieldOf(wallet, "name"));
    return {
      kind: "wallet",
      text: words.wallet(name === "" ? textOf(fieldOf(wallet, "id")) : name),
    };
  }
  const payment = fieldOf(fields, "payment");
  if (!isObject(payment)) return undefined;
  const text =
    role === "source"
      ? words.payment(textOf(fieldOf(payment, "id")))
      : words.payout(textOf(fieldOf(payment, "psp")));
  return { kind: "payment", text };
}

/** A field by its name, whose first letters may be large, as some clients write them. */
function fieldOf(fields: Fields, name: string): unknown {
  const key = Object.keys(fields).find((own) => own.toLowerCase() === name);
  return key === undefined ? undefined : fields[key];
}

const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});

const VARIABLE = /\$\{([^}]+)\}/g;

/** The names of the variables that a workflow reads, in their order. */
export function variablesOf(value: unknown): string[] {
  const names = new Set<string>();
  const visit = (item: unknown): void => {
    if (typeof item === "string") {
      for (const [, name = ""] of item.matchAll(VARIABLE)) names.add(name);
    } else if (typeof item === "object" && item !== null) {
      for (const [key, member] of Object.entries(item)) {
        visit(key);
        visit(member);
      }
    }
  };
  visit(value);
  return [...names];
}

export const STATES: readonly InstanceState[] = [
  "running",
  "waiting",
  "stuck",
  "failed",
  "succeeded",
];

const TONES: Readonly<Record<InstanceState, Tone>> = {
  running: "neutral",
  waiting: "waits",
  stuck: "warn",
  failed: "bad",
  succeeded: "good",
};

export const toneOf = (state: InstanceState): Tone => TONES[state];

export const isState = (text: string | undefined): text is InstanceState =>
  STATES.some((state) => state === text);
