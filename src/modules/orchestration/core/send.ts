import {
  type AssetAmount,
  call,
  type StageProgram,
  StageError,
  type Subject,
  type TransactionData,
  type WalletOutput,
} from "./activities.ts";
import { assertPayable, checkPayout } from "./payout.ts";
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
    assertArrival(shipment, destination);
    yield* leave(shipment, source, destination.ledger);
    yield* arrive(shipment, destination, source.ledger);
  },

  *wallet(shipment, source, reference) {
    const wallet = yield* findWallet(reference);
    yield* fund(shipment, source, { wallet, balance: reference.balance });
  },

  *payment(shipment, source, destination) {
    const { metadata } = yield* readAccount(source);
    const payout = yield* checkPayout(shipment, destination, metadata);
    yield* move(shipment, source.ledger, {
      from: source.id,
      to: source.throughAccount,
      mayOverdraw: source.allowOverdraft,
    });
    yield* call("CreateTransferInitiation", payout);
  },
};

/** A balance of a wallet that was found. */
interface WalletBalance {
  readonly wallet: WalletOutput;
  readonly balance: string;
}

/** Money of an account goes to a wallet. */
function* fund(shipment: Shipment, source: LedgerAccount, to: WalletBalance): StageProgram {
  const { ledger } = to.wallet;
  if (ledger === source.ledger) {
    const sources: Subject[] = [{ type: "ACCOUNT", identifier: source.id }];
    return yield* credit(shipment, { ...to, sources });
  }
  assertNames([source.throughAccount], shipment.amount.asset);
  yield* leave(shipment, source, ledger);
  yield* credit(withMetadata(shipment, movedFrom(source.ledger)), {
    ...to,
    sources: [{ type: "ACCOUNT", identifier: source.throughAccount }],
  });
}

const FROM_WALLET: Routes<WalletReference> = {
  *account(shipment, reference, destination) {
    const wallet = yield* findWallet(reference);
    if (wallet.ledger === destination.ledger) {
      const to: Subject = { type: "ACCOUNT", identifier: destination.id };
      return yield* debit(shipment, { wallet, balance: reference.balance, destination: to });
    }
    assertArrival(shipment, destination);
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
    const payout = yield* checkPayout(shipment, destination, wallet.metadata);
    yield* debit(shipment, { wallet, balance: reference.balance });
    yield* call("CreateTransferInitiation", payout);
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
  if ("payment" in source) return yield* sendPayment(stage, source.payment);
  const { asset = "", amount } = stage.amount ?? {};
  if (amount === undefined) throw new StageError("amount must be specified");
  const shipment = toShipment(stage, { amount, asset });
  return "account" in source
    ? yield* take(FROM_ACCOUNT, { shipment, source: source.account, destination })
    : yield* take(FROM_WALLET, { shipment, source: source.wallet, destination });
}

/** A payment becomes an account, from which it is sent on. Where it goes is known before it is brought in. */
function* sendPayment(stage: SendStage, payment: PaymentSource): StageProgram {
  const { destination } = stage;
  const whole = yield* readPayment(payment);
  const amount = partOf(stage, whole);
  const shipment = toShipment(stage, amount);
  if ("wallet" in destination) {
    const wallet = yield* findWallet(destination.wallet);
    const source = yield* ingest(stage, payment, whole);
    return yield* fund(shipment, source, { wallet, balance: destination.wallet.balance });
  }
  if ("account" in destination) assertArrival(shipment, destination.account);
  const source = yield* ingest(stage, payment, whole);
  yield* take(FROM_ACCOUNT, { shipment, source, destination });
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

function* readPayment({ id }: PaymentSource): StageProgram<AssetAmount> {
  const { initialAmount, asset } = yield* call("GetPayment", { id });
  return { amount: BigInt(initialAmount), asset };
}

/** What a stage sends of a payment: all of it where the stage says nothing else. */
function partOf({ amount: wanted }: SendStage, whole: AssetAmount): AssetAmount {
  const { amount, asset = "" } = wanted ?? {};
  return amount === undefined ? whole : { amount, asset };
}

/**
 * Brings a whole payment into a ledger, once for each account that it may be held on, whatever part of it is sent on. Gives that
 * account.
 */
function* ingest(
  stage: SendStage,
  payment: PaymentSource,
  whole: AssetAmount,
): StageProgram<LedgerAccount> {
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
  return { id: holdingAccount, ledger, throughAccount: WORLD, allowOverdraft: false };
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

/** Refuses an account in another ledger that no transaction can name, before money leaves the first ledger. */
const assertArrival = ({ amount }: Shipment, { id, throughAccount }: LedgerAccount): void =>
  assertNames([id, throughAccount], amount.asset);

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
