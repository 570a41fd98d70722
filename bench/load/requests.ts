import type { Random } from "../../scripts/lib/random.ts";
import type { Load } from "./job.ts";

export interface LoadRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string;
}

/** The requests of a load, without end. The same seed gives the same ones. */
export function requestSource(load: Load, random: Random): () => LoadRequest {
  switch (load.kind) {
    case "get":
      return () => ({ method: "GET", path: load.path });
    case "post":
      return () => ({ method: "POST", path: load.path, body: load.body });
    case "account":
      return () => ({
        method: "GET",
        path: `/api/ledger/v2/${load.ledger}/accounts/${addressOf(random.integer(1, load.accounts))}?expand=volumes`,
      });
    case "commit":
      return () => ({
        method: "POST",
        path: `/api/ledger/v2/${load.ledger}/transactions`,
        body: transaction(random, random.integer(1, load.accounts)),
      });
    case "bulk":
      return () => ({
        method: "POST",
        path: `/api/ledger/v2/${load.ledger}/_bulk`,
        body: bulk(
          random,
          Array.from({ length: load.size }, () => random.integer(1, load.accounts)),
        ),
      });
  }
}

/** The body of a bulk with a transaction to each of the accounts. */
export function bulk(random: Random, accounts: readonly number[]): string {
  const elements = accounts.map(
    (account) => `{"action":"CREATE_TRANSACTION","data":${transaction(random, account)}}`,
  );
  return `[${elements.join(",")}]`;
}

const AMOUNT_MAX = 100_000;

/** The body of a transaction with one posting. Its money comes in, so that no balance ever stops the load. */
export const transaction = (random: Random, account: number): string =>
  `{"postings":[{"source":"world","destination":"${addressOf(account)}","amount":${random.integer(1, AMOUNT_MAX)},"asset":"USD/2"}],"metadata":{}}`;

const addressOf = (account: number): string => `users:${String(account).padStart(6, "0")}`;
