import { Buffer } from "node:buffer";
import { hash } from "node:crypto";

/*
 * An export of a log in the form and by the rules of Formance Ledger v2, written without any code of Florin, so that an import
 * can be compared with it byte for byte.
 */

export interface ReferencePosting {
  readonly source: string;
  readonly destination: string;
  readonly amount: bigint;
  readonly asset: string;
}

export type ReferenceMetadata = Readonly<Record<string, string>>;
export type ReferenceTarget = string | number;

export interface ReferenceCommit {
  readonly postings: readonly ReferencePosting[];
  readonly metadata?: ReferenceMetadata;
  /** Seconds by which the effective date is before the date of the entry. */
  readonly secondsBefore?: number;
  readonly reference?: string;
  readonly accountMetadata?: Readonly<Record<string, ReferenceMetadata | null>>;
}

/** A query template with its parameters in the order in which a client sent them. The values are JSON texts. */
export interface ReferenceQuery {
  readonly resource: string;
  readonly params: readonly (readonly [name: string, json: string])[];
}

interface StoredTransaction {
  readonly id: number;
  readonly postings: readonly ReferencePosting[];
  readonly timestamp: number;
  readonly insertedAt: number;
  readonly reference: string;
  metadata: Map<string, string>;
  readonly committed: string;
  isReverted: boolean;
}

interface Volumes {
  readonly input: bigint;
  readonly output: bigint;
}

type Pair = readonly [account: string, asset: string];

/** The date of the first entry, in seconds since 1970. Each further entry is a second later. */
const START_SECONDS = Date.UTC(2026, 2, 1, 9, 30) / 1000;

export class ReferenceLog {
  readonly lines: string[] = [];
  readonly #transactions: StoredTransaction[] = [];
  #previous: string | undefined;
  #seconds = START_SECONDS;

  get transactions(): readonly { readonly id: number; readonly isReverted: boolean }[] {
    return this.#transactions;
  }

  get references(): ReadonlySet<string> {
    return new Set(this.#transactions.map(({ reference }) => reference));
  }

  keysOf(id: number): string[] {
    return [...(this.#find(id)?.metadata.keys() ?? [])];
  }

  commit(made: ReferenceCommit): void {
    const date = this.#tick();
    const timestamp = date - (made.secondsBefore ?? 0);
    const { accountMetadata = {} } = made;
    const { shown, memento } = this.#newTransaction(made, { timestamp, date });
    const accounts = goMap(accountMetadata, goMetadata);
    this.#append("NEW_TRANSACTION", date, {
      memento: `{"transaction":${memento},"accountMetadata":${accounts}}`,
      shown: `{"transaction":${shown},"accountMetadata":${accounts}}`,
    });
  }

  revert(id: number): void {
    const original = this.#find(id);
    if (original === undefined || original.isReverted) throw new Error(`${id} cannot be reverted`);
    const date = this.#tick();
    original.isReverted = true;
    const postings = original.postings.toReversed().map(({ source, destination, ...rest }) => ({
      ...rest,
      source: destination,
      destination: source,
    }));
    const metadata = { "com.formance.spec/state/reverts": `${id}` };
    const [before, after] = JSON.parse(original.committed) as [string, string];
    const reverted = `{${contentText(original)},"insertedAt":${goDate(original.insertedAt)},"updatedAt":${goDate(date)},"revertedAt":${goDate(date)},"postCommitVolumes":${after},"reverted":true,"preCommitVolumes":${before}}`;
    const made = this.#newTransaction({ postings, metadata }, { timestamp: date, date });
    this.#append("REVERTED_TRANSACTION", date, {
      memento: `{"revertedTransactionID":${id},"transaction":${made.memento}}`,
      shown: `{"revertedTransaction":${reverted},"transaction":${made.shown}}`,
    });
  }

  setMetadata(target: ReferenceTarget, metadata: ReferenceMetadata | null): void {
    const date = this.#tick();
    const known = typeof target === "number" ? this.#find(target)?.metadata : undefined;
    for (const [key, value] of Object.entries(metadata ?? {})) known?.set(key, value);
    const text = `{${targetText(target)},"metadata":${goMetadata(metadata)}}`;
    this.#append("SET_METADATA", date, { memento: text, shown: text });
  }

  deleteMetadata(target: ReferenceTarget, key: string): void {
    const date = this.#tick();
    if (typeof target === "number") this.#find(target)?.metadata.delete(key);
    const text = `{${targetText(target)},"key":${goText(key)}}`;
    this.#append("DELETE_METADATA", date, { memento: text, shown: text });
  }

  /**
   * The hash covers the parameters in the order in which the client sent them; PostgreSQL stores them by length, then by bytes.
   */
  insertSchema(version: string, queries: Readonly<Record<string, ReferenceQuery>>): void {
    const date = this.#tick();
    const textOf = (order: (params: ReferenceQuery["params"]) => ReferenceQuery["params"]) => {
      const all = goMap(queries, ({ resource, params }) => {
        const members = order(params).map(([name, json]) => `${goText(name)}:${goEscaped(json)}`);
        const list = members.length === 0 ? "" : `,"params":{${members.join(",")}}`;
        return `{"resource":${goText(resource)}${list}}`;
      });
      const member = Object.keys(queries).length === 0 ? "" : `"queries":${all},`;
      return `{"schema":{"chart":{"world":{}},${member}"version":${goText(version)},"createdAt":${goDate(date)}}}`;
    };
    this.#append("INSERTED_SCHEMA", date, {
      memento: textOf((params) => params),
      shown: textOf((params) =>
        params.toSorted(([a], [b]) => a.length - b.length || compareBytes(a, b)),
      ),
    });
  }

  #tick(): number {
    return ++this.#seconds;
  }

  #find(id: number): StoredTransaction | undefined {
    return this.#transactions[id - 1];
  }

  /** Adds a transaction; returns its texts in exports and under the hash. */
  #newTransaction(
    { postings, metadata = {}, reference = "" }: ReferenceCommit,
    { timestamp, date }: { readonly timestamp: number; readonly date: number },
  ): { shown: string; memento: string } {
    const id = this.#transactions.length + 1;
    const committed = this.#volumesText(postings, Number.POSITIVE_INFINITY);
    const effective = this.#volumesText(postings, timestamp);
    const made = { id, postings, timestamp, insertedAt: date, reference, isReverted: false };
    const stored = {
      ...made,
      metadata: new Map(Object.entries(metadata)),
      committed: JSON.stringify(committed),
    };
    this.#transactions.push(stored);
    const content = contentText(stored);
    const [before, after] = committed;
    const [effectiveBefore, effectiveAfter] = effective;
    const derived = `"insertedAt":${goDate(date)},"updatedAt":${goDate(date)},"postCommitVolumes":${after},"postCommitEffectiveVolumes":${effectiveAfter},"reverted":false,"preCommitVolumes":${before},"preCommitEffectiveVolumes":${effectiveBefore}`;
    return { shown: `{${content},${derived}}`, memento: `{${content},"reverted":false}` };
  }

  /** The volumes before and after postings whose date is after all transactions up to `until`. */
  #volumesText(
    postings: readonly ReferencePosting[],
    until: number,
  ): [before: string, after: string] {
    const pairs = new Map<string, Pair>();
    for (const { source, destination, asset } of postings) {
      for (const account of [source, destination])
        pairs.set(`${account} ${asset}`, [account, asset]);
    }
    const earlier = this.#transactions
      .filter(({ timestamp }) => timestamp <= until)
      .flatMap((transaction) => transaction.postings);
    const textOf = (all: readonly ReferencePosting[]): string => {
      const byAccount = new Map<string, Map<string, string>>();
      for (const [account, asset] of pairs.values()) {
        const assets = byAccount.get(account) ?? new Map<string, string>();
        byAccount.set(account, assets.set(asset, volumesText(sumOf(all, [account, asset]))));
      }
      return goEntries([...byAccount], (assets) => goEntries([...assets], (text) => text));
    };
    return [textOf(earlier), textOf([...earlier, ...postings])];
  }

  #append(type: string, seconds: number, data: { memento: string; shown: string }): void {
    const before = this.#previous === undefined ? "" : `"${this.#previous}"\n`;
    const date = goDate(seconds);
    const memento = `{"type":"${type}","data":${data.memento},"date":${date},"idempotencyKey":"","id":0,"hash":null}\n`;
    this.#previous = hash("sha256", `${before}${memento}`, "base64");
    // Any hash can stand for that of the inputs, because a ledger cannot know the inputs of most entries.
    const inputs = hash("sha256", memento, "base64url");
    const id = this.lines.length + 1;
    this.lines.push(
      `{"type":"${type}","data":${data.shown},"date":${date},"idempotencyKey":"","idempotencyHash":"${inputs}=","id":${id},"hash":"${this.#previous}"}`,
    );
  }
}

