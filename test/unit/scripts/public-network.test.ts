import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import {
  type AddressInfo,
  createServer as createSocketServer,
  type Server as SocketServer,
  type Socket,
} from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { publicNetworkHandler } from "#scripts/lib/runtime/public-network.ts";
import { StubInternet } from "#test/support/platform/outbound/stub-internet.ts";

const NAME = "hooks.example.com";
const PUBLIC = "93.184.216.34";

let internet: StubInternet;
let network: string;
let close: (() => void)[];

beforeEach(async () => {
  internet = new StubInternet();
  close = [];
  network = `http://127.0.0.1:${await listen(createServer(publicNetworkHandler(internet.ports)))}`;
});
afterEach(() => {
  for (const end of close) end();
});

async function listen(server: Server | SocketServer): Promise<number> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  close.push(() => {
    server.close();
    if ("closeAllConnections" in server) server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port; // a server that listens on a port
}

/** Starts an HTTP server; returns its port, at which names with a public address reach it. */
const serve = (listener: RequestListener): Promise<number> => listen(createServer(listener));

/** Starts a server for answers that an HTTP server would not send; returns its port. */
const serveRaw = (listener: (socket: Socket) => void): Promise<number> =>
  listen(
    createSocketServer((socket) => {
      socket.on("error", () => undefined); // the client may be gone
      listener(socket);
    }),
  );

/** Sends a call through the network's proxy as the Worker does. */
function send(url: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("florin-outbound-url", url);
  return fetch(network, { ...init, redirect: "manual", headers });
}

/** The error of a call that got no answer; undefined for a call with an answer. */
async function failureOf(url: string): Promise<string | undefined> {
  const { headers } = await send(url);
  const result = headers.get("florin-outbound-result") ?? "";
  return result === "answered" ? undefined : decodeURIComponent(result);
}

describe("a name is called", () => {
  test("a name is called at the addresses that were checked", async () => {
    const port = await serve((_request, response) => response.end("here"));
    internet.register(NAME, [PUBLIC, "2606:2800:220:1::1"]);
    const answer = await send(`http://${NAME}:${port}/in`);
    expect(await answer.text()).toBe("here");
    expect(internet.connections).toEqual([[PUBLIC, "2606:2800:220:1::1"]]);
  });

  test("a name is called at the same addresses while its connection lasts, and never at those it has later", async () => {
    let calls = 0;
    const port = await serve((_request, response) => {
      calls++;
      response.setHeader("connection", calls < 3 ? "keep-alive" : "close").end();
    });
    internet.register(NAME, [PUBLIC], ["127.0.0.1"]);
    const url = `http://${NAME}:${port}/in`;
    for (const call of [1, 2, 3]) {
      expect(await failureOf(url)).toBeUndefined();
      expect([calls, internet.lookups]).toEqual([call, [NAME]]);
    }
    expect(await failureOf(url)).toBe(`the address of ${NAME} is not public`);
    expect([calls, internet.lookups]).toEqual([3, [NAME, NAME]]);
    expect(internet.connections).toEqual([[PUBLIC]]);
  });
});

describe("a name is refused without a connection", () => {
  test.each([
    ["loopback", ["127.0.0.1"]],
    ["loopback of IPv6", ["::1"]],
    ["a private address", ["10.0.0.1"]],
    ["a private address of IPv6", ["fd00::1"]],
    ["a link-local address", ["fe80::1"]],
    ["the metadata service", ["169.254.169.254"]],
    ["the metadata service in IPv6", ["fd00:ec2::254"]],
    ["an address of a carrier's customers", ["100.64.0.1"]],
    ["this network", ["0.0.0.0"]],
    ["a mapped address", ["::ffff:127.0.0.1"]],
    ["an address of NAT64", ["64:ff9b::10.0.0.1"]],
    ["an address of 6to4", ["2002:7f00:1::"]],
    ["a public and a private address", [PUBLIC, "10.0.0.1"]],
    ["a private and a public address", ["fd00::1", PUBLIC]],
  ])("a name is refused without a connection if it has %s", async (_what, addresses) => {
    const port = await serve((_request, response) => response.end());
    internet.register(NAME, addresses);
    expect(await failureOf(`http://${NAME}:${port}/in`)).toBe(
      `the address of ${NAME} is not public`,
    );
    expect(internet.lookups).toEqual([NAME]);
    expect(internet.connections).toEqual([]);
  });

  test("a name is refused without a connection if it has no address", async () => {
    internet.register(NAME, []);
    expect(await failureOf(`http://${NAME}/`)).toBe(`${NAME} has no address`);
    expect(await failureOf("http://unknown.example.com/")).toBe(
      "unknown.example.com is not registered",
    );
    expect(internet.connections).toEqual([]);
  });
});

test("an address in the URL is judged without a lookup", async () => {
  for (const host of ["127.0.0.1", "2130706433", "[::1]", "localhost"]) {
    expect(await failureOf(`http://${host}/`)).toMatch(/^\S+ is not a public host$/);
  }
  expect(internet.lookups).toEqual([]);
});

describe("a call", () => {
  test("a call is passed on as it is, and its answer too", async () => {
    const requests: IncomingMessage[] = [];
    const port = await serve((request, response) => {
      requests.push(request);
      response.writeHead(418, { "retry-after": "7", "florin-outbound-result": "spoofed" });
      request.pipe(response);
    });
    internet.register(NAME, [PUBLIC]);
    const headers = { "formance-webhook-id": "1", "mf-custom-node-service": "0" };
    const answer = await send(`http://${NAME}:${port}/in?x=1`, {
      method: "PUT",
      headers,
      body: "{}",
    });
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([418, "7"]);
    expect(answer.headers.get("florin-outbound-result")).toBe("answered");
    expect(await answer.text()).toBe("{}");
    expect(requests).toMatchObject([{ method: "PUT", url: "/in?x=1" }]);
    expect(requests[0]?.headers).toMatchObject({
      host: `${NAME}:${port}`,
      "formance-webhook-id": "1",
      "content-length": "2",
    });
    const names = Object.keys(requests[0]?.headers ?? {});
    expect(names.filter((name) => /^(florin|mf)-/.test(name))).toEqual([]);
  });

  test("a call is not redirected", async () => {
    const paths: (string | undefined)[] = [];
    const port = await serve(({ url }, response) => {
      paths.push(url);
      response.writeHead(302, { location: "/elsewhere" }).end();
    });
    internet.register(NAME, [PUBLIC]);
    const answer = await send(`http://${NAME}:${port}/in`);
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "/elsewhere"]);
    expect(paths).toEqual(["/in"]);
  });

  test("a call of https greets the server by its name, at the address that was checked", async () => {
    const greeting = Promise.withResolvers<Buffer>();
    const port = await serveRaw((socket) => {
      socket.once("data", (data) => {
        greeting.resolve(data);
        socket.end();
      });
    });
    internet.register(NAME, [PUBLIC]);
    expect(await failureOf(`https://${NAME}:${port}/`)).toMatch(/socket disconnected|ECONNRESET/);
    expect((await greeting.promise).includes(NAME)).toBe(true);
    expect(internet.connections).toEqual([[PUBLIC]]);
  });

  test("a call that the Worker gives up ends the connection", async () => {
    const [arrived, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const port = await serve(({ socket }) => {
      socket.once("close", () => closed.resolve());
      arrived.resolve();
    });
    internet.register(NAME, [PUBLIC]);
    const controller = new AbortController();
    const answer = send(`http://${NAME}:${port}/in`, { signal: controller.signal });
    await arrived.promise;
    controller.abort();
    await expect(answer).rejects.toThrow(/abort/);
    await closed.promise;
  });
});

