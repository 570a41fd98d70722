import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface Delivery {
  /** The header `formance-webhook-id`, which is equal in all attempts of a delivery. */
  readonly id: string;
  readonly body: string;
  readonly isSigned: boolean;
}

/** Receives webhooks on loopback, checks their signatures and keeps them. */
export class WebhookReceiver {
  readonly deliveries: Delivery[] = [];
  readonly #server: Server;
  #secret = "";

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<WebhookReceiver> {
    const server = createServer();
    const receiver = new WebhookReceiver(server);
    server.on("request", (request, response) => {
      receiver.#take(request).then(
        () => response.writeHead(204).end(),
        () => response.writeHead(400).end(),
      );
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return receiver;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo; // The server listens on TCP.
    return `http://127.0.0.1:${port}/webhooks`;
  }

  /** Sets the secret that the server signs with. */
  expectSecret(secret: string): void {
    this.#secret = secret;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  async #take(request: IncomingMessage): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer); // Chunks are buffers, because no encoding is set.
    const body = Buffer.concat(chunks).toString();
    const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) =>
      String(request.headers[`formance-webhook-${name}`]),
    ) as [string, string, string]; // The list has a value for each name.
    const isSigned = isSignedWith(this.#secret, { id, timestamp, body, signatures });
    this.deliveries.push({ id, body, isSigned });
  }
}

export interface SignedMessage {
  readonly id: string;
  readonly timestamp: string;
  readonly body: string;
  /** Pairs of version and signature, separated by spaces. */
  readonly signatures: string;
}

/** Whether one of the signatures is valid. The key is the text of the secret, not the bytes that the text encodes. */
export function isSignedWith(secret: string, message: SignedMessage): boolean {
  const { id, timestamp, body, signatures } = message;
  const expected = createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest();
  return signatures.split(" ").some((signature) => {
    const [version, text = ""] = signature.split(",");
    const given = Buffer.from(text, "base64");
    return version === "v1" && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
