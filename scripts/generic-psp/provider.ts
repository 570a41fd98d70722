import { createHash } from "node:crypto";
import type { Account, Beneficiary, Movement, Transaction } from "./objects.ts";
import type { MovementRequest } from "./requests.ts";
import { Random } from "#scripts/lib/random.ts";

/** The error of a refused movement, which has moved nothing. */
export class Refusal extends Error {
  readonly status: 400 | 409;

  constructor(status: 400 | 409, message: string) {
    super(message);
    this.name = "Refusal";
    this.status = status;
  }
}

export interface ProviderOptions {
  /** Equal seeds give equal accounts and transactions. */
  readonly seed: number;
  readonly accounts: number;
  readonly beneficiaries: number;
  /** Incoming payments, a tenth of which are refunded. */
  readonly transactions: number;
}

const ASSETS = ["EUR/2", "USD/2", "JPY/0"] as const;
const NAMES = ["Operations", "Payroll", "Treasury", "Marketplace", "Escrow", "Taxes"];
const OWNERS = ["ACME Ltd", "Globex", "Initech", "Umbrella", "Soylent", "Hooli"];
const FIRST = Date.parse("2026-01-01T00:00:00Z");
/** Time between two transactions, in milliseconds. Some transactions have equal times, as at real providers. */
const STEP_MS = 1000;
const OPENING_BALANCE = 1_000_000n;

/**
 * A payment provider in memory. It moves money once for each idempotency key, for any number of requests, and lists its movements, so that
 * a test can compare effects instead of requests.
 */
export class Provider {
  readonly accounts: readonly Account[];
  readonly beneficiaries: readonly Beneficiary[];
  readonly #transactions: Transaction[] = [];
  readonly #movements = new Map<string, Movement>();
  readonly #now: () => Date;
  readonly #random: Random;
  #received = 0;

  constructor({ seed, ...counts }: ProviderOptions, now: () => Date = () => new Date()) {
    const random = new Random(seed);
    this.#now = now;
    this.accounts = numbered(counts.accounts).map((number) => ({
      id: `acc-${number}`,
      accountName: random.pick(NAMES),
      createdAt: new Date(FIRST + Number(number) * STEP_MS),
      balances: new Map([[random.pick(ASSETS), OPENING_BALANCE]]),
    }));
    this.beneficiaries = numbered(counts.beneficiaries).map((number) => ({
      id: `ben-${number}`,
      ownerName: random.pick(OWNERS),
      createdAt: new Date(FIRST + Number(number) * STEP_MS),
    }));
    this.#random = random;
    for (const number of numbered(counts.transactions)) {
      const place = Number(number);
      // Every fourth transaction has the time of the transaction before.
      this.#receive(new Date(FIRST + (place % 4 === 0 ? place - 1 : place) * STEP_MS));
    }
  }

  /** Adds `count` incoming payments with the current time, a tenth of which are refunded. */
  receive(count: number): void {
    for (let more = 0; more < count; more++) this.#receive(this.#now());
  }

  /** The transactions, by the time of their last change. */
  get transactions(): readonly Transaction[] {
    return this.#transactions;
  }

  get movements(): readonly Movement[] {
    return [...this.#movements.values()];
  }

  account(id: string): Account | undefined {
    return this.accounts.find((account) => account.id === id);
  }

  /** The movement with an idempotency key. */
  movement(key: string): Movement | undefined {
    return this.#movements.get(key);
  }

  /** Moves money. A repeated request with its key gives the existing movement. Throws `Refusal` for another request with a used key. */
  move(type: Movement["type"], request: MovementRequest): Movement {
    const made = this.#movements.get(request.idempotencyKey);
    if (made !== undefined) {
      if (made.type === type && sameRequest(made, request)) return made;
      throw new Refusal(409, `the key ${request.idempotencyKey} was used for another movement`);
    }
    const { currency, amount, sourceAccountId, destinationAccountId } = request;
    const source = this.account(sourceAccountId);
    if (source === undefined) throw new Refusal(400, `there is no account ${sourceAccountId}`);
    if ((source.balances.get(currency) ?? 0n) < amount) {
      throw new Refusal(400, `the account ${sourceAccountId} has less than ${amount} ${currency}`);
    }
    const destination = this.#destinationOf(type, destinationAccountId);
    add(source, currency, -amount);
    if (destination !== undefined) add(destination, currency, amount);
    const movement = { ...request, type, id: this.#movementId(request), createdAt: this.#now() };
    this.#movements.set(request.idempotencyKey, movement);
    this.#transactions.push({
      id: movement.id,
      relatedTransactionID: movement.idempotencyKey,
      createdAt: movement.createdAt,
      updatedAt: movement.createdAt,
      currency,
      type,
      status: "SUCCEEDED",
      amount,
      sourceAccountID: sourceAccountId,
      destinationAccountID: destinationAccountId,
    });
    return movement;
  }

  /** The destination account; undefined for a beneficiary. A transfer goes to an account, a payout to a beneficiary or to an account. */
  #destinationOf(type: Movement["type"], id: string): Account | undefined {
    const account = this.account(id);
    if (account !== undefined) return account;
    if (type === "PAYOUT" && this.beneficiaries.some((beneficiary) => beneficiary.id === id)) {
      return undefined;
    }
    throw new Refusal(400, `there is no destination ${id} for a ${type.toLowerCase()}`);
  }

  #movementId({ idempotencyKey }: MovementRequest): string {
    return `mv-${createHash("sha256").update(idempotencyKey).digest("hex").slice(0, 16)}`;
  }

  /** Adds an incoming payment, of which a part may be refunded. */
  #receive(createdAt: Date): void {
    if (this.accounts.length === 0) return;
    const random = this.#random;
    const number = toNumber(++this.#received);
    const account = random.pick(this.accounts);
    const [currency = ASSETS[0]] = account.balances.keys();
    const amount = BigInt(random.integer(1, 100_000));
    const id = `tx-${number}`;
    const payIn = { createdAt, currency, type: "PAYIN", destinationAccountID: account.id } as const;
    add(account, currency, amount);
    this.#transactions.push({ ...payIn, id, updatedAt: createdAt, status: "SUCCEEDED", amount });
    if (!random.chance(0.1)) return;
    const refunded = BigInt(random.integer(1, Number(amount)));
    add(account, currency, -refunded);
    this.#transactions.push({
      ...payIn,
      id: `rf-${number}`,
      relatedTransactionID: id,
      updatedAt: createdAt,
      status: "REFUNDED",
      amount: refunded,
    });
  }
}

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => toNumber(index + 1));

const toNumber = (place: number): string => `${place}`.padStart(3, "0");

function add(account: Account, asset: string, amount: bigint): void {
  account.balances.set(asset, (account.balances.get(asset) ?? 0n) + amount);
}

const sameRequest = (movement: Movement, request: MovementRequest): boolean =>
  movement.currency === request.currency &&
  movement.amount === request.amount &&
  movement.sourceAccountId === request.sourceAccountId &&
  movement.destinationAccountId === request.destinationAccountId;
