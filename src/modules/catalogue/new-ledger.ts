import {
  assertLedgerName,
  assertMetadata,
  isBucketName,
  type LedgerInfo,
  type Metadata,
  parseFeatures,
} from "#ledger-engine";
import { AppError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import type { ObjectLocation } from "#platform/objects/location.ts";

/** The bucket of ledgers that name none. */
export const BUCKET_DEFAULT = "_default";

export interface NewLedger {
  readonly name: string;
  /** Name of the bucket; empty for the default bucket. */
  readonly bucket: string;
  readonly metadata: Metadata;
  readonly features: Readonly<Record<string, string>>;
  /** Where the platform shall make the ledger's object; by default, near the client. */
  readonly location?: ObjectLocation | undefined;
}

/** Checks the input for a new ledger, and gives the ledger an id. Throws `VALIDATION`, and `NOT_FOUND` for the name `_`. */
export function toLedgerInfo(
  { name, bucket, metadata, features: chosen }: NewLedger,
  { mayChoose }: { readonly mayChoose: boolean },
): LedgerInfo {
  const features = parseFeatures(chosen, { mayChoose });
  // `_` is the prefix of routes that belong to no ledger.
  if (name === "_") throw new AppError("NOT_FOUND", "no route for this name");
  assertLedgerName(name);
  if (bucket !== "" && !isBucketName(bucket)) {
    throw new AppError(
      "VALIDATION",
      `invalid bucket name '${bucket}': expected 1 to 63 letters, digits, '_' and '-'`,
    );
  }
  assertMetadata(metadata);
  return { uuid: newId(), name, bucket: bucket === "" ? BUCKET_DEFAULT : bucket, features };
}
