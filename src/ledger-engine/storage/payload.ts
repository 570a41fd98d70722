import type {
  AccountMetadata,
  LoggedAccountMetadata,
  Metadata,
  MetadataTarget,
  Posting,
  StoredSchema,
  Volumes,
} from "#ledger-engine/rules/types.ts";
import { present } from "#platform/assert.ts";
import { parseJson, quoteJson, stringifyJson, stringifyTexts } from "#platform/json.ts";
import { fromMicros, type Timestamp, toMicros } from "#platform/time.ts";

/**
 * A posting in the `payload` column of a log entry. The payload of a transaction is a JSON list without its brackets, in
 * which integers stand for accounts and assets:
 *
 *     3,4,1,100,4,5,2,70,{"r":"order-1"}
 *     └───┬───┘ └──┬───┘ └──────┬──────┘
 *     source, destination, asset, amount for each posting; then the members of `StoredExtras`, if there are any
 *
 *     3,4,100
 *     a single posting of the asset 1, which may be the only asset of the ledger
 */
export interface StoredPosting {
  readonly source: number;
  readonly destination: number;
  readonly asset: number;
  readonly amount: bigint;
}

/** The part of a write's schema that its log entry records. */
export interface SchemaTrace {
  readonly schemaVersion?: string;
  /** The default metadata of the accounts that the write created, by address. */
  readonly defaults?: AccountMetadata;
}

/** The fields of a transaction's payload besides the postings. */
export interface TransactionExtras extends SchemaTrace {
  readonly timestamp?: Timestamp;
  readonly reference?: string;
  readonly metadata?: Metadata;
  readonly accountMetadata?: LoggedAccountMetadata;
  /** The name of the schema's template that created the transaction. */
  readonly template?: string;
  /** Effective volumes at commit, in order of first appearance; absent if they equal the volumes. */
  readonly effective?: readonly Volumes[];
  /** In a revert, the id of the reverted transaction. */
  readonly reverts?: number;
  /** In a revert, the metadata of the reverted transaction at the time of the revert, if it had changed since its creation. */
  readonly revertedMetadata?: Metadata;
}

export interface TransactionPayload extends TransactionExtras {
  readonly postings: readonly StoredPosting[];
}

/** The numbers of the log types in the `type` column. */
export const LOG_TYPES = {
  NEW_TRANSACTION: 0,
  REVERTED_TRANSACTION: 1,
  SET_METADATA: 2,
  DELETE_METADATA: 3,
  INSERTED_SCHEMA: 4,
} as const;

const LOG_TYPE_NAMES = Object.keys(LOG_TYPES) as (keyof typeof LOG_TYPES)[]; // the keys of `LOG_TYPES`, in the order of the numbers

export const nameOfType = (type: number): keyof typeof LOG_TYPES =>
  present(LOG_TYPE_NAMES[type], "a stored type has a name");

/** The asset that a single posting does not name. */
const FIRST_ASSET = 1;

export interface PostingIds {
  account(address: Posting["source"]): number;
  asset(name: Posting["asset"]): number;
}

export function encodeTransaction(
  postings: readonly Posting[],
  extras: TransactionExtras,
  ids: PostingIds,
): string {
  const isSingle = postings.length === 1;
  let items = "";
  for (const { source, destination, asset, amount } of postings) {
    const assetId = ids.asset(asset);
    const accounts = `${ids.account(source)},${ids.account(destination)}`;
    if (items !== "") items += ",";
    items +=
      isSingle && assetId === FIRST_ASSET
        ? `${accounts},${amount}`
        : `${accounts},${assetId},${amount}`;
  }
  const members = membersOf(extras);
  if (members === "") return items;
  return items === "" ? `{${members}}` : `${items},{${members}}`;
}

