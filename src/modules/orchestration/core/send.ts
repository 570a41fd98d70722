import {
  call,
  type AssetAmount,
  type StageProgram,
  StageError,
  type Subject,
  type TransactionData,
  type WalletOutput,
} from "./activities.ts";
import { WORLD } from "./resolve.ts";
import type {
  LedgerAccount,
  PaymentDestination,
  PaymentSource,
  SendDestination,
  SendStage,
  Texts,
  WalletReference,
} from "./stages.ts";
import type { Timestamp } from "#platform/time.ts";

/** The ledger of payments that come in, where a stage names none. It is made at its first use. */
export const INTERNAL_LEDGER = "orchestration-000-internal";

/** What moves, and what every transaction of it carries. */
interface Shipment {
  readonly amount: AssetAmount;
  readonly metadata: Texts;
  readonly timestamp?: Timestamp;
}

/** What a send does, by where the money comes from and where it goes. A payment as the source becomes an account first. */
type Route<S, D> = (shipment: Shipment, source: S, destination: D) => StageProgram;

interface Routes<S> {
  readonly account: Route<S, LedgerAccount>;
  readonly wallet: Route<S, WalletReference>;
  readonly payment: Route<S, PaymentDestination>;
}

const FROM_ACCOUNT: Routes<LedgerAccount> = {
  *account(shipment, source, destination) {
    if (source.ledger === destination.ledger) {
      return yield* move(shipment, source.ledger, { from: source.id, to: destination.id });
    }
    yield* leave(shipment, source, destination.ledger);
    yield* arrive(shipment, destination, source.ledger);
  },

  *wallet(shipment, source, reference) {
    const wallet = yield* findWallet(reference);
    if (wallet.ledger === source.ledger) {
      const sources: Subject[] = [{ type: "ACCOUNT", identifier: source.id }];
      return yield* credit(shipment, { wallet, balance: reference.balance, sources });
    }
    yield* leave(shipment, source, wallet.ledger);
    yield* credit(withMetadata(shipment, movedFrom(source.ledger)), {
      wallet,
      balance: reference.balance,
      sources: [{ type: "ACCOUNT", identifier: source.throughAccount }],
    });
  },

  *payment(shipment, source, destination) {
    const { metadata } = yield* readAccount(source);
    const account = payeeOf(metadata, destination);
    yield* move(shipment, source.ledger, {
      from: source.id,
      to: source.throughAccount,
      mayOverdraw: source.allowOverdraft,
    });
    yield* payOut(shipment, destination, account);
  },
};

const FROM_WALLET: Routes<WalletReference> = {
  *account(shipment, reference, destination) {
    const wallet = yield* findWallet(reference);
    if (wallet.ledger === destination.ledger) {
      const to: Subject = { type: "ACCOUNT", identifier: destination.id };
      return yield* debit(shipment, { wallet, balance: reference.balance, destination: to });
    }
    const leaving = withMetadata(shipment, movedTo(destination.ledger));
    yield* debit(leaving, { wallet, balance: reference.balance });
    yield* arrive(shipment, destination, wallet.ledger);
  },

  *wallet(shipment, from, to) {
    const source = yield* findWallet(from);
    const destination = yield* findWallet(to);
    if (source.ledger === destination.ledger) {
      const sources: Subject[] = [{ type: "WALLET", identifier: source.id, balance: from.balance }];
      return yield* credit(shipment, { wallet: destination, balance: to.balance, sources });
    }
    const leaving = withMetadata(shipment, movedTo(destination.ledger));
    yield* debit(leaving, { wallet: source, balance: from.balance });
    const arriving = withMetadata(shipment, movedFrom(source.ledger));
    yield* credit(arriving, { wallet: destination, balance: to.balance, sources: [] });
  },

  *payment(shipment, reference, destination) {
    const wallet = yield* findWallet(reference);
    const account = payeeOf(wallet.metadata, destination);
    yield* debit(shipment, { wallet, balance: reference.balance });
    yield* payOut(shipment, destination, account);
  },
};

/** What a send does. */
export function* send(stage: SendStage): StageProgram {
  const { source, destination } = stage;
  assertOverdrafts(stage);
  if ("payment" in destination) {
    if ("payment" in source) {
      throw new StageError("send from payment to payment is not supported");
    }
    assertPayable(destination.payment);
  }
  if ("payment" in source) {
    const { account, amount } = yield* ingest(stage, source.payment);
    return yield* take(FROM_ACCOUNT, {
      shipment: toShipment(stage, amount),
      source: account,
      destination,
    });
  }
  const { asset = "", amount } = stage.amount ?? {};
  if (amount === undefined) throw new StageError("amount must be specified");
  const shipment = toShipment(stage, { amount, asset });
  return "account" in source
    ? yield* take(FROM_ACCOUNT, { shipment, source: source.account, destination })
    : yield* take(FROM_WALLET, { shipment, source: source.wallet, destination });
}

