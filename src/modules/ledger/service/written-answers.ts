import {
  type AskedList,
  askedOnce,
  askedPage,
  type AskedRead,
  callOf,
  noteAnswer,
} from "./asked-reads.ts";
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
import {
  type AmountForm,
  type BulkElement,
  type BulkOptions,
  type Command,
  type SingleRead,
  toExpansion,
  type TransactionView,
  type WriteOptions,
} from "#ledger-engine";
import { bounded, type BulkSettings } from "#modules/ledger/bulk/limits.ts";
import type { Body } from "#modules/ledger/objects/answer-bodies.ts";
import type { WrittenBulk } from "#modules/ledger/wire/bulk-views.ts";
import type { ServiceContext } from "#platform/context.ts";
import { cursorText } from "#platform/http/schemas.ts";
import type { ItemsText, JsonText } from "#platform/json.ts";
import { callObject, reachObject } from "#platform/objects/call.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { type Result, unwrap } from "#platform/result.ts";

interface Shown {
  readonly amounts: AmountForm;
}

/**
 * Reads and writes of a ledger whose results are JSON that the ledger's object has written. The JSON is passed on as it is, and no objects
 * are made of it, neither for the way from the object nor here. Throws as the methods of `LedgerService` do.
 */
export class WrittenAnswers {
  readonly #context: ServiceContext;

  constructor(context: ServiceContext) {
    this.#context = context;
  }

  static from(context: ServiceContext): WrittenAnswers {
    return new WrittenAnswers(context);
  }

  /** Commits or reverts a transaction, by the command that `toCommand` makes of a request. Returns the new transaction. */
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
    // An idempotency key is checked against the command, so that a replay has the same kind.
    if (transaction === undefined) throw new Error("a commit made no transaction");
    return { transaction, isReplay };
  }

  /**
   * Executes the elements that `toElements` makes of a request, and returns the body of the answer. Nothing of the request is held while it
   * waits for the ledger. Throws `BULK_SIZE_EXCEEDED` for too many elements.
   */
  bulk(
    ledger: string,
    toElements: () => readonly BulkElement[],
    { amounts, settings, ...options }: BulkOptions & Shown & { readonly settings: BulkSettings },
  ): Promise<WrittenBulk> {
    const { env, principal } = this.#context;
    const object = ledgerObject(env, ledger);
    const authored = { ...options, author: authorOf(principal) };
    return checkedRequest(object, () => bounded(toElements(), settings)).then((elements) =>
      callObject(object.executeBulkWritten(elements, authored, amounts), TO_LEDGER),
    );
  }

  async transaction(
    ledger: string,
    id: number,
    { amounts, ...read }: SingleRead & Shown,
  ): Promise<Body<"findTransaction">> {
    const call = { name: "findTransaction", args: [id, read], amounts } as const;
    const body = await this.#read(ledger, askedOnce(call));
    if (typeof body !== "string") throw unknownTransaction(id);
    return body as Body<"findTransaction">; // the object has written the body of this read
  }

  transactions(
    ledger: string,
    query: PageQuery,
    { amounts }: Shown,
  ): Promise<Body<"listTransactions">> {
    const args = (part: PageQuery) => [part, toExpansion(part.expand)];
    return this.#page(ledger, query, { name: "listTransactions", args, amounts });
  }

  async account(
    ledger: string,
    address: string,
    { amounts, ...read }: SingleRead & Shown,
  ): Promise<Body<"findAccount">> {
    const call = { name: "findAccount", args: [address, read], amounts } as const;
    const body = await this.#read(ledger, askedOnce(call));
    if (typeof body !== "string") throw unknownAccount(address);
    return body as Body<"findAccount">; // the object has written the body of this read
  }

  accounts(ledger: string, query: PageQuery, { amounts }: Shown): Promise<Body<"listAccounts">> {
    const args = (part: PageQuery) => [part, toExpansion(part.expand)];
    return this.#page(ledger, query, { name: "listAccounts", args, amounts });
  }

  /** A page of log entries, each as an export has it. */
  logs(ledger: string, query: PageQuery, { amounts }: Shown): Promise<Body<"listLogs">> {
    return this.#page(ledger, query, { name: "listLogs", args: (part) => [part], amounts });
  }

  /** A page. Most reads give a whole page; otherwise, the page is put together from its parts. */
  async #page<N extends "listTransactions" | "listAccounts" | "listLogs">(
    ledger: string,
    query: PageQuery,
    list: AskedList & { readonly name: N },
  ): Promise<Body<N>> {
    const first = await this.#read(ledger, askedPage(ledger, query, list));
    if (typeof first === "string") return first as Body<N>; // the object has written the body of this read
    const page = await wholePage(query, async (part) => {
      const found =
        part === query ? first : await this.#read(ledger, askedOnce(callOf(part, list)));
      return found as Page<ItemsText<unknown>>; // a result that is no body is a page, and so is each further part
    });
    return cursorText(page) as Body<N>; // the object has written the body of this read
  }

  /** The body of an answer, or the result of the read where that is not the whole answer. */
  async #read(ledger: string, asked: AskedRead): Promise<unknown> {
    const { text, last } = asked;
    const object = ledgerObject(this.#context.env, ledger);
    const answering: Promise<string | Result<unknown>> = object.readBody(text, last?.version ?? "");
    const answer = await reachObject(answering, READ_OF_LEDGER);
    if (typeof answer !== "string") return unwrap(answer);
    // The object was called with the version of this `last`, whichever answer is kept by now.
    return answer === "" && last !== undefined ? last.body : noteAnswer(asked, answer);
  }
}
