/**
 * A place in a trace, by W3C Trace Context (https://www.w3.org/TR/trace-context/): the ids of the trace and of the caller's span, in lower-case
 * hexadecimal digits.
 */
export interface TraceContext {
  readonly traceId: string;
  readonly parentId: string;
  /** Whether the caller may have recorded its span. */
  readonly isSampled: boolean;
  /** The header `tracestate`, which the systems on the way add facts of their own to; empty if there is none. */
  readonly state: string;
}

/** Version, ids and flags. A later version may have further fields. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 1;
const ZEROS = /^0+$/;

/** A member of `tracestate`: a key, with the name of a tenant or without, and a value. */
const STATE_MEMBER =
  /^(?:[a-z][a-z0-9_\-*/]{0,255}|[a-z0-9][a-z0-9_\-*/]{0,240}@[a-z][a-z0-9_\-*/]{0,13})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;
const STATE_MEMBERS_MAX = 32;
/** Longest `tracestate` that is passed on, in characters: as long as every system has to pass on. */
const STATE_LENGTH_MAX = 512;

/**
 * Parses the headers `traceparent` and `tracestate` of a request; undefined for an absent or invalid `traceparent`, with which `tracestate`
 * has no meaning either. An invalid `tracestate` is dropped, and the trace goes on.
 */
export function parseTraceContext(
  traceparent: string | null,
  tracestate: string | null,
): TraceContext | undefined {
  const [, version, traceId = "", parentId = "", flags = "", rest] =
    TRACEPARENT.exec(traceparent?.trim() ?? "") ?? [];
  if (version === undefined || version === "ff") return undefined;
  if (version === "00" && rest !== undefined) return undefined;
  if (ZEROS.test(traceId) || ZEROS.test(parentId)) return undefined;
  const isSampled = (Number.parseInt(flags, 16) & SAMPLED) !== 0;
  return { traceId, parentId, isSampled, state: stateOf(tracestate ?? "") };
}

/** A valid `tracestate` as it is passed on; empty for an invalid one, and for one that is too long. */
function stateOf(text: string): string {
  const members = text
    .split(",")
    .map((member) => member.replaceAll(/^[ \t]+|[ \t]+$/g, ""))
    .filter((member) => member !== "");
  const keys = new Set(members.map((member) => member.slice(0, member.indexOf("="))));
  const isValid =
    members.length <= STATE_MEMBERS_MAX &&
    keys.size === members.length &&
    members.every((member) => STATE_MEMBER.test(member));
  const state = members.join(",");
  return isValid && state.length <= STATE_LENGTH_MAX ? state : "";
}

/** The header `traceparent`. */
export const formatTraceparent = ({ traceId, parentId, isSampled }: TraceContext): string =>
  `00-${traceId}-${parentId}-${isSampled ? "01" : "00"}`;

/** A new id of a span. */
export const newSpanId = (): string => randomHex(8);

/** A new id of a trace. */
export const newTraceId = (): string => randomHex(16);

function randomHex(bytes: number): string {
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  const text = Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return ZEROS.test(text) ? randomHex(bytes) : text;
}
