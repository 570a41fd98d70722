import type { SearchDocument } from "./document.ts";
import type { Kind } from "./kinds.ts";

/** An object as its own API shows it, or the payload of an event with members of the same names. */
export type ApiObject = Readonly<Record<string, unknown>>;

type Reader = (object: ApiObject) => SearchDocument;

/** The members of an object that are searched, by their meaning. */
interface Members {
  readonly status?: string;
  readonly asset?: string;
  readonly amounts?: readonly string[];
  readonly source?: string;
  readonly destination?: string;
  /** FoundHits as a whole, but not by a field of a term. */
  readonly others?: readonly string[];
  /** FoundHits by the beginnings of their words. */
  readonly texts?: readonly string[];
}

/** The searchable content of an object of a kind. */
export const documentOf = (kind: Kind, object: ApiObject): SearchDocument => READERS[kind](object);

const READERS: Readonly<Record<Kind, Reader>> = {
  TRANSACTION: transactionDocument,
  ACCOUNT: (object) => {
    const address = textsAt(object, "address");
    return {
      values: { address, others: address.flatMap(segmentsOf) },
      texts: [],
      metadata: metadataOf(object),
    };
  },
  ASSET: (object) => {
    const asset = textsAt(object, "asset");
    return { values: { asset }, texts: asset, metadata: {} };
  },
  PAYMENT: reader({
    status: "status",
    asset: "asset",
    amounts: ["amount", "initialAmount"],
    source: "sourceAccountID",
    destination: "destinationAccountID",
    others: ["connectorID", "type", "scheme"],
  }),
  PAYMENT_ACCOUNT: reader({
    asset: "defaultAsset",
    others: ["connectorID", "type"],
    texts: ["name"],
  }),
  PAYMENT_INITIATION: reader({
    status: "status",
    asset: "asset",
    amounts: ["amount"],
    source: "sourceAccountID",
    destination: "destinationAccountID",
    others: ["connectorID", "type"],
    texts: ["description"],
  }),
  BANK_ACCOUNT: reader({ others: ["country", "swiftBicCode"], texts: ["name"] }),
  POOL: reader({ others: ["type"], texts: ["name"] }),
  WALLET: reader({ texts: ["name"] }),
  WORKFLOW: (object) => {
    const document = reader({})(object);
    return { ...document, texts: textsAt(memberOf(object, "config"), "name") };
  },
  INSTANCE: reader({ status: "state", others: ["workflowID"], texts: ["error"] }),
  TRIGGER: reader({ others: ["workflowID", "event"], texts: ["name", "event"] }),
  WEBHOOK: reader({ others: ["endpoint", "eventTypes"], texts: ["name", "endpoint"] }),
};

/** The segments of an address, which are found as a whole: `users:42` has `users` and `42`. */
export const segmentsOf = (address: string): string[] => address.split(":");

function transactionDocument(object: ApiObject): SearchDocument {
  const list = object.postings;
  const postings = Array.isArray(list) ? (list as readonly ApiObject[]) : [];
  const at = (name: string): string[] => [
    ...new Set(postings.flatMap((posting) => textsAt(posting, name))),
  ];
  const [source, destination] = [at("source"), at("destination")];
  const address = [...new Set([...source, ...destination])];
  return {
    values: {
      id: textsAt(object, "id"),
      reference: textsAt(object, "reference"),
      source,
      destination,
      address,
      asset: at("asset"),
      amount: at("amount"),
      others: [...new Set(address.flatMap(segmentsOf))],
    },
    texts: [],
    metadata: metadataOf(object),
  };
}

function reader(members: Members): Reader {
  const { status, asset, amounts = [], source, destination, others = [], texts = [] } = members;
  return (object) => {
    const at = (name: string | undefined): string[] =>
      name === undefined ? [] : textsAt(object, name);
    const ends = { source: at(source), destination: at(destination) };
    return {
      values: {
        id: at("id"),
        reference: at("reference"),
        provider: at("provider"),
        status: at(status),
        asset: at(asset),
        amount: amounts.flatMap(at),
        ...ends,
        address: [...ends.source, ...ends.destination],
        others: others.flatMap(at),
      },
      texts: texts.flatMap(at),
      metadata: metadataOf(object),
    };
  };
}

/** The values of a member as texts; none for a member that is absent or empty. */
function textsAt(object: ApiObject, name: string): string[] {
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  return (Array.isArray(value) ? value : [value]).flatMap((item) =>
    typeof item === "number" ||
    typeof item === "bigint" ||
    (typeof item === "string" && item !== "")
      ? [`${item}`]
      : [],
  );
}

function memberOf(object: ApiObject, name: string): ApiObject {
  const value = object[name];
  return typeof value === "object" && value !== null ? (value as ApiObject) : {};
}

const metadataOf = (object: ApiObject): Record<string, string> =>
  Object.fromEntries(
    Object.entries(memberOf(object, "metadata")).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    ),
  );
