/**
 * Which hosts and addresses are on the internet. All others are in a network that a caller from outside must not reach:
 * the machine itself, its surroundings, or the services of a cloud for its machines.
 */

/**
 * Whether a host, as the URL parser writes it, may be on the internet. The parser has turned every notation of an IPv4
 * address (decimal, octal, hexadecimal, shortened, full-width digits) into four decimal numbers.
 */
export function isPublicHost(hostname: string): boolean {
  if (hostname.startsWith("[")) return isPublicIpv6(hostname.slice(1, -1));
  const address = parseIpv4(hostname);
  return address === undefined ? isPublicName(hostname) : isPublicIpv4(address);
}

/** Whether an address, as a lookup of a name finds it, is one of the internet. */
export function isPublicAddress(address: string): boolean {
  const ipv4 = parseIpv4(address);
  return ipv4 === undefined ? isPublicIpv6(address) : isPublicIpv4(ipv4);
}

/** Names without a dot and these top-level names are resolved inside a network only. */
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
  ".svc", // services of Kubernetes
  ".consul",
  ".test",
];

/** One dot at the end means the root. With two of them the URL parser does not recognise an address before them. */
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
  ["168.63.129.16", 32], // the services of Azure for its machines, with an address that looks public
  ["169.254.0.0", 16], // the metadata service of most clouds, too
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
 * Only 2000::/3 is given out to the internet. That leaves out loopback, link-local and unique local addresses, and IPv4
 * addresses that are mapped or translated; blocks inside it that tunnel IPv4 or document are left out by name.
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
