import {
  ErrorsV2ErrorResponse,
  type V2BulkElement,
} from "@formance/formance-sdk/sdk/models/ledger/index.js";
import type { Client } from "../lib/client.ts";
import { runInLanes } from "./lanes.ts";
import type { Commit, Hour, PlannedTransaction, Request, Step } from "./plan.ts";
import { BulkAnswer, ErrorAnswer, TransactionAnswer } from "./wire.ts";
import { stringifyJson } from "#platform/json.ts";

const LANES = 8;

/** Sends the requests of a plan and checks each answer against the plan. */
export class Player {
  readonly #client: Client;
  readonly #ledger: string;
  /** The ids that the server assigned: of transactions by their references, of reverts by the references of the reverted transactions. */
  readonly ids = new Map<string, number>();
  readonly revertIds = new Map<string, number>();
  /** Counts of requests and answers so far. */
  readonly counts = { requests: 0, transactions: 0, replays: 0, refusals: 0 };

  constructor(client: Client, ledger: string) {
    this.#client = client;
    this.#ledger = ledger;
  }

  /** Plays an hour. Throws if an answer differs from the plan. */
  async play({ phases }: Hour): Promise<void> {
    for (const requests of phases) {
      await runInLanes(requests, LANES, (request) => this.#send(request));
    }
  }

  async #send(request: Request): Promise<void> {
    if (request.via === "bulk") return this.#sendBulk(request);
    const { step } = request;
    this.counts.requests++;
    switch (step.kind) {
      case "commit":
        return this.#sendCommit(step);
      case "revert":
        return this.#sendRevert(step.reference);
      case "tagAccount":
        await this.#api.addMetadataToAccount({
          ledger: this.#ledger,
          address: step.address,
          requestBody: step.metadata,
        });
        return;
      case "tagTransaction":
        await this.#api.addMetadataOnTransaction({
          ledger: this.#ledger,
          id: BigInt(this.#idOf(step.reference)),
          requestBody: step.metadata,
        });
    }
  }

  get #api() {
    return this.#client.sdk.ledger.v2;
  }

  async #sendCommit(commit: Commit): Promise<void> {
    this.#take(commit, await this.#commit(commit));
    if (commit.idempotencyKey === undefined) return;
    this.counts.requests++;
    const again = await this.#commit(commit);
    if (!again.ok || !again.isReplay) throw differs(commit, "a replay", again);
    this.#takeReplay(commit, again.id);
  }

  #commit(commit: Commit): Promise<CommitResult> {
    return isExactInNumbers(commit) ? this.#commitWithSdk(commit) : this.#commitPlainly(commit);
  }

  async #commitWithSdk({ transaction, idempotencyKey }: Commit): Promise<CommitResult> {
    try {
      const { headers, v2CreateTransactionResponse } = await this.#api.createTransaction({
        ledger: this.#ledger,
        v2PostTransaction: toBody(transaction),
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      });
      if (v2CreateTransactionResponse === undefined) throw new Error("the SDK gives no answer");
      return {
        ok: true,
        id: Number(v2CreateTransactionResponse.data.id),
        isReplay: headers["idempotency-hit"]?.[0] === "true",
      };
    } catch (error) {
      if (!(error instanceof ErrorsV2ErrorResponse)) throw error;
      return { ok: false, errorCode: error.errorCode };
    }
  }

  async #commitPlainly({ transaction, idempotencyKey }: Commit): Promise<CommitResult> {
    const { status, isReplay, body } = await this.#client.send("POST", this.#path("transactions"), {
      body: toBody(transaction),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
    if (status !== 200) return { ok: false, errorCode: ErrorAnswer.parse(body).errorCode };
    return { ok: true, id: TransactionAnswer.parse(body).data.id, isReplay };
  }

  async #sendRevert(reference: string): Promise<void> {
    const id = BigInt(this.#idOf(reference));
    const { v2CreateTransactionResponse: answer } = await this.#api.revertTransaction({
      ledger: this.#ledger,
      id,
    });
    if (answer === undefined) throw new Error("the SDK gives no answer");
    this.#takeRevert(reference, Number(answer.data.id));
  }

  /** Sends a bulk. Steps with an idempotency key appear twice in it. */
  async #sendBulk({ steps, atomic }: Request & { via: "bulk" }): Promise<void> {
    this.counts.requests++;
    const repeated = steps.filter((step) => step.kind === "commit" && step.idempotencyKey);
    const all = [...steps, ...repeated];
    const fails = steps.some((step) => step.kind === "commit" && step.fate !== "kept");
    const { status, results } = await this.#bulk(all, { atomic, continueOnFailure: fails });
    if (status !== (fails ? 400 : 200))
      throw new Error(`a bulk answers ${status}: ${stringifyJson(results)}`);
    for (const [index, step] of all.entries()) {
      const result = results[index];
      if (result === undefined) throw new Error("a bulk answers with too few results");
      this.#takeResult(step, result, index < steps.length);
    }
  }

  async #bulk(
    steps: readonly Step[],
    options: BulkOptions,
  ): Promise<{ status: number; results: readonly BulkResult[] }> {
    const elements = steps.map((step) => this.#toElement(step));
    if (!steps.every(isExactInNumbers)) {
      const path = `${this.#path("_bulk")}?atomic=${options.atomic}&continueOnFailure=${options.continueOnFailure}`;
      const { status, body } = await this.#client.send("POST", path, { body: elements });
      return { status, results: BulkAnswer.parse(body).data };
    }
    const { statusCode, v2BulkResponse } = await this.#api.createBulk({
      ledger: this.#ledger,
      requestBody: elements,
      ...options,
    });
    return { status: statusCode, results: v2BulkResponse?.data ?? [] };
  }

  #toElement(step: Step): V2BulkElement {
    switch (step.kind) {
      case "commit": {
        const { idempotencyKey: ik, transaction } = step;
        return {
          action: "CREATE_TRANSACTION",
          data: toBody(transaction),
          ...(ik === undefined ? {} : { ik }),
        };
      }
      case "revert":
        return { action: "REVERT_TRANSACTION", data: { id: BigInt(this.#idOf(step.reference)) } };
      case "tagAccount":
        return {
          action: "ADD_METADATA",
          data: { targetType: "ACCOUNT", targetId: step.address, metadata: step.metadata },
        };
      case "tagTransaction":
        return {
          action: "ADD_METADATA",
          data: {
            targetType: "TRANSACTION",
            targetId: BigInt(this.#idOf(step.reference)),
            metadata: step.metadata,
          },
        };
    }
  }

  #takeResult(step: Step, result: BulkResult, isFirst: boolean): void {
    const id = result.data === undefined ? undefined : Number(result.data.id);
    if (step.kind === "commit") {
      // Results of a bulk that was rolled back are meaningless and are not checked.
      if (step.fate === "undone") return;
      const outcome: CommitResult =
        id === undefined
          ? { ok: false, errorCode: result.errorCode ?? result.responseType }
          : { ok: true, id, isReplay: !isFirst };
      if (isFirst) this.#take(step, outcome);
      else this.#takeReplay(step, id);
    } else if (result.responseType === "ERROR") {
      throw differs(step, "a success", result);
    } else if (step.kind === "revert") {
      this.#takeRevert(step.reference, id);
    }
  }

  #take(commit: Commit, result: CommitResult): void {
    if (result.ok !== (commit.fate === "kept")) throw differs(commit, commit.fate, result);
    if (!result.ok) {
      if (result.errorCode !== "INSUFFICIENT_FUND")
        throw differs(commit, "INSUFFICIENT_FUND", result);
      this.counts.refusals++;
    } else if (result.isReplay) {
      throw differs(commit, "a new transaction", result);
    } else {
      this.counts.transactions++;
      this.ids.set(commit.transaction.reference, result.id);
    }
  }

  #takeReplay(commit: Commit, id: number | undefined): void {
    const known = this.#idOf(commit.transaction.reference);
    if (id !== known) throw differs(commit, `transaction ${known} again`, id);
    this.counts.replays++;
  }

  #takeRevert(reference: string, id: number | undefined): void {
    if (id === undefined) throw new Error(`the revert of ${reference} gives no transaction`);
    this.counts.transactions++;
    this.revertIds.set(reference, id);
  }

  #idOf(reference: string): number {
    const id = this.ids.get(reference);
    if (id === undefined) throw new Error(`the plan uses ${reference} before it is committed`);
    return id;
  }

  #path(resource: string): string {
    return `/api/ledger/v2/${this.#ledger}/${resource}`;
  }
}

interface BulkOptions {
  readonly atomic: boolean;
  readonly continueOnFailure: boolean;
}

/** The common part of a bulk's result in the SDK and in a plain answer. */
interface BulkResult {
  readonly responseType: string;
  readonly errorCode?: string | undefined;
  readonly data?: { readonly id: number | bigint } | undefined;
}

type CommitResult =
  | { readonly ok: true; readonly id: number; readonly isReplay: boolean }
  | { readonly ok: false; readonly errorCode: string };

/** Whether the SDK, which turns amounts into numbers, sends the step's amounts unchanged. */
const isExactInNumbers = (step: Step): boolean =>
  step.kind !== "commit" ||
  step.transaction.postings.every(({ amount }) => amount <= Number.MAX_SAFE_INTEGER);

const toBody = (transaction: PlannedTransaction) => ({
  ...transaction,
  postings: [...transaction.postings],
  ...(transaction.accountMetadata === undefined
    ? {}
    : { accountMetadata: { ...transaction.accountMetadata } }),
});

const differs = (step: Step, expected: string, got: unknown): Error => {
  const name = step.kind === "commit" ? step.transaction.reference : step.kind;
  return new Error(`${name}: expected ${expected}, got ${stringifyJson(got)}`);
};
