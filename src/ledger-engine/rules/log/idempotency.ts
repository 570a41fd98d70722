import {
  canonicalMap,
  canonicalMetadata,
  canonicalText,
  compareBytes,
} from "#ledger-engine/rules/canonical.ts";
import { REVERTS_KEY, withoutKey } from "#ledger-engine/rules/metadata.ts";
import { toInsertionText } from "#ledger-engine/rules/schemas/ledger-schema.ts";
import {
  type Command,
  type CreateTransaction,
  type LogData,
  type LogEntry,
  type Posting,
  type RunScript,
  type Script,
  WORLD,
} from "#ledger-engine/rules/types.ts";
import { formatTimestamp, type Timestamp, ZERO_TIMESTAMP } from "#platform/time.ts";

/**
 * The text over which an idempotency hash is computed (SHA-256, base64url with padding): the command's inputs in the form
 * of Formance Ledger v2, so that the keys of an imported log remain valid. Postings are hashed as an equivalent script.
 */
export function toIdempotencyText(command: Command): string {
  return `${inputText(command)}\n`;
}

/**
 * Whether the text of a command without a key can be derived from its log entry. The entry does not contain inputs that
 * make no difference to it, such as `force`.
 */
export function isDerivable(command: Command, now: Timestamp): boolean {
  switch (command.kind) {
    case "createTransaction":
      return (
        !command.force &&
        command.runtime === undefined &&
        command.timestamp !== now &&
        !isEmpty(command.accountMetadata)
      );
    case "runScript":
      return false;
    case "revertTransaction":
      return (
        !command.force &&
        !command.atEffectiveDate &&
        !isEmpty(command.metadata) &&
        !Object.hasOwn(command.metadata ?? {}, REVERTS_KEY)
      );
    case "setMetadata":
    case "deleteMetadata":
    case "insertSchema":
      return true;
  }
}

/**
 * The text of a command that leads to an entry without a key. It is the text of the original command if `isDerivable` was
 * true for the command.
 */
export function toDerivedText({ data, date }: Pick<LogEntry, "data" | "date">): string {
  return toIdempotencyText(toDerivedCommand(data, date));
}

function toDerivedCommand(data: LogData, date: Timestamp): Command {
  switch (data.type) {
    case "NEW_TRANSACTION": {
      const { postings, metadata, timestamp, reference } = data.transaction;
      const command: { -readonly [K in keyof CreateTransaction]: CreateTransaction[K] } = {
        kind: "createTransaction",
        postings,
        metadata,
        force: false,
      };
      if (timestamp !== date) command.timestamp = timestamp;
      if (reference !== undefined) command.reference = reference;
      if (!isEmpty(data.accountMetadata)) command.accountMetadata = data.accountMetadata;
      return command;
    }
    case "REVERTED_TRANSACTION": {
      const metadata = withoutKey(data.transaction.metadata, REVERTS_KEY);
      return {
        kind: "revertTransaction",
        id: data.revertedTransaction.id,
        force: false,
        atEffectiveDate: false,
        ...(isEmpty(metadata) ? {} : { metadata }),
      };
    }
    case "SET_METADATA":
      return { kind: "setMetadata", target: data.target, metadata: data.metadata };
    case "DELETE_METADATA":
      return { kind: "deleteMetadata", target: data.target, key: data.key };
    case "INSERTED_SCHEMA":
      return { kind: "insertSchema", version: data.schema.version, text: data.schema.text };
  }
}

/** Whether an object is given but has no members. The log does not distinguish an empty object from an absent one. */
const isEmpty = (members: object | undefined): boolean =>
  members !== undefined && Object.keys(members).length === 0;

function inputText(command: Command): string {
  switch (command.kind) {
    case "createTransaction":
      return createText(command, postingsText(command));
    case "runScript":
      return createText(command, scriptText(command.script));
    case "revertTransaction": {
      const metadata =
        command.metadata === undefined ? "null" : canonicalMetadata(command.metadata);
      return `{"Force":${command.force},"AtEffectiveDate":${command.atEffectiveDate},"TransactionID":${command.id},"Metadata":${metadata}}`;
    }
    case "setMetadata":
      return `{${targetText(command)},"Metadata":${canonicalMetadata(command.metadata)}}`;
    case "deleteMetadata":
      return `{${targetText(command)},"Key":${canonicalText(command.key)}}`;
    case "insertSchema":
      return toInsertionText(command.version, command.text);
  }
}

