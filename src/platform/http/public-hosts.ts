import { parseAddress } from "#platform/admission/addresses.ts";

/**
 * Decides which hosts and addresses are on the public internet. All others belong to networks that a caller from outside must not reach:
 * the machine itself, its local network, or the services of a cloud for its machines.
 */

/**
 * Whether a host, as the URL parser writes it, may be on the internet. A public name can still have a private address: where names are
 * looked up, `isPublicAddress` decides on the addresses. The parser has turned every notation of an IPv4
 * address (decimal, octal, hexadecimal, shortened, full-width digits) into four decimal numbers.
 */
export function isPublicHost(hostname: string): boolean {
  if (hostname.startsWith("[")) return isPublicIpv6(hostname.slice(1, -1));
  const address = parseIpv4(hostname);
  return address === undefined ? isPublicName(hostname) : isPublicIpv4(address);
}

/** Whether an IP address, as a lookup of a name finds it, is one of the internet. False for a text that is no address. */
export function isPublicAddress(address: string): boolean {
  if (parseAddress(address) === undefined) return false;
  const ipv4 = parseIpv4(address);
  return ipv4 === undefined ? isPublicIpv6(address) : isPublicIpv4(ipv4);
}

/** Suffixes of names that only a private network resolves, as it does names without a dot. */
const PRIVATE_SUFFIXES = [
  ".localhost",
  ".localdomain",
  ".local",
  ".internal",
  ".intranet",
  ".private",
  ".corp",
  ".home",
  ".lan",
  ".home.arpa",
  ".svc", // Kubernetes resolves services under this name.
  ".consul",
  ".test",
];

/** Whether a name may be public. One dot at the end means the root. The URL parser does not recognise an IP address before two dots. */
function isPublicName(name: string): boolean {
  const relative = name.replace(/\.$/, "");
  const labels = relative.split(".");
  if (labels.length < 2 || labels.includes("")) return false;
  return !PRIVATE_SUFFIXES.some((suffix) => relative.endsWith(suffix));
}

/** First address and prefix length of the IPv4 blocks that are private, local, reserved or used for documentation. */
const PRIVATE_IPV4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["168.63.129.16", 32], // Azure's services for its machines have this address, which looks public.
  ["169.254.0.0", 16], // The metadata service of most clouds is in this block, too.
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];

const isPublicIpv4 = (address: number): boolean =>
  !PRIVATE_IPV4.some(([first, prefix]) => {
    const size = 2 ** (32 - prefix);
    return Math.floor(address / size) === Math.floor((parseIpv4(first) ?? 0) / size);
  });

function parseIpv4(hostname: string): number | undefined {
  if (!/^\d+\.\d+\.\d+\.\d+$/.test(hostname)) return undefined;
  return hostname.split(".").reduce((address, part) => address * 256 + Number(part), 0);
}

/**
 * Whether an IPv6 address is public. Only 2000::/3 is assigned to the internet, which excludes loopback, link-local and unique local
 * addresses, and mapped or translated IPv4 addresses. Blocks inside of 2000::/3 for IPv4 tunnels and for documentation are excluded one by
 * one.
 */
function isPublicIpv6(address: string): boolean {
  const [first = 0, second = 0] = expandIpv6(address);
  if (first >>> 13 !== 1) return false;
  if (first === 0x2001 && (second < 0x0200 || second === 0x0db8)) return false;
  return first !== 0x2002 && !(first === 0x3fff && second < 0x1000);
}

function expandIpv6(address: string): number[] {
  const [head = "", tail = ""] = address.split("::");
  const groups = (part: string): number[] =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  const [left, right] = [groups(head), groups(tail)];
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
}
