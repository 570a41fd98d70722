import { WorkflowConfigError } from "./config-error.ts";
import { Fields, type FieldName } from "./fields.ts";
import type {
  LedgerAccount,
  PaymentDestination,
  PaymentSource,
  SendDestination,
  SendSource,
  SendStage,
  Stage,
  StageType,
  WalletReference,
} from "./stages.ts";
import type { Variables } from "./variables.ts";

/** A stage of a workflow's configuration, in which placeholders are not replaced. */
export interface StageConfig {
  readonly type: StageType;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly number: number;
}

/**
 * Checks the types of a stage's fields. Throws `WorkflowConfigError`. Whether required fields are present is checked when an instance comes
 * to the stage.
 */
export function checkStage(config: StageConfig): void {
  const problems = new Problems();
  resolve(config, undefined, problems);
}

/** The stage with its variables put in. Throws `WorkflowConfigError` where a value has another type, or a required field is absent. */
export function resolveStage(config: StageConfig, variables: Variables): Stage {
  const problems = new Problems();
  const stage = resolve(config, variables, problems);
  problems.assertNone();
  return stage;
}

/** Required fields that are absent, as a line for each, in the words that clients know. */
class Problems {
  readonly #lines: string[] = [];

  require(path: string, value: string): string {
    if (value === "") this.#add(path, "required");
    return value;
  }

  /** Requires that exactly one of some fields is present. */
  oneOf(path: string, given: Readonly<Record<string, boolean>>): void {
    if (Object.values(given).filter(Boolean).length === 1) return;
    const names = Object.keys(given);
    for (const name of names) this.#add(`${path}.${name}`, names.join(" or "));
  }

  #add(path: string, tag: string): void {
    const field = path.split(".").at(-1) ?? "";
    this.#lines.push(
      `Key: '${path}' Error:Field validation for '${field}' failed on the '${tag}' tag`,
    );
  }

  assertNone(): void {
    if (this.#lines.length > 0) throw new WorkflowConfigError(this.#lines.join("\n"), []);
  }
}

function resolve(
  { type, fields: object, number }: StageConfig,
  variables: Variables | undefined,
  problems: Problems,
): Stage {
  const fields = new Fields(object, { path: ["stages", number, type] }, variables);
  switch (type) {
    case "send":
      return resolveSend(fields, problems);
    case "delay": {
      const durationMs = fields.durationMs(["duration", "Duration"]);
      const until = fields.date(["until", "Until"]);
      const given = { duration: durationMs !== undefined, until: until !== undefined };
      problems.oneOf("Delay", given);
      return {
        type,
        ...(durationMs === undefined ? {} : { durationMs }),
        ...(until === undefined ? {} : { until }),
      };
    }
    case "wait_event":
      return { type, event: problems.require("WaitEvent.Event", fields.text(["event", "Event"])) };
    case "update": {
      const account = fields.requiredChild(["account", "Account"]);
      const metadata = account.texts(METADATA);
      if (metadata === undefined) problems.require("Update.Account.Metadata", "");
      return {
        type,
        account: {
          id: problems.require("Update.Account.ID", account.text(ID)),
          ledger: account.text(LEDGER, "main"),
          metadata: metadata ?? {},
        },
      };
    }
    case "noop":
      return { type };
  }
}

const ID: FieldName = ["id", "ID"];
const LEDGER: FieldName = ["ledger", "Ledger"];
const METADATA: FieldName = ["metadata", "Metadata"];
const THROUGH: FieldName = ["throughAccount", "ThroughAccount"];
const OVERDRAFT: FieldName = ["allowOverdraft", "AllowOverdraft"];

/** The account that stands for everything outside a ledger. */
export const WORLD = "world";