/** What moves from one side to the other. */
interface Leg<S> {
  readonly shipment: Shipment;
  readonly source: S;
  readonly destination: SendDestination;
}

function take<S>(routes: Routes<S>, { shipment, source, destination }: Leg<S>): StageProgram {
  if ("account" in destination) return routes.account(shipment, source, destination.account);
  if ("wallet" in destination) return routes.wallet(shipment, source, destination.wallet);
  return routes.payment(shipment, source, destination.payment);
}

const toShipment = ({ metadata, timestamp }: SendStage, amount: AssetAmount): Shipment => ({
  amount,
  metadata,
  ...(timestamp === undefined ? {} : { timestamp }),
});

/**
 * Brings a whole payment into a ledger, once for each account that it may be held on, whatever part of it is sent on. Gives that
 * account, and how much to send.
 */
function* ingest(
  stage: SendStage,
  payment: PaymentSource,
): StageProgram<{ account: LedgerAccount; amount: AssetAmount }> {
  const { initialAmount, asset } = yield* call("GetPayment", { id: payment.id });
  const whole = { amount: BigInt(initialAmount), asset };
  const standardAccount = `payment:${payment.id.replaceAll("-", "_")}`;
  const { ledger = INTERNAL_LEDGER, holdingAccount = standardAccount, throughAccount } = payment;
  // Several payments may be held on an account that a stage names.
  const reference =
    holdingAccount === standardAccount ? holdingAccount : `${holdingAccount}/${payment.id}`;
  const data = transactionOf(
    toShipment(stage, whole),
    {
      from: throughAccount,
      to: holdingAccount,
      mayOverdraw: payment.allowOverdraft && throughAccount !== WORLD,
    },
    reference,
  );
  const outcome = yield { name: "CreateTransaction", input: { ledger, data } };
  // The reference is taken where the payment was brought in before.
  if (!outcome.ok && outcome.kind !== "CONFLICT") {
    throw new StageError(outcome.message, "activity error");
  }
  const { amount, asset: wanted } = stage.amount ?? {};
  return {
    account: { id: holdingAccount, ledger, throughAccount: WORLD, allowOverdraft: false },
    amount: amount === undefined ? whole : { amount, asset: wanted ?? "" },
  };
}

/**
 * Refuses what a script cannot name, before anything moves: values of variables, which may come from an event, stand in its text, and
 * could say anything there.
 */
function assertOverdrafts({ source, destination, amount }: SendStage): void {
  if ("account" in source && source.account.allowOverdraft) {
    assertNames([source.account.id, source.account.throughAccount], amount?.asset);
  }
  if ("account" in destination && destination.account.allowOverdraft) {
    assertNames([destination.account.id, destination.account.throughAccount], amount?.asset);
  }
}

const ADDRESS = /^[a-zA-Z0-9_-]+(?::[a-zA-Z0-9_-]+)*$/;
const ASSET = /^[A-Z][A-Z0-9]{0,16}(?:_[A-Z]{1,16})?(?:\/[0-9]{1,6})?$/;
/** Longest part of a bad value that a message repeats. */
const SHOWN_MAX = 80;

function assertNames(addresses: readonly string[], asset: string | undefined): void {
  for (const address of addresses) {
    if (ADDRESS.test(address)) continue;
    throw new StageError(`invalid account address '${address.slice(0, SHOWN_MAX)}'`);
  }
  if (asset === undefined || ASSET.test(asset)) return;
  throw new StageError(`invalid asset '${asset.slice(0, SHOWN_MAX)}'`);
}

interface Movement {
  readonly from: string;
  readonly to: string;
  readonly mayOverdraw?: boolean;
}

function* move(shipment: Shipment, ledger: string, movement: Movement): StageProgram {
  yield* call("CreateTransaction", { ledger, data: transactionOf(shipment, movement) });
}

/** Money leaves a ledger for another one. */
const leave = (shipment: Shipment, source: LedgerAccount, to: string): StageProgram =>
  move(withMetadata(shipment, movedTo(to)), source.ledger, {
    from: source.id,
    to: source.throughAccount,
    mayOverdraw: source.allowOverdraft,
  });

/** Money comes into a ledger from another one. */
const arrive = (shipment: Shipment, destination: LedgerAccount, from: string): StageProgram =>
  move(withMetadata(shipment, movedFrom(from)), destination.ledger, {
    from: destination.throughAccount,
    to: destination.id,
    mayOverdraw: destination.allowOverdraft && destination.throughAccount !== WORLD,
  });

