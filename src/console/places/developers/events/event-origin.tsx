import { Link } from "@tanstack/react-router";
import { may } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Fact } from "#console/parts/base/facts.tsx";
import { developerWords } from "#console/places/developers/words.ts";

const LINK = "text-accent hover:underline";

/** The ledger of an event and its first transaction, as facts that lead there. An event of no ledger has neither. */
export function EventOrigin({ body }: { readonly body: unknown }) {
  const words = developerWords().events;
  const { ledger, transaction } = originOf(body);
  if (ledger === undefined) return null;
  if (!may("ledger:read")) {
    return (
      <Fact name={words.ledger}>
        <Foreign>{ledger}</Foreign>
      </Fact>
    );
  }
  return (
    <>
      <Fact name={words.ledger}>
        <Link to="/ledgers/$ledger" params={{ ledger }} className={LINK}>
          <Foreign>{ledger}</Foreign>
        </Link>
      </Fact>
      {transaction !== undefined && (
        <Fact name={words.transaction}>
          <Link
            to="/ledgers/$ledger/transactions/$id"
            params={{ ledger, id: transaction }}
            className={LINK}
          >
            {transaction}
          </Link>
        </Fact>
      )}
    </>
  );
}

interface Origin {
  readonly ledger: string | undefined;
  readonly transaction: string | undefined;
}

/** Reads the envelope of an event, whose `payload` is that of its type. */
function originOf(body: unknown): Origin {
  const payload = fieldOf(body, "payload");
  const ledger = fieldOf(payload, "ledger");
  const transactions = fieldOf(payload, "transactions");
  const id = fieldOf(Array.isArray(transactions) ? transactions[0] : undefined, "id");
  return {
    ledger: typeof ledger === "string" ? ledger : undefined,
    transaction: typeof id === "number" || typeof id === "bigint" ? String(id) : undefined,
  };
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name] // Every field of an object is of an unknown type.
    : undefined;
