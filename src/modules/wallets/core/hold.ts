import type { BookAccount } from "./account.ts";
import { balanceAddress } from "./chart.ts";
import { fromCustomMetadata, HOLD, KEYS, type WalletMetadata, toCustomMetadata } from "./keys.ts";
import { type WalletSubject, subjectAddress } from "./subject.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { formatTimestamp, parseTimestamp, type Timestamp } from "#platform/time.ts";

/** Money that is set aside until it is confirmed or voided. */
export interface Hold {
  readonly id: string;
  readonly walletId: string;
  /** Receives the money when the hold is confirmed. */
  readonly destination: WalletSubject;
  readonly asset: string;
  readonly metadata: WalletMetadata;
  readonly description: string;
  /** When the hold is voided, unless it is closed before. */
  readonly expiresAt: Timestamp | undefined;
}

/** A hold with the amounts of its account. A hold with nothing left is closed. */
export interface HoldState extends Hold {
  readonly originalAmount: bigint;
  readonly remaining: bigint;
}

/** The hold that an account stands for; undefined for any other account, and for one whose metadata cannot be read. */
export function toHold({ metadata, volumes }: BookAccount): HoldState | undefined {
  const id = metadata[KEYS.holdId];
  const walletId = metadata[KEYS.holdWalletId];
  const asset = metadata[KEYS.holdAsset];
  if (metadata[KEYS.type] !== HOLD) return undefined;
  if (id === undefined || walletId === undefined || asset === undefined) return undefined;
  const destination = parseSubject(metadata[KEYS.holdSubject] ?? "");
  if (destination === undefined) return undefined;
  return {
    id,
    walletId,
    destination,
    asset,
    metadata: fromCustomMetadata(metadata),
    description: metadata[KEYS.holdDescription] ?? "",
    expiresAt: parseTimestamp(metadata[KEYS.holdExpiresAt] ?? ""),
    originalAmount: volumes[asset]?.input ?? 0n,
    remaining: volumes[asset]?.balance ?? 0n,
  };
}

/** The metadata of a hold's account. Throws `VALIDATION` for a destination that is no account of a ledger. */
export const holdMetadata = (hold: Hold): WalletMetadata => ({
  ...toCustomMetadata(hold.metadata),
  [KEYS.type]: HOLD,
  [KEYS.holdId]: hold.id,
  [KEYS.holdWalletId]: hold.walletId,
  [KEYS.holdAsset]: hold.asset,
  [KEYS.holdDescription]: hold.description,
  [KEYS.holdSubject]: subjectText(hold.destination),
  ...(hold.expiresAt === undefined
    ? {}
    : { [KEYS.holdExpiresAt]: formatTimestamp(hold.expiresAt) }),
  [KEYS.destination]: accountText(subjectAddress(hold.destination)),
  [KEYS.voidDestination]: accountText(balanceAddress(hold.walletId)),
});

const subjectText = (subject: WalletSubject): string =>
  stringifyJson({
    balance: (subject.type === "WALLET" ? subject.balance : undefined) ?? "",
    identifier: subject.identifier,
    type: subject.type,
  });

const accountText = (value: string): string => stringifyJson({ type: "account", value });

function parseSubject(text: string): WalletSubject | undefined {
  const { type, identifier, balance } = parseObject(text);
  if (typeof identifier !== "string") return undefined;
  if (type === "ACCOUNT") return { type, identifier };
  if (type !== "WALLET") return undefined;
  const isNamed = typeof balance === "string" && balance !== "";
  return { type, identifier, ...(isNamed ? { balance } : {}) };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value = parseJson(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {}; // a client has changed the text in the ledger
  }
}