const movedTo = (ledger: string): Texts => ({ "orchestration/move-to-ledger": ledger });
const movedFrom = (ledger: string): Texts => ({ "orchestration/move-from-ledger": ledger });

const withMetadata = (shipment: Shipment, metadata: Texts): Shipment => ({
  ...shipment,
  metadata: { ...shipment.metadata, ...metadata },
});

function transactionOf(
  { amount: { amount, asset }, metadata, timestamp }: Shipment,
  { from, to, mayOverdraw = false }: Movement,
  reference?: string,
): TransactionData {
  const content = mayOverdraw
    ? { script: { plain: overdraft({ amount, asset }, from, to) } }
    : { postings: [{ amount, asset, destination: to, source: from }] };
  return {
    metadata,
    ...content,
    ...(reference === undefined ? {} : { reference }),
    ...(timestamp === undefined ? {} : { timestamp }),
  };
}

function overdraft({ amount, asset }: AssetAmount, from: string, to: string): string {
  assertNames([from, to], asset);
  return [
    `send [${asset} ${amount}] (`,
    `  source = @${from} allowing unbounded overdraft`,
    `  destination = @${to}`,
    `)`,
  ].join("\n");
}

function* findWallet({ id, name }: WalletReference): StageProgram<WalletOutput> {
  if (id !== "") return yield* call("GetWallet", { id });
  const { data } = yield* call("ListWallets", { name });
  const [wallet, ...others] = data;
  if (wallet === undefined) throw new StageError("wallet not found");
  if (others.length > 0) throw new StageError("found multiple wallets with the same name");
  return wallet;
}

function* credit(
  { amount, metadata, timestamp }: Shipment,
  to: { wallet: WalletOutput; balance: string; sources: readonly Subject[] },
): StageProgram {
  const { wallet, balance, sources } = to;
  const data = {
    amount,
    balance,
    metadata,
    sources,
    ...(timestamp === undefined ? {} : { timestamp }),
  };
  yield* call("CreditWallet", { id: wallet.id, data });
}

function* debit(
  { amount, metadata, timestamp }: Shipment,
  from: { wallet: WalletOutput; balance: string; destination?: Subject },
): StageProgram {
  const { wallet, balance, destination } = from;
  const data = {
    amount,
    balances: [balance],
    metadata,
    ...(destination === undefined ? {} : { destination }),
    ...(timestamp === undefined ? {} : { timestamp }),
  };
  yield* call("DebitWallet", { id: wallet.id, data });
}

function* readAccount({ ledger, id }: LedgerAccount): StageProgram<{ metadata: Texts }> {
  const outcome = yield { name: "GetAccount", input: { ledger, id } };
  if (!outcome.ok) throw new StageError(`reading account: ${id}: ${outcome.message}`);
  return outcome.output as { metadata: Texts }; // what the activity gives
}

/** The account to pay to, which the source knows. */
function payeeOf(metadata: Texts, { metadata: key }: PaymentDestination): string {
  const account = Object.hasOwn(metadata, key) ? metadata[key] : undefined;
  if (account === undefined) {
    throw new StageError(`expected '${key}' metadata containing formance account ID`);
  }
  if (account === "") throw new StageError("formance account ID empty");
  return account;
}

const TRANSFER_TYPES = ["TRANSFER", "PAYOUT"] as const;
const typeOf = ({ type }: PaymentDestination) =>
  TRANSFER_TYPES.find((known) => known === type.toUpperCase());

/** Refuses what cannot be paid before anything moves. */
function assertPayable(destination: PaymentDestination): void {
  if (typeOf(destination) === undefined) {
    throw new StageError(
      `the type of a payment is TRANSFER or PAYOUT, and not '${destination.type}'`,
    );
  }
  if (destination.psp === "" && destination.connectorId === undefined) {
    throw new StageError("a payment needs a connectorId, or the psp of the only connector");
  }
}

function* payOut(
  { amount: { amount, asset }, metadata }: Shipment,
  destination: PaymentDestination,
  account: string,
): StageProgram {
  const { psp, sourceAccount = "", connectorId, waitingValidation } = destination;
  const type = typeOf(destination) ?? "TRANSFER";
  yield* call("CreateTransferInitiation", {
    amount,
    asset,
    description: `${psp} ${type}`,
    destination: account,
    type,
    metadata,
    waitingValidation,
    ...(connectorId === undefined ? {} : { connectorID: connectorId }),
    ...(psp === "" ? {} : { provider: psp.toUpperCase() }),
    ...(sourceAccount === "" ? {} : { source: sourceAccount }),
  });
}
