import { z } from "zod";
import { toAccount, toBalances, toPayments } from "./accounts.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

/** The reasons why connections do not work, by their states. For any other state, the state itself is the reason. */
export const STATES: Readonly<Record<string, string>> = {
  SCARequired: "strong customer authentication is required",
  webauthRequired: "the user has to log in at the bank",
  additionalInformationNeeded: "the bank asks for more information",
  decoupled: "the user has to confirm in the app of the bank",
  actionNeeded: "the user has to act at the bank",
  wrongpass: "the password is wrong",
  passwordExpired: "the password has expired",
  validating: "what the user has given is being checked",
  rateLimiting: "the bank takes no more requests at the moment",
  websiteUnavailable: "the bank is not available",
  bug: "the provider has a fault",
};

/**
 * What a part of a synchronisation continues: the connection with another account, or the same account. Objects of earlier parts are not
 * reported again.
 */
const Continued = z.enum(["connection", "account"]);
type Continued = z.output<typeof Continued>;

const Synced = z.object({
  user: z.object({ id: kit.Id }),
  connection: z.object({
    id: kit.Id,
    state: z.string().nullish(),
    error_message: z.string().nullish(),
    accounts: z
      .array(z.looseObject({ id: kit.Id, transactions: z.array(z.unknown()).nullish() }))
      .nullish(),
  }),
  /** A member that only `splitSynchronisation` writes. */
  florin_continued: Continued.optional(),
});
type Synced = z.output<typeof Synced>;
type SyncedAccount = NonNullable<Synced["connection"]["accounts"]>[number];

const About = z.object({ user: z.looseObject({}), connection: z.looseObject({}) });

/** The report of a synchronisation: the accounts with their new transactions, or the reason why the connection does not work. */
export function toSynchronisation(value: unknown, now: Timestamp): kit.WebhookReport {
  // In the provider's console, another event may have this path.
  if (!About.safeParse(value).success) return {};
  const synced = kit.parseObject(Synced, value, "a synchronisation");
  const { user, connection, florin_continued: continued } = synced;
  const owner = { providerUserId: user.id, connectionId: connection.id };
  if (!isWorking(synced)) {
    const { state, error_message: message } = connection;
    const reason = kit.rowOf(STATES, state ?? "") ?? message ?? state ?? "";
    return { connections: [{ kind: "disconnected", ...owner, at: now, reason }] };
  }
  const owned = connection.accounts ?? [];
  const told = continued === "account" ? [] : owned;
  const reported = owned.map((account) =>
    toPayments(account.transactions ?? [], [account], account.id),
  );
  const rejected = reported.flatMap((each) => each.rejected);
  return {
    owner,
    connections: continued === undefined ? [{ kind: "reconnected", ...owner, at: now }] : [],
    accounts: told.map((account) => toAccount(account, now)),
    payments: reported.flatMap(({ payments }) => payments),
    ...(rejected.length === 0 ? {} : { rejected }),
    deletedPayments: reported.flatMap(({ deleted }) => deleted),
    balances: told.flatMap((account) => toBalances(account, now)),
  };
}

const isWorking = ({ connection: { state } }: Synced): boolean =>
  state === undefined || state === null;

/**
 * The parts of a synchronisation, as JSON. The first part reports that the connection works; the first part of each account reports the
 * account and its balance; each part has some transactions of one account. A connection that does not work has one part. Undefined for a
 * value that is no synchronisation.
 */
export function splitSynchronisation(value: unknown): string[] | undefined {
  const { success, data: synced } = Synced.safeParse(value);
  if (!success) return undefined;
  const { user, connection } = synced;
  const toPart = (accounts: readonly object[], continued?: Continued): string =>
    stringifyJson({ user, connection: { ...connection, accounts }, florin_continued: continued });
  const accounts = connection.accounts ?? [];
  if (!isWorking(synced) || accounts.length === 0) return [toPart([])];
  return accounts.flatMap((account, index) =>
    slicesOf(account).map((slice, at) => {
      if (at > 0) return toPart([slice], "account");
      return index > 0 ? toPart([slice], "connection") : toPart([slice]);
    }),
  );
}

/** Most transactions of a part, and their largest size in bytes; a single transaction may be larger. */
const TRANSACTIONS_MAX = 100;
const TRANSACTIONS_BYTES_MAX = 256 * 1024;

/** The slices of an account: the account with its first transactions, and afterwards its id and currency with further transactions. */
function slicesOf(account: SyncedAccount): object[] {
  const slices: unknown[][] = [[]];
  let bytes = 0;
  for (const transaction of account.transactions ?? []) {
    const size = Buffer.byteLength(stringifyJson(transaction));
    let slice = slices.at(-1) ?? [];
    const isFull = slice.length >= TRANSACTIONS_MAX || bytes + size > TRANSACTIONS_BYTES_MAX;
    if (isFull && slice.length > 0) {
      slice = [];
      slices.push(slice);
      bytes = 0;
    }
    slice.push(transaction);
    bytes += size;
  }
  const { id, currency } = { currency: undefined, ...account };
  return slices.map((transactions, at) =>
    at === 0 ? { ...account, transactions } : { id, currency, transactions },
  );
}
