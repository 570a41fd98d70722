import { kindsOf, toBulkBody, type WrittenBulk } from "./bulk-body.ts";
import { type ReadCall, toCallText } from "./read-call.ts";
import type { AmountForm, Body } from "./result-json.ts";
import {
  bodyOf,
  CHARACTERS_MAX,
  NO_BODY,
  NOT_MODIFIED,
  type VersionedBody,
  versionOf,
} from "./versioned-body.ts";
import { wholePage } from "./whole-page.ts";
import {
  type BulkElement,
  type BulkOptions,
  type Command,
  type SingleRead,
  toExpansion,
  type TransactionView,
  type WriteOptions,
} from "#ledger-engine";
import { bounded, type BulkSettings } from "#modules/ledger/bulk/limits.ts";
import {
  authorOf,
  checkedRequest,
  ledgerObject,
  READ_OF_LEDGER,
  TO_LEDGER,
  unknownAccount,
  unknownTransaction,
} from "#modules/ledger/object-calls.ts";
import type { ServiceContext } from "#platform/context.ts";
import { cursorText } from "#platform/http/schemas.ts";
import type { ItemsText, JsonText } from "#platform/json.ts";
import { FifoCache, memoByEnv } from "#platform/memo.ts";
import { callObject, reachObject } from "#platform/objects/call.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { type Result, unwrap } from "#platform/result.ts";
import { currentCause } from "#platform/tracing/cause.ts";

interface Shown {
  readonly amounts: AmountForm;
}

/** The read of a page of a list. */
export interface PageRead extends Shown {
  /**
   * The query of the URL, as text, if ledger, list, amounts and this text determine the page. Undefined if the page depends on a body, too.
   */
  readonly queryText: string | undefined;
  /** Parses the request. Throws `VALIDATION`. */
  readonly toQuery: () => PageQuery;
}

type ListName = "listTransactions" | "listAccounts" | "listLogs";

/** A list, and the arguments of the read of a part of a page. */
interface List<N extends ListName> {
  readonly name: N;
  readonly args: (part: PageQuery) => ReadCall["args"];
}

/** A page whose request was parsed, as statements of a database are prepared. */
interface PreparedPage {
  /** The text of the read, see `toCallText`. */
  readonly text: string;
  /** The last answer; `NO_BODY` if the page was read once, or is short. */
  readonly last: VersionedBody;
}

/**
 * Reads and writes of a ledger whose results are JSON that the ledger's object has written. The JSON is passed on as it is, and no objects
 * are made of it, neither for the way from the object nor here. Throws as the methods of `LedgerService` do.
 */
export class AnswerClient {
  readonly #context: ServiceContext;
  readonly #pages: FifoCache<PreparedPage>;

  constructor(context: ServiceContext, pages = pagesOf(context.env)) {
    this.#context = context;
    this.#pages = pages;
  }

  static from(context: ServiceContext): AnswerClient {
    return new AnswerClient(context);
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
    const cause = currentCause()?.toText();
    const authored = { ...options, author: authorOf(principal), cause };
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
    const origin = { author: authorOf(principal), cause: currentCause()?.toText() };
    const authored = { ...options, ...origin, asBody: true as const };
    return checkedRequest(object, () => bounded(toElements(), settings)).then((elements) => {
      const kinds = kindsOf(elements);
      const call = object.executeBulkWritten(elements, authored, amounts);
      return callObject(call, TO_LEDGER).then((answer) => toBulkBody(kinds, answer));
    });
  }

  async transaction(
    ledger: string,
    id: number,
    { amounts, ...read }: SingleRead & Shown,
  ): Promise<Body<"findTransaction">> {
    const body = await this.#read(ledger, { name: "findTransaction", args: [id, read], amounts });
    if (typeof body !== "string") throw unknownTransaction(id);
    return body as Body<"findTransaction">; // the object has written the body of this read
  }

  transactions(ledger: string, request: PageRead): Promise<Body<"listTransactions">> {
    return this.#page(ledger, request, TRANSACTIONS);
  }

  async account(
    ledger: string,
    address: string,
    { amounts, ...read }: SingleRead & Shown,
  ): Promise<Body<"findAccount">> {
    const body = await this.#read(ledger, { name: "findAccount", args: [address, read], amounts });
    if (typeof body !== "string") throw unknownAccount(address);
    return body as Body<"findAccount">; // the object has written the body of this read
  }

