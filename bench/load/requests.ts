import type { Load, TransactionForm } from "./job.ts";
import type { Random } from "#scripts/lib/random.ts";

export interface LoadRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string;
}

/** An endless source of the requests of a load. Equal seeds give equal requests. */
export function requestSource(load: Load, random: Random): () => LoadRequest {
  switch (load.kind) {
    case "get":
      return () => ({ method: "GET", path: load.path });
    case "walk":
      return walkSource(load.paths);
    case "post":
      return () => ({ method: "POST", path: load.path, body: load.body });
    case "mixed":
      return mixedSource(load, random);
    case "account":
      return () => ({
        method: "GET",
        path: `/api/ledger/v2/${load.ledger}/accounts/${addressOf(random.integer(1, load.accounts))}?expand=volumes`,
      });
    case "transaction":
      return () => ({
        method: "GET",
        path: `/api/ledger/v2/${load.ledger}/transactions/${random.integer(1, load.transactions)}`,
      });
    case "filter":
      return () => ({
        method: "GET",
        path: `/api/ledger/v2/${load.ledger}/transactions?query=${encodeURIComponent(JSON.stringify({ $match: MATCHES[load.by](random.integer(1, load.count)) }))}`,
      });
    case "commit":
      return () => ({
        method: "POST",
        path: `/api/ledger/v2/${load.ledger}/transactions`,
        body: WRITERS[load.form ?? "simple"](random, random.integer(1, load.accounts)),
      });
    case "credit":
      return () => ({
        method: "POST",
        path: `/api/wallets/wallets/${walletOf(random.integer(1, load.wallets))}/credit`,
        body: `{"amount":{"amount":${random.integer(1, AMOUNT_MAX)},"asset":"USD/2"}}`,
      });
    case "bulk":
      return () => ({
        method: "POST",
        path: `/api/ledger/v2/${load.ledger}/_bulk`,
        body: bulk(
          random,
          Array.from({ length: load.size }, () => random.integer(1, load.accounts)),
          load.form,
        ),
      });
  }
}

function walkSource(paths: readonly string[]): () => LoadRequest {
  let sent = 0;
  return () => {
    const path = paths[sent++ % paths.length];
    if (path === undefined) throw new Error("a walk has at least one page");
    return { method: "GET", path };
  };
}

/** The matches of filters, by kinds. */
const MATCHES = {
  account: (account: number) => ({ account: addressOf(account) }),
  metadata: (value: number) => ({ "metadata[order]": metadataOf(value).order }),
  reference: (id: number) => ({ reference: referenceOf(id) }),
};

/** Different values of the metadata in the ledger for filters. */
export const FILTERED_VALUES = 100;
/** The reference and the metadata of a transaction in the ledger for filters, by its id. */
export const referenceOf = (id: number): string => `reference-${id}`;
export const metadataOf = (id: number) => ({ order: `order-${id % FILTERED_VALUES}` });

/** Requests of each kind in a hundred requests. */
const MIX = { commit: 60, bulk: 4, account: 20, transactions: 10, accounts: 6 };
const BULK_SIZE = 50;

function mixedSource(
  { ledger, accounts }: { readonly ledger: string; readonly accounts: number },
  random: Random,
): () => LoadRequest {
  const list = (path: string) =>
    ({ kind: "get", path: `/api/ledger/v2/${ledger}${path}` }) as const;
  const loads: Readonly<Record<keyof typeof MIX, Load>> = {
    commit: { kind: "commit", ledger, accounts },
    bulk: { kind: "bulk", ledger, accounts, size: BULK_SIZE },
    account: { kind: "account", ledger, accounts },
    transactions: list("/transactions"),
    accounts: list("/accounts?expand=volumes"),
  };
  const names = Object.keys(MIX) as (keyof typeof MIX)[]; // `MIX` has no other keys.
  const sources = names.flatMap((name) => {
    const source = requestSource(loads[name], random);
    return Array.from({ length: MIX[name] }, () => source);
  });
  return () => {
    const source = sources[random.integer(0, sources.length - 1)];
    if (source === undefined) throw new Error("a random index is within its bounds");
    return source();
  };
}

/** The body of a bulk with a transaction to each of the accounts. */
export function bulk(
  random: Random,
  accounts: readonly number[],
  form: TransactionForm = "simple",
): string {
  const write = WRITERS[form];
  const elements = accounts.map(
    (account) => `{"action":"CREATE_TRANSACTION","data":${write(random, account)}}`,
  );
  return `[${elements.join(",")}]`;
}

const AMOUNT_MAX = 100_000;

/** The body of a transaction with one posting. The money comes from the world, so that the load never runs out of funds. */
export const transaction = (random: Random, account: number): string =>
  `{"postings":[{"source":"world","destination":"${addressOf(account)}","amount":${random.integer(1, AMOUNT_MAX)},"asset":"USD/2"}],"metadata":{}}`;

/** The body of a payment that a script divides by its four variables. */
function scripted(random: Random, account: number): string {
  const vars = {
    price: `USD/2 ${random.integer(1, AMOUNT_MAX) * PARTS}`,
    fee: `${FEE_PERCENT}%`,
    merchant: addressOf(account),
    referrer: referrerOf(account),
  };
  return JSON.stringify({ script: { plain: SCRIPT, vars }, metadata: {} });
}

/** The body of a payment that is divided by its postings, as `scripted` divides it by a script. */
function divided(random: Random, account: number): string {
  const part = random.integer(1, AMOUNT_MAX);
  const posting = (destination: string, parts: number) => ({
    source: "world",
    destination,
    amount: part * parts,
    asset: "USD/2",
  });
  const postings = [
    posting("platform:fees", FEE_PERCENT),
    posting(referrerOf(account), REFERRER_PERCENT),
    posting(addressOf(account), PARTS - FEE_PERCENT - REFERRER_PERCENT),
  ];
  return JSON.stringify({ postings, metadata: {} });
}

const PARTS = 100;
const FEE_PERCENT = 5;
const REFERRER_PERCENT = 2;
const SCRIPT = `vars {
  monetary $price
  portion $fee
  account $merchant
  account $referrer
}
send $price (
  source = @world
  destination = {
    $fee to @platform:fees
    ${REFERRER_PERCENT}% to $referrer
    remaining to $merchant
  }
)
`;

const WRITERS: Readonly<Record<TransactionForm, (random: Random, account: number) => string>> = {
  simple: transaction,
  divided,
  script: scripted,
};

const referrerOf = (account: number): string => `referrers:${account % PARTS}`;
/** The id of a wallet, a UUID. */
const walletOf = (wallet: number): string =>
  `00000000-0000-4000-8000-${String(wallet).padStart(12, "0")}`;
export const addressOf = (account: number): string => `users:${String(account).padStart(6, "0")}`;