function resolveSend(fields: Fields, problems: Problems): SendStage {
  const source = fields.requiredChild(["source", "Source"]);
  const destination = fields.requiredChild(["destination", "Destination"]);
  const amount = fields.child(["amount", "Amount"]);
  const timestamp = fields.date(["timestamp", "Timestamp"]);
  const integer = amount?.integer(["amount", "Amount"]);
  return {
    type: "send",
    source: resolveSource(source, problems),
    destination: resolveDestination(destination, problems),
    metadata: fields.texts(METADATA) ?? {},
    ...(amount === undefined
      ? {}
      : {
          amount: {
            asset: amount.text(["asset", "Asset"]),
            ...(integer === undefined ? {} : { amount: integer }),
          },
        }),
    ...(timestamp === undefined ? {} : { timestamp }),
  };
}

function resolveSource(fields: Fields, problems: Problems): SendSource {
  const account = fields.child(["account", "Account"]);
  const wallet = fields.child(["wallet", "Wallet"]);
  const payment = fields.child(["payment", "Payment"]);
  assertOneSide("Send.Source", { account, wallet, payment }, problems);
  if (account !== undefined) return { account: resolveAccount(account, "Send.Source", problems) };
  if (wallet !== undefined) return { wallet: resolveWallet(wallet, "Send.Source", problems) };
  return { payment: resolvePaymentSource(payment ?? NOTHING, problems) };
}

function resolveDestination(fields: Fields, problems: Problems): SendDestination {
  const account = fields.child(["account", "Account"]);
  const wallet = fields.child(["wallet", "Wallet"]);
  const payment = fields.child(["payment", "Payment"]);
  assertOneSide("Send.Destination", { account, wallet, payment }, problems);
  if (account !== undefined) {
    return { account: resolveAccount(account, "Send.Destination", problems) };
  }
  if (wallet !== undefined) return { wallet: resolveWallet(wallet, "Send.Destination", problems) };
  return { payment: resolvePaymentDestination(payment ?? NOTHING) };
}

/** Stands for a payment where a stage has no source or destination, which `assertOneSide` has noted as a problem. */
const NOTHING = new Fields({}, { path: [] }, {});

const assertOneSide = (
  path: string,
  sides: Readonly<Record<string, Fields | undefined>>,
  problems: Problems,
): void =>
  problems.oneOf(
    path,
    Object.fromEntries(Object.entries(sides).map(([name, side]) => [name, side !== undefined])),
  );

const resolveAccount = (fields: Fields, path: string, problems: Problems): LedgerAccount => ({
  id: problems.require(`${path}.Account.ID`, fields.text(ID)),
  ledger: fields.text(LEDGER, "default"),
  throughAccount: fields.text(THROUGH, WORLD),
  allowOverdraft: fields.boolean(OVERDRAFT),
});

function resolveWallet(fields: Fields, path: string, problems: Problems): WalletReference {
  const id = fields.text(ID);
  const name = fields.text(["name", "Name"]);
  problems.oneOf(`${path}.Wallet`, { id: id !== "", name: name !== "" });
  return { id, name, balance: fields.text(["balance", "Balance"], "main") };
}

function resolvePaymentSource(fields: Fields, problems: Problems): PaymentSource {
  const ledger = fields.text(LEDGER);
  const holdingAccount = fields.text(["holdingAccount", "HoldingAccount"]);
  return {
    id: problems.require("Send.Source.Payment.ID", fields.text(ID)),
    throughAccount: fields.text(THROUGH, WORLD),
    allowOverdraft: fields.boolean(OVERDRAFT),
    ...(ledger === "" ? {} : { ledger }),
    ...(holdingAccount === "" ? {} : { holdingAccount }),
  };
}

function resolvePaymentDestination(fields: Fields): PaymentDestination {
  const sourceAccount = fields.optionalText(["sourceAccount", "SourceAccount"]);
  const connectorId = fields.text(["connectorId", "ConnectorID"]);
  return {
    psp: fields.text(["psp", "PSP"]),
    type: fields.text(["type", "Type"], "TRANSFER"),
    metadata: fields.text(METADATA, "formanceAccountID"),
    waitingValidation: fields.boolean(["waitingValidation", "WaitingValidation"]),
    ...(sourceAccount === undefined ? {} : { sourceAccount }),
    ...(connectorId === "" ? {} : { connectorId }),
  };
}
