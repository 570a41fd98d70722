import { z } from "zod";
import type { BookAccount } from "#modules/wallets/core/account.ts";
import { balanceAddress } from "#modules/wallets/core/chart.ts";
import { derivedId, hashOfRequest, ledgerKey } from "#modules/wallets/core/ids.ts";
import { KEYS, type WalletMetadata } from "#modules/wallets/core/keys.ts";
import { toWallet, type Wallet, walletMetadata } from "#modules/wallets/core/wallet.ts";
import { isKind, WalletLedger } from "#modules/wallets/ledger.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { formatTimestamp } from "#platform/time.ts";
import { MetadataSchema } from "#platform/validation.ts";

export interface NewWallet {
  readonly name: string;
  readonly metadata: WalletMetadata;
  /** Requests with the same key create one wallet. The member may be undefined but not absent, so that no caller forgets the key. */
  readonly idempotencyKey: string | undefined;
}

/** Creates a wallet. Throws `CONFLICT` for a key that another request has used. */
export async function createWallet(context: ServiceContext, input: NewWallet): Promise<Wallet> {
  const ledger = WalletLedger.of(context);
  if (input.idempotencyKey !== undefined) {
    return createOnce(context, ledger, { input, key: input.idempotencyKey });
  }
  const { wallet, address, metadata } = newWallet(context, ledger, { id: newId(), input });
  await ledger.saveMetadata(address, metadata, undefined);
  return wallet;
}

/** A new wallet, with the address and the metadata of its account. */
function newWallet(
  { clock }: ServiceContext,
  ledger: WalletLedger,
  { id, input: { name, metadata } }: { readonly id: string; readonly input: NewWallet },
) {
  const createdAt = clock();
  const wallet: Wallet = {
    id,
    name,
    metadata,
    createdAt: formatTimestamp(createdAt),
    ledger: ledger.name,
    assets: {},
  };
  return {
    wallet,
    address: balanceAddress(id),
    metadata: walletMetadata({ id, name, metadata, createdAt }),
  };
}

async function createOnce(
  context: ServiceContext,
  ledger: WalletLedger,
  { input, key }: { readonly input: NewWallet; readonly key: string },
): Promise<Wallet> {
  const id = derivedId("wallet", key);
  const requestHash = hashOfRequest(input.name, input.metadata);
  const { wallet, address, metadata } = newWallet(context, ledger, { id, input });
  const found = await ledger.findAccount(address);
  if (found !== undefined) return replay(found, { requestHash, ledger });
  const write = {
    ...metadata,
    [KEYS.createRequestHash]: requestHash,
    [KEYS.createResponse]: toResponse(wallet),
  };
  try {
    await ledger.saveMetadata(address, write, ledgerKey("wallet", id));
    return wallet;
  } catch (error) {
    // Of two requests at once with the same key, the ledger takes only the first one, because their dates differ.
    const winner = isKind(error, "VALIDATION") ? await ledger.findAccount(address) : undefined;
    if (winner === undefined) throw error;
    return replay(winner, { requestHash, ledger });
  }
}

/** The answer to an earlier request with the same key. Throws `CONFLICT` where another request has used the key. */
function replay(
  account: BookAccount,
  { requestHash, ledger }: { readonly requestHash: string; readonly ledger: WalletLedger },
): Wallet {
  const wallet = toWallet(account, ledger.name);
  if (wallet === undefined) {
    throw new AppError("CONFLICT", "the account of this idempotency key's wallet is in use");
  }
  const response = parseResponse(account.metadata[KEYS.createResponse] ?? "");
  if (account.metadata[KEYS.createRequestHash] !== requestHash || response === undefined) {
    throw new AppError("CONFLICT", "the idempotency key was used with another request");
  }
  return { ...wallet, ...response, assets: {} };
}

/** The answer to the first request as it is stored; later changes of the wallet do not change it. */
const toResponse = ({ id, name, metadata, createdAt, ledger }: Wallet): string =>
  stringifyJson({
    id,
    name,
    metadata,
    createdAt,
    ledger,
    balances: { main: { expiresAt: null, priority: 0, assets: {} } },
  });

const Response = z.object({ name: z.string(), metadata: MetadataSchema, createdAt: z.string() });

function parseResponse(text: string): z.output<typeof Response> | undefined {
  try {
    return Response.parse(parseJson(text));
  } catch {
    return undefined; // a client has changed the text in the ledger
  }
}
