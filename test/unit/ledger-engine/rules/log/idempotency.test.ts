import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { toIdempotencyText, toScript } from "#ledger-engine/rules/log/idempotency.ts";
import type { Command, LogEntry } from "#ledger-engine/rules/types.ts";
import {
  at,
  create,
  deleteMetadata,
  posting,
  revert,
  setMetadata,
} from "#test/support/ledger-engine/fixtures.ts";
import { recordedLog } from "#test/support/ledger-engine/recorded.ts";

/** The hash of a command in base64url with padding, as on the wire. */
const hashOf = (command: Command): string =>
  `${createHash("sha256").update(toIdempotencyText(command)).digest("base64url")}=`;

/** Entries whose commands are unknown: entry 3 came from a script, and entry 9 is a revert at the effective date. */
const UNKNOWN_COMMANDS = new Set([3, 9]);

describe("the idempotency hash", () => {
  test.each(
    recordedLog().flatMap(({ entry, ...rest }) =>
      entry === undefined || UNKNOWN_COMMANDS.has(rest.id) ? [] : [{ ...rest, entry }],
    ),
  )(
    "the idempotency hash is the recorded hash of entry $id, $type",
    ({ entry, idempotencyHash }) => {
      expect(hashOf(commandOf(entry))).toBe(idempotencyHash);
    },
  );

  test("the idempotency hash is that of the reference's worked example", () => {
    const command = create(posting("world -> shops:42", 1500, "EUR/2"));
    expect(toIdempotencyText(command)).toBe(
      String.raw`{"plain":"vars {\n\taccount $va0\n\tmonetary $vm0\n}\nsend $vm0 (\n\tsource = @world\n\tdestination = $va0\n)\n","vars":{"va0":"shops:42","vm0":"EUR/2 1500"},"timestamp":"0001-01-01T00:00:00Z","metadata":{},"reference":"","AccountMetadata":null,"Runtime":""}` +
        "\n",
    );
    expect(hashOf(command)).toBe("Paeg0o2i3yXJgx3gz6670NULMb2kwNb8Zvikz8rAgnI=");
  });
});

describe("the hashed script of postings", () => {
  test("the hashed script names accounts and distinct amounts once, in order of appearance, and declares them by name", () => {
    const accounts = Array.from({ length: 11 }, (_, index) => `a${index}`);
    const postings = accounts.map((name, index) => posting(`world -> ${name}`, index % 2));
    const text = toIdempotencyText(create([...postings, posting("a10 -> a0", 1)]));
    expect(text).toContain(
      String.raw`vars {\n\taccount $va0\n\taccount $va1\n\taccount $va10\n\taccount $va2\n`,
    );
    expect(text).toContain(String.raw`\tmonetary $vm0\n\tmonetary $vm1\n}\n`);
    expect(text).toContain(
      String.raw`send $vm1 (\n\tsource = $va10\n\tdestination = $va0\n)\n","vars"`,
    );
    expect(text).toContain(`"va10":"a10","va2":"a2"`);
  });

  test.each(["world -> a", "a -> world", "a -> b", "a -> a", "world -> world"])(
    "the hashed script of postings is the same for the single posting %s as for that script itself",
    (path) => {
      const single = posting(path, 10n ** 20n, "BTC/8");
      for (const force of [false, true]) {
        const { kind: _kind, postings, force: _force, ...rest } = create(single, { force });
        const script = toScript(postings, force);
        expect(toIdempotencyText({ kind: "createTransaction", postings, force, ...rest })).toBe(
          toIdempotencyText({ kind: "runScript", script, ...rest }),
        );
      }
    },
  );

  test("the hashed script of postings lets sources overdraw when forced, except the world", () => {
    const text = toIdempotencyText(
      create([posting("world -> a", 1), posting("a -> b", 2)], { force: true }),
    );
    expect(text).toContain(String.raw`source = @world\n`);
    expect(text).toContain(String.raw`source = $va0 allowing unbounded overdraft\n`);
  });

  test("the hashed script of postings keeps amounts of any size exact", () => {
    const text = toIdempotencyText(create(posting("world -> a", 10n ** 40n, "BTC/8")));
    expect(text).toContain(`"vm0":"BTC/8 1${"0".repeat(40)}"`);
  });
});

describe("the hashed inputs", () => {
  const base = create(posting("world -> a", 1));
  const variants: Record<string, Command> = {
    base,
    timestamp: { ...base, timestamp: at("09:30") },
    reference: { ...base, reference: "r" },
    metadata: { ...base, metadata: { k: "v" } },
    "no account metadata": { ...base, accountMetadata: {} },
    "account metadata": { ...base, accountMetadata: { a: { k: "v" } } },
    amount: create(posting("world -> a", 2)),
    asset: create(posting("world -> a", 1, "EUR")),
    destination: create(posting("world -> b", 1)),
    revert: revert(1),
    "forced revert": revert(1, { force: true }),
    "revert of another": revert(2),
    "revert with metadata": revert(1, { metadata: {} }),
    "transaction metadata": setMetadata(1, { k: "v" }),
    "account's metadata": setMetadata("a", { k: "v" }),
    "transaction key": deleteMetadata(1, "k"),
    "account's key": deleteMetadata("a", "k"),
  };

  test("the hashed inputs differ for commands that differ in anything", () => {
    const texts = Object.values(variants).map(toIdempotencyText);
    expect(new Set(texts).size).toBe(Object.keys(variants).length);
  });

  test("the hashed inputs have null for what was not sent", () => {
    expect(toIdempotencyText(base)).toContain(`"AccountMetadata":null`);
    expect(toIdempotencyText({ ...base, accountMetadata: {} })).toContain(`"AccountMetadata":{}`);
    expect(toIdempotencyText(revert(1))).toBe(
      `{"Force":false,"AtEffectiveDate":false,"TransactionID":1,"Metadata":null}\n`,
    );
  });
});

/** The command that made a recorded entry, in which an empty `accountMetadata` was not sent. */
function commandOf({ date, data }: LogEntry): Command {
  switch (data.type) {
    case "SET_METADATA":
      return { kind: "setMetadata", target: data.target, metadata: data.metadata };
    case "DELETE_METADATA":
      return { kind: "deleteMetadata", target: data.target, key: data.key };
    case "REVERTED_TRANSACTION":
      return revert(data.revertedTransaction.id);
    case "INSERTED_SCHEMA":
      return { kind: "insertSchema", version: data.schema.version, text: data.schema.text };
    case "NEW_TRANSACTION": {
      const { postings, metadata, timestamp, reference } = data.transaction;
      const { accountMetadata } = data;
      return create(postings, {
        metadata,
        ...(timestamp === date ? {} : { timestamp }),
        ...(reference === undefined ? {} : { reference }),
        ...(Object.keys(accountMetadata).length > 0 ? { accountMetadata } : {}),
      });
    }
  }
}
