import { setTimeout as delay } from "node:timers/promises";
import type { z } from "zod";
import type { Client } from "../../lib/client.ts";
import {
  type AssetCloseState,
  type BookedCorrection,
  BreakPage,
  ClearingAnswer,
  type ClearingState,
  CloseAnswer,
  CorrectionAnswer,
  MadeAnswer,
  type MatchingRun,
  type OpenBreak,
  RunAnswer,
  type Suggestion,
  SuggestionAnswer,
  UploadAnswer,
  type Uploaded,
} from "./desk-wire.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

const PATH = "/api/florin/v1/reconciliation";
/** Longest time for a run, or for the reading of a file, in milliseconds. */
const PATIENCE_MS = 120_000;
const POLL_MS = 50;

/** What the chapter asks of reconciliation. Every method throws unless the server does what it is asked for. */
export class ReconciliationDesk {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async source(fields: object): Promise<string> {
    return (await this.#post("/sources", MadeAnswer, fields)).data.id;
  }

  async matching(fields: object): Promise<string> {
    return (await this.#post("/matchings", MadeAnswer, fields)).data.id;
  }

  /** Uploads a file, and waits until it is read. */
  async upload(source: string, name: string, content: string): Promise<Uploaded> {
    const path = `${PATH}/sources/${source}/statements`;
    const answer = await this.#client.exchangeText(`${path}?filename=${name}`, content);
    let { data } = UploadAnswer.parse(parseJson(answer));
    const { id } = data;
    await until(`the reading of ${name}`, async () => {
      if (data.state === "reading")
        ({ data } = await this.#client.get(`${path}/${id}`, UploadAnswer));
      return data.state !== "reading";
    });
    if (data.state === "ready") return data;
    throw new Error(`${name} is refused: ${data.refusal?.message ?? ""}`);
  }

  /** Runs a matching to its end. */
  async run(matching: string): Promise<MatchingRun> {
    const path = `/matchings/${matching}/runs`;
    let { data } = await this.#post(path, RunAnswer);
    const { id } = data;
    await until("a run", async () => {
      ({ data } = await this.#client.get(`${PATH}${path}/${id}`, RunAnswer));
      return data.state === "done" || data.state === "failed";
    });
    if (data.state === "done") return data;
    throw new Error(`a run has failed: ${data.error ?? ""}`);
  }

  /** The lines of a matching that are not matched. */
  async breaks(matching: string): Promise<readonly OpenBreak[]> {
    const path = `${PATH}/matchings/${matching}/breaks?pageSize=100`;
    return (await this.#client.get(path, BreakPage)).cursor.data;
  }

  async suggestion(matching: string, line: number): Promise<Suggestion> {
    const path = `${PATH}/matchings/${matching}/breaks/${line}/correction`;
    return (await this.#client.get(path, SuggestionAnswer)).data;
  }

  /** Books the suggestion for a break. */
  async correct(matching: string, line: number, note: string): Promise<BookedCorrection> {
    const path = `/matchings/${matching}/breaks/${line}/correction`;
    return (await this.#post(path, CorrectionAnswer, { note })).data;
  }

  async comment(matching: string, line: number, text: string): Promise<void> {
    await this.#send(`/matchings/${matching}/breaks/${line}/comments`, { text });
  }

  /** What is left on an account that ought to go to zero. */
  async clearing(ledger: string, account: string): Promise<ClearingState> {
    const path = `${PATH}/clearing?ledger=${ledger}&account=${account}`;
    return (await this.#client.get(path, ClearingAnswer)).data;
  }

  /** The close of a matching's period up to today, by asset. */
  async close(matching: string): Promise<readonly AssetCloseState[]> {
    return (await this.#client.get(`${PATH}/matchings/${matching}/report`, CloseAnswer)).data
      .assets;
  }

  async #post<S extends z.ZodType>(path: string, schema: S, body?: object): Promise<z.output<S>> {
    return schema.parse(await this.#send(path, body));
  }

  async #send(path: string, body?: object): Promise<unknown> {
    const answer = await this.#client.send(
      "POST",
      `${PATH}${path}`,
      body === undefined ? {} : { body },
    );
    if (answer.status < 300) return answer.body;
    throw new Error(`POST ${path} answers ${answer.status}: ${stringifyJson(answer.body)}`);
  }
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const startedMs = performance.now();
  while (!(await holds())) {
    if (performance.now() - startedMs > PATIENCE_MS) throw new Error(`${what} takes too long`);
    await delay(POLL_MS);
  }
}