function contentText(transaction: Omit<StoredTransaction, "committed">): string {
  const { id, postings, metadata, timestamp, reference } = transaction;
  const list = postings.map(
    ({ source, destination, amount, asset }) =>
      `{"source":${goText(source)},"destination":${goText(destination)},"amount":${amount},"asset":${goText(asset)}}`,
  );
  const referenceText = reference === "" ? "" : `"reference":${goText(reference)},`;
  return `"postings":[${list.join(",")}],"metadata":${goEntries([...metadata], goText)},"timestamp":${goDate(timestamp)},${referenceText}"id":${id}`;
}

const targetText = (target: ReferenceTarget): string =>
  typeof target === "number"
    ? `"targetType":"TRANSACTION","targetId":${target}`
    : `"targetType":"ACCOUNT","targetId":${goText(target)}`;

function sumOf(postings: readonly ReferencePosting[], [account, asset]: Pair): Volumes {
  let [input, output] = [0n, 0n];
  for (const posting of postings) {
    if (posting.asset !== asset) continue;
    if (posting.destination === account) input += posting.amount;
    if (posting.source === account) output += posting.amount;
  }
  return { input, output };
}

const volumesText = ({ input, output }: Volumes): string =>
  `{"input":${input},"output":${output},"balance":${input - output}}`;

const goDate = (seconds: number): string =>
  `"${new Date(seconds * 1000).toISOString().replace(".000", "")}"`;

/** A text as Go's encoder writes it. */
const goText = (text: string): string => goEscaped(JSON.stringify(text));

/** JSON as Go's encoder writes it: some characters of texts become escapes. */
const goEscaped = (json: string): string =>
  json.replaceAll(
    /[<>&\u2028\u2029]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

const goMap = <V>(map: Readonly<Record<string, V>>, write: (value: V) => string): string =>
  goEntries(Object.entries(map), write);

/** A map as Go's encoder writes it: by the bytes of its keys. */
function goEntries<V>(
  entries: readonly (readonly [string, V])[],
  write: (value: V) => string,
): string {
  const sorted = entries.toSorted(([a], [b]) => compareBytes(a, b));
  return `{${sorted.map(([key, value]) => `${goText(key)}:${write(value)}`).join(",")}}`;
}

const goMetadata = (metadata: ReferenceMetadata | null): string =>
  metadata === null ? "null" : goMap(metadata, goText);

const compareBytes = (a: string, b: string): number =>
  Buffer.compare(Buffer.from(a), Buffer.from(b));
