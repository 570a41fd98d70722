import type { OpenAPIHono } from "@hono/zod-openapi";
import { sealConfig } from "#modules/payments/installs/config.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import { CONNECTORS_MAX } from "#modules/payments/lifecycle/install.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { at } from "#test/support/payments/provider-objects.ts";
import { IngestWorld } from "#test/support/payments/worlds/ingest-world.ts";

/** Rows of each listed entity, unless the product allows fewer. */
export const COUNT = 200_000;

type Row = Readonly<Record<string, string | number | null>>;

const ROWS_PER_STATEMENT = 5000;

/** D1 with the most possible connectors, tables that are filled with rows, and the operations that read the rows. */
export class ListWorld extends IngestWorld {
  readonly #app: OpenAPIHono<AppEnv>;
  readonly #env: Env;
  /** The connectors: the first owns most rows, the second a few, the third none, and the rest own the other rows. */
  readonly connectors: readonly InstalledConnector[];

  constructor(app: OpenAPIHono<AppEnv>) {
    super();
    this.#app = app;
    this.#env = this.context.env;
    const references = Array.from({ length: CONNECTORS_MAX - 2 }, (_, place) => uuidAt(place));
    const others = references.map((reference) => this.install(reference));
    this.connectors = [this.connector, this.other, ...others];
    for (const { key, id } of this.connectors) {
      const config = sealConfig(this.#env, id.reference, { apiKey: `secret ${key}` });
      this.d1.rows("UPDATE payment_connectors SET config = ? WHERE key = ?", config, key);
    }
    for (const { key } of this.connectors)
      this.d1.rows("UPDATE payment_connectors SET created_at = ? WHERE key = ?", at(key), key);
  }

  /** The connector of a row; see `connectors`. */
  connectorAt(place: number): InstalledConnector {
    if (isRare(place)) return this.other;
    const rest = this.connectors.length - 3;
    const connector = place % 10 === 3 ? this.connectors[3 + (place % rest)] : this.connector;
    return connector ?? this.connector;
  }

  /** Inserts rows with equal columns. */
  insert(table: string, count: number, rowAt: (place: number) => Row): void {
    const columns = Object.keys(rowAt(0));
    const values = columns.map((_, index) => `value ->> ${index}`).join();
    for (let first = 0; first < count; first += ROWS_PER_STATEMENT) {
      const length = Math.min(ROWS_PER_STATEMENT, count - first);
      const rows = Array.from({ length }, (_, place) => Object.values(rowAt(first + place)));
      this.d1.rows(
        `INSERT INTO ${table} (${columns.join()}) SELECT ${values} FROM json_each(?)`,
        stringifyJson(rows),
      );
    }
  }

  /** Gets a path and returns the body of the answer. Throws for a refusal. */
  async get(path: string): Promise<unknown> {
    const response = await this.#app.request(`http://florin${path}`, {}, this.#env);
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path} has answered ${text}`);
    return parseJson(text);
  }
}

/** Whether a row is a rare one. There are fewer rare rows than a page has. */
export const isRare = (place: number): boolean => place % (COUNT / 5) === 11;

/** Whether a row is in the oldest hundredth; see `createdAt`. */
export const isOldest = (place: number): boolean => secondOf(place) < COUNT / 100;

/** The creation date of a row. Rows are not stored in the order of lists. */
export const createdAt = (place: number) => at(secondOf(place));

const secondOf = (place: number): number => (place * 7919) % COUNT;

export const uuidAt = (place: number): string =>
  `${place.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`;
