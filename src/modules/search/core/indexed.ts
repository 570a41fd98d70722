import { tokensOf, TOKENS } from "./document.ts";
import type { Kind } from "./kinds.ts";
import { type ApiObject, documentOf } from "./objects.ts";

/** Tokens that an object has got. An object that is indexed twice has the tokens of both times. */
export interface IndexedObject {
  readonly kind: Kind;
  /** The object's id in its API: of a transaction its number, of an account its address. */
  readonly key: string;
  readonly tokens: readonly string[];
  /** Whether the object is only named, so that nothing is new about it if the index has it. */
  readonly isNamed?: true;
}

/** An event as the index reads it. */
export interface IndexedEvent {
  readonly type: string;
  readonly payload: unknown;
}

export const indexedObject = (kind: Kind, key: string, object: ApiObject): IndexedObject => ({
  kind,
  key,
  tokens: tokensOf(documentOf(kind, object)),
});

/** The main account of a wallet, whose address has the wallet's id without its dashes. */
const WALLET = /^wallets:(?!holds:)([^:]+):main$/;

type Metadata = Readonly<Record<string, string>>;

/**
 * What a ledger's event says about objects: transactions, accounts, assets and wallets. Metadata that an event deletes keep their tokens,
 * and whoever reads a hit sees that it no longer matches.
 */
export function objectsOfLedgerEvent({ type, payload }: IndexedEvent): IndexedObject[] {
  const event = payload as LedgerPayload; // the ledger has written it
  switch (type) {
    case "COMMITTED_TRANSACTIONS": {
      const transactions = (event.transactions ?? []).flatMap(objectsOfTransaction);
      const accounts = Object.entries(event.accountMetadata ?? {});
      return [...transactions, ...accounts.flatMap((account) => objectsOfAccount(...account))];
    }
    case "REVERTED_TRANSACTION":
      return objectsOfTransaction(event.revertTransaction ?? {});
    case "SAVED_METADATA": {
      const { targetType, targetId = "", metadata = {} } = event;
      return targetType === "ACCOUNT"
        ? objectsOfAccount(targetId, metadata)
        : [indexedObject("TRANSACTION", targetId, { metadata })];
    }
    default:
      return [];
  }
}

interface LedgerPayload {
  readonly transactions?: readonly ApiObject[];
  readonly accountMetadata?: Readonly<Record<string, Metadata>>;
  readonly revertTransaction?: ApiObject;
  readonly targetType?: string;
  readonly targetId?: string;
  readonly metadata?: Metadata;
}

function objectsOfTransaction(transaction: ApiObject): IndexedObject[] {
  const { values } = documentOf("TRANSACTION", transaction);
  return [
    indexedObject("TRANSACTION", `${values.id?.[0]}`, transaction),
    ...(values.address ?? []).map((address) => named("ACCOUNT", address, { address })),
    ...(values.asset ?? []).map((asset) => named("ASSET", asset, { asset })),
  ];
}

const named = (kind: Kind, key: string, object: ApiObject): IndexedObject => ({
  ...indexedObject(kind, key, object),
  isNamed: true,
});

function objectsOfAccount(address: string, metadata: Metadata): IndexedObject[] {
  const account = indexedObject("ACCOUNT", address, { address, metadata });
  const wallet = WALLET.exec(address)?.[1];
  if (wallet === undefined) return [account];
  // The metadata of the account have the wallet's name, and its id with dashes.
  const values = Object.values(metadata).map(TOKENS.value);
  const tokens = tokensOf({ values: { id: [wallet] }, texts: [], metadata });
  return [account, { kind: "WALLET", key: wallet, tokens: [...new Set([...tokens, ...values])] }];
}