describe("an answer", () => {
  test("an answer without end stops when the Worker has read what it wants", async () => {
    const closed = Promise.withResolvers<void>();
    const port = await serve((_request, response) => {
      const more = (): void => {
        while (response.write(Buffer.alloc(65_536)));
      };
      response.on("drain", more).once("close", () => closed.resolve());
      more();
    });
    internet.register(NAME, [PUBLIC]);
    const { body } = await send(`http://${NAME}:${port}/in`);
    const reader = body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await expect(closed.promise).resolves.toBeUndefined();
  });

  test("an answer that breaks off breaks off for the Worker", async () => {
    const port = await serve((_request, response) => {
      response.setHeader("content-length", "10");
      response.write("abc", () => response.destroy());
    });
    internet.register(NAME, [PUBLIC]);
    const answer = await send(`http://${NAME}:${port}/in`);
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow(/terminated/);
  });

  test.each([
    ["that is no HTTP", "hello\r\n\r\n", /Parse Error/],
    ["with a status that does not exist", "HTTP/1.1 099 Odd\r\n\r\n", /099|99/],
    ["that never comes", "", /socket hang up/],
  ])("an answer %s is a failure, and the next call succeeds", async (_what, sent, message) => {
    const port = await serveRaw((socket) => socket.end(sent));
    internet.register(NAME, [PUBLIC]);
    expect(await failureOf(`http://${NAME}:${port}/in`)).toMatch(message);
    const healthy = await serve((_request, response) => response.end("well"));
    expect(await (await send(`http://${NAME}:${healthy}/`)).text()).toBe("well");
  });

  test("an answer of nobody tells which address refused", async () => {
    const port = await serveRaw(() => undefined);
    for (const end of close.splice(1)) end();
    internet.register(NAME, [PUBLIC]);
    expect(await failureOf(`http://${NAME}:${port}/in`)).toMatch(/ECONNREFUSED/);
  });
});
