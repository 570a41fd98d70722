/** A position in the log of a ledger. */
export interface LogPosition {
  /** The entry after which the stream goes on; -1 before the first one. Larger than every id for a number beyond 2^53. */
  readonly logId: number;
  /** The tag of the ledger; undefined for a position that names none. */
  readonly tag: string | undefined;
}

const CURSOR = /^(-1|\d{1,20})(?:\.([0-9a-f]{8}))?$/;
const TAG_LENGTH = 8;

/** The end of a ledger's uuid: another ledger, which has got the name since, has another tag. */
export const tagOf = (uuid: string): string => uuid.slice(-TAG_LENGTH);

/** The id of an event: the log entry up to which the client has everything, and the ledger's tag, as in `123.9f3a1c2b`. */
export const toCursor = (logId: number, tag: string): string => `${logId}.${tag}`;

/** Parses the id of an event, or the bare id of a log entry; undefined for any other text. */
export function parseCursor(text: string): LogPosition | undefined {
  const [, id, tag] = CURSOR.exec(text) ?? [];
  return id === undefined ? undefined : { logId: Number(id), tag };
}

/** Where a stream begins, and the reason for a gap in front of it. */
export interface StreamStart {
  readonly logId: number;
  readonly gap: string | undefined;
}

/** Finds the start of a stream of a log whose last entry is `head`. Without a position, and after a gap, a stream begins now. */
export function startOf(
  position: LogPosition | undefined,
  { head, tag }: { readonly head: number; readonly tag: string },
): StreamStart {
  if (position === undefined) return { logId: head, gap: undefined };
  if (position.tag !== undefined && position.tag !== tag) {
    return {
      logId: head,
      gap: "the position is one of another ledger, which had this name before",
    };
  }
  if (position.logId > head) {
    const gap = `the log has no entry ${position.logId}; its last entry is ${head}`;
    return { logId: head, gap };
  }
  return { logId: position.logId, gap: undefined };
}
