/**
 * IP addresses as limits count them: one sender is an IPv4 address or the first half of an IPv6 address, because one household or machine
 * has the whole network of 64 bits.
 *
 *     203.0.113.7            203.0.113.7
 *     ::ffff:203.0.113.7     203.0.113.7
 *     2001:db8:1:2:3::7      2001:db8:1:2::/64
 */

/** The bytes of an address, 4 or 16; undefined if the text is no address. An IPv4 address that is mapped into IPv6 has 4 bytes. */
export function parseAddress(text: string): Uint8Array | undefined {
  if (!text.includes(":")) return parseIpv4(text);
  const bytes = parseIpv6(text);
  if (bytes === undefined) return undefined;
  const isMapped = bytes.subarray(0, 10).every((byte) => byte === 0);
  return isMapped && bytes[10] === 0xff && bytes[11] === 0xff ? bytes.slice(12) : bytes;
}

/** The sender that has an address, as limits count senders: an IPv4 address, or a network of IPv6. Undefined if the text is no address. */
export function senderOf(text: string): string | undefined {
  const bytes = parseAddress(text);
  if (bytes === undefined) return undefined;
  if (bytes.length === 4) return bytes.join(".");
  const groups = [0, 2, 4, 6].map((at) =>
    (((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)).toString(16),
  );
  return `${groups.join(":")}::/64`;
}

/** A network: all addresses whose first `bits` bits are those of `bytes`. */
export interface Network {
  readonly bytes: Uint8Array;
  readonly bits: number;
}

/**
 * Parses an address, or a network such as `10.0.0.0/8`; undefined if the text is neither. A single address is a network of one address.
 * Bits after the network's length count for nothing: `10.1.2.3/8` is `10.0.0.0/8`. The length of an IPv4 address that is mapped into IPv6
 * counts the 32 bits of IPv4.
 */
export function parseNetwork(text: string): Network | undefined {
  const [address = "", length, ...rest] = text.split("/");
  const bytes = parseAddress(address);
  if (bytes === undefined || rest.length > 0) return undefined;
  const most = bytes.length * 8;
  if (length === undefined) return { bytes, bits: most };
  return /^\d{1,3}$/.test(length) && Number(length) <= most
    ? { bytes, bits: Number(length) }
    : undefined;
}

/** Whether an address is in a network. False for a text that is no address, and for an address of the other version of IP. */
export function isInNetwork(address: string, { bytes, bits }: Network): boolean {
  const own = parseAddress(address);
  if (own === undefined || own.length !== bytes.length) return false;
  return own.every((byte, at) => {
    const kept = Math.min(8, Math.max(0, bits - at * 8));
    const mask = (0xff << (8 - kept)) & 0xff;
    return (byte & mask) === ((bytes[at] ?? 0) & mask);
  });
}

/**
 * The address of the client that has sent a request through proxies, as it is written. `peer` is the address of the socket's other end. Each
 * proxy appends the address of its caller to `X-Forwarded-For`. The client's address is the rightmost one that is not a trusted proxy's;
 * addresses further left are claims of the client. An item that is no address ends the search, so that the last proxy counts as the client;
 * so does the first address if all are those of trusted proxies.
 */
export function clientAddressOf(
  peer: string,
  {
    forwardedFor,
    trusted,
  }: { readonly forwardedFor: string | null; readonly trusted: readonly Network[] },
): string {
  const isTrusted = (address: string): boolean => trusted.some((net) => isInNetwork(address, net));
  if (!isTrusted(peer)) return peer;
  let client = peer;
  for (const item of (forwardedFor ?? "").split(",").toReversed()) {
    const address = item.trim();
    if (parseAddress(address) === undefined) return client;
    client = address;
    if (!isTrusted(address)) return client;
  }
  return client;
}

function parseIpv4(text: string): Uint8Array | undefined {
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(text)) return undefined;
  const parts = text.split(".").map(Number);
  return parts.every((part) => part <= 255) ? Uint8Array.from(parts) : undefined;
}

function parseIpv6(text: string): Uint8Array | undefined {
  const [head = "", tail, ...others] = text.split("::");
  const isShortened = tail !== undefined;
  // Only the end of an address may be written as an IPv4 address.
  if (others.length > 0 || (isShortened && head.includes("."))) return undefined;
  const [left, right] = [toBytes(head), toBytes(tail ?? "")];
  if (left === undefined || right === undefined) return undefined;
  const missing = 16 - left.length - right.length;
  if (isShortened ? missing < 2 : missing !== 0) return undefined;
  return Uint8Array.from([...left, ...Array.from({ length: missing }, () => 0), ...right]);
}

/** The bytes of groups with colons between them. The last group may be written as an IPv4 address. */
function toBytes(text: string): number[] | undefined {
  if (text === "") return [];
  const bytes: number[] = [];
  const groups = text.split(":");
  for (const [at, group] of groups.entries()) {
    const ipv4 = at === groups.length - 1 ? parseIpv4(group) : undefined;
    if (ipv4 !== undefined) bytes.push(...ipv4);
    else if (/^[0-9a-f]{1,4}$/i.test(group)) {
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 0xff);
    } else return undefined;
  }
  return bytes;
}
