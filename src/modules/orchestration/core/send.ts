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

/** The ledger into which payments are brought where a stage names none. It is created at its first use. */
export const INTERNAL_LEDGER = "orchestration-000-internal";

/** The amount that a send moves, and the metadata and timestamp of all its transactions. */
interface Shipment {
  readonly amount: AssetAmount;
  readonly metadata: Texts;
  readonly timestamp?: Timestamp;
}

/** The program of a send, by the kind of its source and of its destination. A payment as the source is brought into an account first. */
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

/** A wallet that was found, and the name of one of its balances. */
interface WalletBalance {
  readonly wallet: WalletOutput;
  readonly balance: string;
}

/** Moves money of an account to a wallet. */
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

/** Brings a payment into an account, and sends it on from there. The destination is checked before the payment is brought in. */
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

/** The part of a payment that a stage sends: the whole payment where the stage gives no amount. */
function partOf({ amount: wanted }: SendStage, whole: AssetAmount): AssetAmount {
  const { amount, asset = "" } = wanted ?? {};
  return amount === undefined ? whole : { amount, asset };
}

/** Brings a whole payment into an account, whatever part of it is sent on, and only once for each such account. Returns the account. */
function* ingest(
  stage: SendStage,
  payment: PaymentSource,
  whole: AssetAmount,
): StageProgram<LedgerAccount> {
  const standardAccount = `payment:${payment.id.replaceAll("-", "_")}`;
  const { ledger = INTERNAL_LEDGER, holdingAccount = standardAccount, throughAccount } = payment;
  // An account that a stage names may hold several payments, so that the reference has the id of the payment, too.
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
  // A conflict means that the reference is taken, because the payment was brought in before.
  if (!outcome.ok && outcome.kind !== "CONFLICT") {
    throw new StageError(outcome.message, "activity error");
  }
  return { id: holdingAccount, ledger, throughAccount: WORLD, allowOverdraft: false };
}

/**
 * Throws `StageError` for names that a script cannot have, before any money moves. Values of variables, which may come from an event, are
 * part of the script's text, and could otherwise add statements to it.
 */
function assertOverdrafts({ source, destination, amount }: SendStage): void {
  if ("account" in source && source.account.allowOverdraft) {
    assertNames([source.account.id, source.account.throughAccount], amount?.asset);
  }
  if ("account" in destination && destination.account.allowOverdraft) {
    assertNames([destination.account.id, destination.account.throughAccount], amount?.asset);
  }
}

/** Throws `StageError` for an account in another ledger that no transaction can name, before money leaves the first ledger. */
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

/** Moves money out of a ledger, for the ledger `to`. */
const leave = (shipment: Shipment, source: LedgerAccount, to: string): StageProgram =>
  move(withMetadata(shipment, movedTo(to)), source.ledger, {
    from: source.id,
    to: source.throughAccount,
    mayOverdraw: source.allowOverdraft,
  });

/** Moves money into a ledger, from the ledger `from`. */
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
  return outcome.output as { metadata: Texts }; // `GetAccount` has this output
}