  accounts(ledger: string, request: PageRead): Promise<Body<"listAccounts">> {
    return this.#page(ledger, request, ACCOUNTS);
  }

  /** A page of log entries, each as an export has it. */
  logs(ledger: string, request: PageRead): Promise<Body<"listLogs">> {
    return this.#page(ledger, request, LOGS);
  }

  /** The body of a page. The last answer of a page that was read before is cached. */
  async #page<N extends ListName>(
    ledger: string,
    request: PageRead,
    list: List<N>,
  ): Promise<Body<N>> {
    const { queryText, toQuery, amounts } = request;
    const key = queryText === undefined ? "" : `${list.name} ${amounts} ${ledger}\n${queryText}`;
    const known = key === "" ? undefined : this.#pages.get(key);
    const text = known?.text ?? toCallText(toCall(list, toQuery(), amounts));
    const answer = await this.#answer(
      ledger,
      text,
      known === undefined ? "" : versionOf(known.last),
    );
    if (typeof answer !== "string") {
      return this.#joinedPage(ledger, { query: toQuery(), first: unwrap(answer), list, amounts });
    }
    // The object was called with the version of `known`, whichever answer the cache has by now.
    if (answer === NOT_MODIFIED && known !== undefined) return bodyOf(known.last) as Body<N>; // of the same read
    const last = known !== undefined && answer.length >= CACHED_LENGTH_MIN ? answer : NO_BODY;
    if (key !== "" && last !== known?.last) this.#pages.set(key, { text, last });
    return bodyOf(answer) as Body<N>; // the object has written the body of this read
  }

  /** The body of a page that needs several turns of the ledger, of which one has given `first`. */
  async #joinedPage<N extends ListName>(
    ledger: string,
    {
      query,
      first,
      list,
      amounts,
    }: { query: PageQuery; first: unknown; list: List<N>; amounts: AmountForm },
  ): Promise<Body<N>> {
    const page = await wholePage(query, async (part) => {
      const found = part === query ? first : await this.#read(ledger, toCall(list, part, amounts));
      return found as Page<ItemsText<unknown>>; // a result that is no body is a page, and so is each further part
    });
    return cursorText(page) as Body<N>; // the page has the items of this read
  }

  /** The body of an answer, or the result of the read if the result is not the whole answer. */
  async #read(ledger: string, call: ReadCall): Promise<unknown> {
    const answer = await this.#answer(ledger, toCallText(call), "");
    return typeof answer === "string" ? bodyOf(answer) : unwrap(answer);
  }

  #answer(
    ledger: string,
    text: string,
    knownVersion: string,
  ): Promise<VersionedBody | Result<unknown>> {
    const object = ledgerObject(this.#context.env, ledger);
    const answering: Promise<VersionedBody | Result<unknown>> = object.readBody(text, knownVersion);
    return reachObject(answering, READ_OF_LEDGER);
  }
}

const withExpansion = (part: PageQuery): ReadCall["args"] => [part, toExpansion(part.expand)];
const TRANSACTIONS = { name: "listTransactions", args: withExpansion } as const;
const ACCOUNTS = { name: "listAccounts", args: withExpansion } as const;
const LOGS = { name: "listLogs", args: (part: PageQuery) => [part] } as const;

const toCall = (
  { name, args }: List<ListName>,
  part: PageQuery,
  amounts: AmountForm,
): ReadCall => ({ name, args: args(part), amounts });

/** Shortest answer that is cached, in characters. A shorter one crosses from the object in about the same time as an empty text. */
const CACHED_LENGTH_MIN = 1000;

/** Longest key of a page in the cache, in characters: the queries of most requests. Long queries would push out the pages of others. */
const KEY_LENGTH_MAX = 2000;

/** A cache of pages. */
export const pageCache = (sizeMax = CHARACTERS_MAX): FifoCache<PreparedPage> =>
  new FifoCache({
    sizeMax,
    keyLengthMax: KEY_LENGTH_MAX,
    sizeOf: (key, { text, last }) => key.length + text.length + last.length,
  });

/** The cache of an isolate, for the pages of all its ledgers. */
const pagesOf = memoByEnv((_env: Env) => pageCache());
