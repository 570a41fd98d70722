import { describe, expect, test } from "vitest";
import { urlProblem } from "#platform/http/outbound.ts";

const check = (url: string, allowPrivateHosts = false): string | undefined =>
  urlProblem(url, { allowPrivateHosts });

const PRIVATE_HOSTS = [
  // loopback, in every notation
  "127.0.0.1",
  "127.1",
  "127.255.255.254",
  "2130706433",
  "0x7f000001",
  "0x7f.0.0.1",
  "0177.0.0.1",
  "017700000001",
  "127.0.0.1.",
  "%31%32%37.0.0.1",
  "１２７.0.0.1",
  "127。0。0。1",
  "localhost",
  "LOCALHOST",
  "localhost.",
  "api.localhost",
  "localhost.localdomain",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[::]",
  // IPv4 inside IPv6
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::ffff:10.0.0.1]",
  "[::ffff:8.8.8.8]",
  "[::127.0.0.1]",
  "[64:ff9b::10.0.0.1]",
  "[2002:7f00:1::]",
  "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
  // private, shared, link-local, metadata
  "0.0.0.0",
  "0.1.2.3",
  "0",
  "10.0.0.1",
  "10.255.255.255",
  "100.64.0.1",
  "100.100.100.200",
  "100.127.255.255",
  "169.254.169.254",
  "0xa9fea9fe",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.192",
  "192.168.1.1",
  "192.168.0x101",
  "198.18.0.1",
  "198.19.255.255",
  "[fe80::1]",
  "[fc00::1]",
  "[fd00:ec2::254]",
  "[fec0::1]",
  "metadata.google.internal",
  "metadata",
  "intranet",
  "printer.local",
  "nas.lan",
  "router.home.arpa",
  // documentation, multicast, reserved
  "192.0.2.1",
  "198.51.100.7",
  "203.0.113.9",
  "192.88.99.1",
  "224.0.0.1",
  "239.255.255.250",
  "240.0.0.1",
  "255.255.255.255",
  "[2001:db8::1]",
  "[3fff::1]",
  "[ff02::1]",
  "[100::1]",
];

const PUBLIC_HOSTS = [
  "example.com",
  "hooks.example.com.",
  "xn--bcher-kva.example",
  "bücher.example",
  "8.8.8.8",
  "1.1.1.1",
  "9.255.255.255",
  "11.0.0.1",
  "100.63.255.255",
  "100.128.0.1",
  "126.255.255.255",
  "128.0.0.1",
  "169.253.255.255",
  "169.255.0.1",
  "172.15.255.255",
  "172.32.0.1",
  "191.255.255.255",
  "192.0.1.1",
  "192.167.255.255",
  "192.169.0.1",
  "198.17.255.255",
  "198.20.0.1",
  "223.255.255.255",
  "[2606:4700:4700::1111]",
  "[2a00:1450:4001:800::200e]",
  "[2001:4860:4860::8888]",
  "localhost.example.com",
  "127.0.0.1.example.com",
  "10.example.com",
];

describe("hosts", () => {
  test.each(PRIVATE_HOSTS)("%s is refused", (host) => {
    expect(check(`http://${host}/in`)).toMatch(/is not a public host$/);
    expect(check(`https://${host}:8443/in?x=1`)).toMatch(/is not a public host$/);
  });
  test.each(PRIVATE_HOSTS)("%s is accepted where private hosts are allowed", (host) => {
    expect(check(`http://${host}/in`, true)).toBeUndefined();
  });
  test.each(PUBLIC_HOSTS)("%s is accepted", (host) => {
    expect(check(`https://${host}/in`)).toBeUndefined();
  });
});

describe("URLs", () => {
  test.each(["https://example.com", "http://example.com:8080/a/b?c=d#e", "HTTPS://EXAMPLE.COM/in"])(
    "%s is accepted",
    (url) => {
      expect(check(url)).toBeUndefined();
    },
  );
  test.each([
    "",
    "foo",
    "/path",
    "//example.com/in",
    "http:example.com",
    "http:/example.com",
    "http:///example.com",
    "http:\\\\example.com",
    "ftp://example.com",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/plain,x",
    "ws://example.com",
    " https://example.com",
    "https://example.com ",
    "https://exam\nple.com",
    "https://example.com/a b",
    "http://[::1",
    "http://%zz/",
    "http://256.256.256.256/",
    "http://example.com:99999/",
    "https://",
  ])("%j is no absolute http(s) URL", (url) => {
    expect(check(url, true)).toBe("is not an absolute http(s) URL");
  });
  test.each(["https://user@example.com", "https://user:pass@example.com", "https://:pass@x.org/"])(
    "%s is refused for its credentials",
    (url) => {
      expect(check(url, true)).toBe("must not contain credentials");
    },
  );
  test("the host after credentials or a backslash is the one that is checked", () => {
    expect(check("http://example.com\\@127.0.0.1/")).toBeUndefined();
    expect(new URL("http://example.com\\@127.0.0.1/").hostname).toBe("example.com");
  });
  test("a very long URL is refused", () => {
    expect(check(`https://example.com/${"a".repeat(2048)}`)).toMatch(/longer than 2048/);
  });
});