function targetText({ target }: Extract<Command, { target: unknown }>): string {
  return target.type === "ACCOUNT"
    ? `"Address":${canonicalText(target.id)}`
    : `"TransactionID":${target.id}`;
}

/** The text of a creation. `script` has the members of the script, without braces. */
function createText(command: CreateTransaction | RunScript, script: string): string {
  const accountMetadata =
    command.accountMetadata === undefined
      ? "null"
      : canonicalMap(command.accountMetadata, canonicalMetadata);
  const metadata = command.metadata === undefined ? "null" : canonicalMetadata(command.metadata);
  const timestamp = formatTimestamp(command.timestamp ?? ZERO_TIMESTAMP);
  const reference = canonicalText(command.reference ?? "");
  return `{${script},"timestamp":"${timestamp}","metadata":${metadata},"reference":${reference},"AccountMetadata":${accountMetadata},"Runtime":"${command.runtime ?? ""}"}`;
}

const scriptText = ({ plain, template = "", variables }: Script): string =>
  [
    plain === "" ? "" : `"plain":${canonicalText(plain)},`,
    template === "" ? "" : `"template":${canonicalText(template)},`,
    `"vars":${canonicalMetadata(variables)}`,
  ].join("");

const postingsText = ({ postings, force }: CreateTransaction): string => {
  const [posting, ...others] = postings;
  return posting !== undefined && others.length === 0
    ? postingText(posting, force)
    : scriptText(toScript(postings, force));
};

/** The text of the script for a single posting, which most transactions have. Addresses and assets need no escapes. */
function postingText({ source, destination, amount, asset }: Posting, force: boolean): string {
  const accounts: Posting["source"][] = [];
  if (source !== WORLD) accounts.push(source);
  if (destination !== WORLD && destination !== source) accounts.push(destination);
  const nameOf = (address: Posting["source"]): string =>
    address === WORLD ? "@world" : `$va${accounts.indexOf(address)}`;
  const overdraft = force && source !== WORLD ? " allowing unbounded overdraft" : "";
  const plain = `vars {\\n${DECLARATIONS[accounts.length]}\\tmonetary $vm0\\n}\\nsend $vm0 (\\n\\tsource = ${nameOf(source)}${overdraft}\\n\\tdestination = ${nameOf(destination)}\\n)\\n`;
  let values = "";
  for (const [index, address] of accounts.entries()) values += `"va${index}":"${address}",`;
  return `"plain":"${plain}","vars":{${values}"vm0":"${asset} ${amount}"}`;
}

/** The declarations of 0, 1 and 2 accounts. */
const DECLARATIONS = ["", "\\taccount $va0\\n", "\\taccount $va0\\n\\taccount $va1\\n"] as const;

/** Postings as a script. Each account except `world`, and each distinct amount, becomes a variable, in order of appearance. */
export function toScript(postings: readonly Posting[], force: boolean): Script {
  const accounts = new Map<string, string>();
  const amounts = new Map<string, string>();
  const nameOf = (names: Map<string, string>, value: string, prefix: string): string => {
    const name = names.get(value) ?? `${prefix}${names.size}`;
    names.set(value, name);
    return name;
  };
  const accountOf = (address: string): string =>
    address === WORLD ? "@world" : `$${nameOf(accounts, address, "va")}`;
  const sends = postings.map(({ source, destination, amount, asset }) => {
    const from = accountOf(source);
    const to = accountOf(destination);
    const overdraft = force && source !== WORLD ? " allowing unbounded overdraft" : "";
    const money = nameOf(amounts, `${asset} ${amount}`, "vm");
    return `send $${money} (\n\tsource = ${from}${overdraft}\n\tdestination = ${to}\n)\n`;
  });
  const declarations = [
    ...[...accounts.values()].toSorted(compareBytes).map((name) => `\taccount $${name}\n`),
    ...[...amounts.values()].toSorted(compareBytes).map((name) => `\tmonetary $${name}\n`),
  ];
  const variables: Record<string, string> = {};
  for (const [value, name] of accounts) variables[name] = value;
  for (const [value, name] of amounts) variables[name] = value;
  return { plain: `vars {\n${declarations.join("")}}\n${sends.join("")}`, variables };
}
