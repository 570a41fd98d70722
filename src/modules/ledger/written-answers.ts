import { bounded, type BulkSettings } from "./bulk/limits.ts";
import {
  authorOf,
  checkedRequest,
  ledgerObject,
  READ_OF_LEDGER,
  TO_LEDGER,
  unknownAccount,
  unknownTransaction,
} from "./object-calls.ts";
import { wholePage } from "./whole-page.ts";
import type {
  AccountView,
  AmountForm,
  BulkElement,
  BulkOptions,
  Command,
  LedgerReads,
  SingleRead,
  TransactionView,
  VolumeExpansion,
  WriteOptions,
  Written,
  WrittenOutcome,
  WrittenRead,
} from "#ledger-engine";
import type { ServiceContext } from "#platform/context.ts";
import type { ItemsText, JsonText } from "#platform/json.ts";
import { callObject } from "#platform/objects/call.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import type { Result } from "#platform/result.ts";

/** How amounts are written. */
interface Shown {
  readonly amounts: AmountForm;
}

/**
 * What reads and writes of a ledger give, as JSON that its object has written: it is passed on as it is, and no objects are made for it,
 * neither for the way from the object nor here. Throws as those of `LedgerService` do.
 */
export class WrittenAnswers {
  readonly #context: ServiceContext;

  constructor(context: ServiceContext) {
    this.#context = context;
  }

  static from(context: ServiceContext): WrittenAnswers {
    return new WrittenAnswers(context);
  }

  /** Executes a create or revert, which `toCommand` makes of a request, and gives the transaction that it made. */
  async commit(
    ledger: string,
    toCommand: () => Command,
    { amounts, ...options }: WriteOptions & Shown,
  ): Promise<{ transaction: JsonText<TransactionView>; isReplay: boolean }> {
    const { env, principal } = this.#context;
    const object = ledgerObject(env, ledger);
    const command = await checkedRequest(object, toCommand);
    const authored = { ...options, author: authorOf(principal) };
    const call = object.executeWritten(command, authored, amounts);
    const { transaction, isReplay } = await callObject(call, TO_LEDGER);
    // A key is checked against the command, so that a replay is of the same kind.
    if (transaction === undefined) throw new Error("a commit made no transaction");
    return { transaction, isReplay };
  }

  /** Executes the elements that `toElements` makes of a request. Throws `BULK_SIZE_EXCEEDED` for too many of them. */
  async bulk(
    ledger: string,
    toElements: () => readonly BulkElement[],
    { amounts, settings, ...options }: BulkOptions & Shown & { readonly settings: BulkSettings },
  ): Promise<Result<WrittenOutcome>[]> {
    const { env, principal } = this.#context;
    const object = ledgerObject(env, ledger);
    const elements = await checkedRequest(object, () => bounded(toElements(), settings));
    const authored = { ...options, author: authorOf(principal) };
    return callObject(object.executeBulkWritten(elements, authored, amounts), TO_LEDGER);
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
  ): Promise<Page<ItemsText<TransactionView>>> {
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
  ): Promise<Page<ItemsText<AccountView>>> {
    return wholePage(query, (part) =>
      this.#read(ledger, { name: "listAccounts", args: [part, expansion], amounts }),
    );
  }

  /** Entries as an export has them. */
  logs(ledger: string, query: PageQuery, { amounts }: Shown): Promise<Page<ItemsText<unknown>>> {
    return this.#read(ledger, { name: "listLogs", args: [query], amounts });
  }

  async #read<N extends WrittenRead>(
    ledger: string,
    call: { name: N; args: Parameters<LedgerReads[N]> } & Shown,
  ): Promise<Written<N>> {
    const answer = await callObject(
      ledgerObject(this.#context.env, ledger).read(call),
      READ_OF_LEDGER,
    );
    return answer as Written<N>; // the object wrote the answer of the read of that name
  }
}
