import { BATCHING, readBatching } from "./batching.ts";
import { readBinding } from "./bindings.ts";
import { ConfigError } from "./config.ts";
import { type Driver } from "./driver.ts";
import { assertKnown, textField } from "./fields.ts";
import { fieldsOf, type LogItem, withLedger } from "./log-page.ts";

/** Longest prefix of keys, in characters. A key has at most 1024 bytes. */
const PREFIX_LENGTH_MAX = 200;
/** Digits of the largest id. Ids in keys have so many, so that keys sort as ids do. */
const ID_DIGITS = 16;

/**
 * Writes each batch to an R2 bucket as newline-delimited JSON: an object `<prefix><ledger>/<first id>-<last id>-<date>.ndjson`, with the
 * date of the batch's first entry. A batch that is sent again overwrites itself. It overwrites no batch of another size, which a changed
 * config and a reset bring about, and no batch of a purged ledger of the same name, whose date differs.
 */
export const r2Driver: Driver = {
  name: "r2",
  open(config, context) {
    const bucket = readBinding(config, context, { kind: "R2 bucket", isOfKind: isBucket });
    const prefix = textField(config, "prefix") ?? "";
    if (prefix.length > PREFIX_LENGTH_MAX) {
      throw new ConfigError("prefix", `prefix is longer than ${PREFIX_LENGTH_MAX} characters`);
    }
    const batching = readBatching(config);
    assertKnown(config, ["binding", "prefix", BATCHING]);
    return {
      batching,
      async send(ledger, entries) {
        const [first, last] = [entries[0], entries.at(-1)];
        if (first === undefined || last === undefined) return undefined;
        const date = fieldsOf(first).date.replaceAll(/[-:]/g, "");
        const key = `${prefix}${ledger}/${toDigits(first)}-${toDigits(last)}-${date}.ndjson`;
        const text = entries.map((entry) => `${withLedger(entry, ledger)}\n`).join("");
        await bucket.put(key, text, { httpMetadata: { contentType: "application/x-ndjson" } });
        return undefined;
      },
    };
  },
};

const toDigits = ({ id }: LogItem): string => String(id).padStart(ID_DIGITS, "0");

type Bucket = Pick<R2Bucket, "put">;

const isBucket = (binding: object): binding is Bucket =>
  "put" in binding &&
  typeof binding.put === "function" &&
  "createMultipartUpload" in binding &&
  typeof binding.createMultipartUpload === "function";
