/**
 * The body of the answer to a read, and the version of the ledger to which it belongs, as one text, because a text crosses between Worker
 * and object with less work than an object, which also gets a method for its disposal:
 *
 *     0198f2ab-… 4711 ⏎ {"cursor":{"pageSize":15, …}}
 *     └── version ───┘  └─────────── body ───────────┘
 *
 * The version is the entity tag of HTTP's conditional requests (RFC 9110, section 8.8.3): bodies of the same read with the same version are
 * the same. A caller that has the body of a version names the version, and gets `NOT_MODIFIED` while the version is that of the ledger.
 */
export type VersionedBody = string;

/** The answer to a caller that has the body of the ledger's version. */
export const NOT_MODIFIED: VersionedBody = "";

/** Stands for an answer that is not kept. It has no version. */
export const NO_BODY: VersionedBody = "\n";

export const toVersionedBody = (version: string, body: string): VersionedBody =>
  `${version}\n${body}`;

/** The version, which contains no line feed. */
export const versionOf = (text: VersionedBody): string => text.slice(0, text.indexOf("\n"));

export const bodyOf = (text: VersionedBody): string => text.slice(text.indexOf("\n") + 1);

/** Most characters of the keys and answers in one cache, which take about as much memory as the rows that writes keep. */
export const CHARACTERS_MAX = 4_000_000;
