import { z } from "zod";
import type { BackupReads } from "#platform/backup/saving/calls.ts";
import { withPatience } from "#platform/backup/saving/patience.ts";
import type { Api } from "#scripts/lib/api.ts";

/** How long a session reads with one id, in milliseconds: the audit, which names the backup, is kept for an hour at least. */
const RENEWED_MS = 1_800_000;

const Begun = z.object({
  data: z.object({
    id: z.string(),
    /** The id of the key with which the server encrypts; absent in answers of earlier versions. */
    keyId: z.string().optional(),
  }),
});
type Begun = z.output<typeof Begun>["data"];

/**
 * What a backup reads by: each call names a backup that the server has begun for the caller. A backup is open for a day, so that a long one
 * begins another every half an hour: each is an entry of the audit.
 */
export class BackupSession implements BackupReads {
  /** The ids of the backups that were begun, the first one first. */
  readonly ids: string[];
  /** The id of the key with which the server encrypts; undefined if the server does not say. */
  readonly keyId: string | undefined;
  readonly #api: Api;
  readonly #nowMs: () => number;
  #begunMs: number;
  #renewal: Promise<void> | undefined;

  private constructor(api: Api, { id, keyId }: Begun, nowMs: () => number) {
    this.#api = api;
    this.ids = [id];
    this.keyId = keyId;
    this.#nowMs = nowMs;
    this.#begunMs = nowMs();
  }

  /** Begins a backup. `nowMs` is a clock that never steps back. */
  static async begin(api: Api, nowMs = () => performance.now()): Promise<BackupSession> {
    return new BackupSession(api, await begin(api), nowMs);
  }

  call: Api["call"] = async (request) =>
    this.#api.call({ ...request, query: { ...request.query, backup: await this.#currentId() } });

  send: Api["send"] = async (request) =>
    this.#api.send({ ...request, query: { ...request.query, backup: await this.#currentId() } });

  async #currentId(): Promise<string> {
    if (this.#nowMs() - this.#begunMs >= RENEWED_MS) {
      this.#renewal ??= this.#renew().finally(() => {
        this.#renewal = undefined;
      });
      await this.#renewal;
    }
    return this.ids.at(-1) ?? "";
  }

  async #renew(): Promise<void> {
    const { id } = await begin(this.#api);
    this.ids.push(id);
    this.#begunMs = this.#nowMs();
  }
}

/** Begins a backup. A call whose answer was lost is repeated: the audit then has one more, by which nothing is read. */
const begin = async (api: Api): Promise<Begun> => {
  const request = { method: "POST", path: "/api/florin/v1/backup", answer: Begun } as const;
  return (await withPatience(() => api.call(request))).data;
};