/** The members of the object at the end of a payload. Most transactions have none. */
function membersOf(extras: TransactionExtras): string {
  const { timestamp, reference, metadata, accountMetadata, effective } = extras;
  let members = "";
  if (timestamp !== undefined) members = withMember(members, "t", toMicros(timestamp).toString());
  if (reference !== undefined) members = withMember(members, "r", quoteJson(reference));
  if (metadata !== undefined && !isEmpty(metadata)) {
    members = withMember(members, "m", stringifyTexts(metadata));
  }
  if (accountMetadata !== undefined && !isEmpty(accountMetadata)) {
    members = withMember(members, "a", stringifyTexts(accountMetadata));
  }
  if (effective !== undefined) {
    const pairs = effective.map(({ input, output }) => `[${input},${output}]`);
    members = withMember(members, "e", `[${pairs.join(",")}]`);
  }
  if (extras.reverts !== undefined) members = withMember(members, "v", `${extras.reverts}`);
  if (extras.revertedMetadata !== undefined) {
    members = withMember(members, "o", stringifyTexts(extras.revertedMetadata));
  }
  if (extras.template !== undefined) {
    members = withMember(members, "p", quoteJson(extras.template));
  }
  return withTraceMembers(members, extras);
}

function withTraceMembers(members: string, { schemaVersion, defaults }: SchemaTrace): string {
  let all = members;
  if (schemaVersion !== undefined) all = withMember(all, "s", quoteJson(schemaVersion));
  if (defaults !== undefined && !isEmpty(defaults)) {
    all = withMember(all, "d", stringifyTexts(defaults));
  }
  return all;
}

const withMember = (members: string, name: string, json: string): string =>
  members === "" ? `"${name}":${json}` : `${members},"${name}":${json}`;

/** The object at the end of a payload, as `parseJson` gives it. Only `encodeTransaction` writes it. */
interface StoredExtras extends StoredTrace {
  t?: number | bigint;
  r?: string;
  m?: Metadata;
  a?: LoggedAccountMetadata;
  e?: readonly (readonly [number | bigint, number | bigint])[];
  v?: number;
  o?: Metadata;
  p?: string;
}

interface StoredTrace {
  s?: string;
  d?: AccountMetadata;
}

export function decodeTransaction(payload: string): TransactionPayload {
  const integers = plainIntegers(payload);
  if (integers !== undefined) return { postings: decodePostings(integers) };
  const items = parseJson(`[${payload}]`) as (number | bigint | StoredExtras)[]; // written by encodeTransaction
  const last = items.at(-1);
  const hasExtras = typeof last === "object";
  if (hasExtras) items.pop();
  const postings = decodePostings(items as readonly (number | bigint)[]); // only the last item may be an object
  return hasExtras ? decodeExtras(last, postings) : { postings };
}

/** The postings of a payload. The object at its end is parsed only if some integer is not plain. */
export function decodePostingsOf(payload: string): readonly StoredPosting[] {
  const end = payload.indexOf(EXTRAS);
  const integers = plainIntegers(payload, end === -1 ? payload.length : end);
  return integers === undefined ? decodeTransaction(payload).postings : decodePostings(integers);
}

/** The separator between the integers of a payload and the object at its end. */
const EXTRAS = ",{";

/**
 * The items of a payload up to `end` if all of them are integers below 10^15, as in most payloads; else undefined. This takes a
 * fraction of the time of the parser for JSON.
 */
function plainIntegers(payload: string, end = payload.length): number[] | undefined {
  const integers: number[] = [];
  let [integer, digits] = [0, 0];
  for (let index = 0; index < end; index++) {
    const unit = payload.charCodeAt(index);
    if (unit === COMMA && digits > 0) {
      integers.push(integer);
      [integer, digits] = [0, 0];
      continue;
    }
    const digit = unit - ZERO;
    const isNext = digit >= 0 && digit <= 9 && digits < PLAIN_DIGITS_MAX;
    if (!isNext || (digits > 0 && integer === 0)) return undefined;
    integer = integer * 10 + digit;
    digits++;
  }
  if (digits === 0) return undefined;
  integers.push(integer);
  return integers;
}

const COMMA = 0x2c;
const ZERO = 0x30;
const PLAIN_DIGITS_MAX = 15;

function decodePostings(items: readonly (number | bigint)[]): StoredPosting[] {
  const isSingle = items.length === 3;
  const postings: StoredPosting[] = [];
  for (let index = 0; index < items.length; index += 4) {
    postings.push({
      source: Number(items[index]),
      destination: Number(items[index + 1]),
      asset: isSingle ? FIRST_ASSET : Number(items[index + 2]),
      amount: BigInt(items[index + (isSingle ? 2 : 3)] ?? 0),
    });
  }
  return postings;
}

