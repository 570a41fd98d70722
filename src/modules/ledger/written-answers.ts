import {
  ledgerObject,
  READ_OF_LEDGER,
  unknownAccount,
  unknownTransaction,
} from "./object-calls.ts";
import { wholePage } from "./whole-page.ts";
import type {
  AccountView,
  AmountForm,
  LedgerReads,
  SingleRead,
  TransactionView,
  VolumeExpansion,
  Written,
  WrittenRead,
} from "#ledger-engine";
import type { ServiceContext } from "#platform/context.ts";
import type { JsonText } from "#platform/json.ts";
import { callObject } from "#platform/objects/call.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";

/** How amounts are written. */
interface Shown {
  readonly amounts: AmountForm;
}

/**
 * What reads of a ledger give, as JSON that its object has written: it is passed on as it is, and no objects are made for it,
 * neither for the way from the object nor here. Throws as the reads of `LedgerService` do.
 */
export class WrittenAnswers {
  readonly #env: Env;

  constructor(env: Env) {
    this.#env = env;
  }

  static from({ env }: ServiceContext): WrittenAnswers {
    return new WrittenAnswers(env);
  }

  async transaction(
    ledger: string,
    id: number,
    { amounts, ...read }: SingleRead & Shown,
  ): Promise<JsonText<TransactionView>> {
    const found = await this.#read(ledger, { name: "findTransaction", args: [id, read], amounts });
    if (found === undefined) throw unknownTransaction(id);
    return found;
  }

  transactions(
    ledger: string,
    query: PageQuery,
    { amounts, ...expansion }: VolumeExpansion & Shown,
  ): Promise<Page<JsonText<TransactionView>>> {
    return wholePage(query, (part) =>
      this.#read(ledger, { name: "listTransactions", args: [part, expansion], amounts }),
    );
  }

  async account(
    ledger: string,
    address: string,
    { amounts, ...read }: SingleRead & Shown,
  ): Promise<JsonText<AccountView>> {
    const found = await this.#read(ledger, { name: "findAccount", args: [address, read], amounts });
    if (found === undefined) throw unknownAccount(address);
    return found;
  }

  accounts(
    ledger: string,
    query: PageQuery,
    { amounts, ...expansion }: VolumeExpansion & Shown,
  ): Promise<Page<JsonText<AccountView>>> {
    return wholePage(query, (part) =>
      this.#read(ledger, { name: "listAccounts", args: [part, expansion], amounts }),
    );
  }

  /** Entries as an export has them. */
  logs(ledger: string, query: PageQuery, { amounts }: Shown): Promise<Page<string>> {
    return this.#read(ledger, { name: "listLogs", args: [query], amounts });
  }

  async #read<N extends WrittenRead>(
    ledger: string,
    call: { name: N; args: Parameters<LedgerReads[N]> } & Shown,
  ): Promise<Written<N>> {
    const answer = await callObject(ledgerObject(this.#env, ledger).read(call), READ_OF_LEDGER);
    return answer as Written<N>; // the object wrote the answer of the read of that name
  }
}