/** Adds the members that the payload has. Most transactions have few of them. */
function decodeExtras(
  { t, r, m, a, e, v, o, p, s, d }: StoredExtras,
  postings: readonly StoredPosting[],
): TransactionPayload {
  const found: { -readonly [K in keyof TransactionPayload]: TransactionPayload[K] } = { postings };
  if (s !== undefined) found.schemaVersion = s;
  if (d !== undefined) found.defaults = d;
  if (t !== undefined) found.timestamp = fromMicros(t);
  if (r !== undefined) found.reference = r;
  if (m !== undefined) found.metadata = m;
  if (a !== undefined) found.accountMetadata = a;
  if (e !== undefined) {
    found.effective = e.map(([input, output]) => ({
      input: BigInt(input),
      output: BigInt(output),
    }));
  }
  if (v !== undefined) found.reverts = v;
  if (o !== undefined) found.revertedMetadata = o;
  if (p !== undefined) found.template = p;
  return found;
}

const decodeTrace = ({ s, d }: StoredTrace): SchemaTrace => ({
  ...(s === undefined ? {} : { schemaVersion: s }),
  ...(d === undefined ? {} : { defaults: d }),
});

/** The payload of an entry that sets metadata. It has the address of an account, not its id, because the account need not exist. */
export interface MetadataPayload {
  readonly target: MetadataTarget;
  readonly metadata: Metadata | null;
}
export interface KeyPayload {
  readonly target: MetadataTarget;
  readonly key: string;
}

export const encodeMetadata = ({ target, metadata }: MetadataPayload, trace: SchemaTrace): string =>
  withTrace(stringifyJson([target.id, metadata]), trace);

export const encodeKey = ({ target, key }: KeyPayload, trace: SchemaTrace): string =>
  withTrace(stringifyJson([target.id, key]), trace);

/** Appends the trace of a schema to a JSON list, if there is one. */
function withTrace(list: string, trace: SchemaTrace): string {
  const members = withTraceMembers("", trace);
  return members === "" ? list : `${list.slice(0, -1)},{${members}}]`;
}

export function decodeMetadata(payload: string): { entry: MetadataPayload; trace: SchemaTrace } {
  const [id, metadata, trace = {}] = parseJson(payload) as [
    MetadataTarget["id"],
    Metadata | null,
    StoredTrace?,
  ]; // written by encodeMetadata
  return { entry: { target: toTarget(id), metadata }, trace: decodeTrace(trace) };
}

export function decodeKey(payload: string): { entry: KeyPayload; trace: SchemaTrace } {
  const [id, key, trace = {}] = parseJson(payload) as [MetadataTarget["id"], string, StoredTrace?]; // written by encodeKey
  return { entry: { target: toTarget(id), key }, trace: decodeTrace(trace) };
}

/** The payload `[version, micros, hashed?, schema, trace?]`. The text of the schema is stored as it came. */
export function encodeSchema(schema: StoredSchema, trace: SchemaTrace): string {
  const { version, createdAt, text, hashed } = schema;
  return withTrace(`[${schemaHead(version, toMicros(createdAt), hashed)}${text}]`, trace);
}

export function decodeSchemaEntry(payload: string): { schema: StoredSchema; trace: SchemaTrace } {
  type Items = [
    version: string,
    micros: number | bigint,
    hashed: StoredSchema["hashed"] | object,
    ...rest: unknown[],
  ];
  const [version, micros, mark, ...rest] = parseJson(payload) as Items; // written by encodeSchema
  const hashed = typeof mark === "string" ? mark : undefined;
  const trace = rest[hashed === undefined ? 0 : 1] as StoredTrace | undefined; // the trace follows the schema
  const start = 1 + schemaHead(version, BigInt(micros), hashed).length;
  const end = trace === undefined ? -1 : payload.lastIndexOf(',{"s":');
  const schema = {
    version,
    createdAt: fromMicros(BigInt(micros)),
    text: payload.slice(start, end),
    ...(hashed === undefined ? {} : { hashed }),
  };
  return { schema, trace: decodeTrace(trace ?? {}) };
}

const schemaHead = (version: string, micros: bigint, hashed: StoredSchema["hashed"]): string =>
  `${quoteJson(version)},${micros},${hashed === undefined ? "" : `"${hashed}",`}`;

const toTarget = (id: MetadataTarget["id"]): MetadataTarget =>
  typeof id === "number" ? { type: "TRANSACTION", id } : { type: "ACCOUNT", id };

const isEmpty = (map: object): boolean => Object.keys(map).length === 0;
