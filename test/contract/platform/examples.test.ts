import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { inReadingOrder } from "#platform/document/document.ts";
import { type Exchange, parseExchanges } from "#platform/document/exchanges.ts";
import { MODULES } from "#src/modules.ts";
import { bodyOf, send } from "#test/support/platform/api.ts";
import { Story } from "#test/support/platform/examples.ts";

/**
 * The examples of the API document are a story that consists of each module's requests in their order. These tests send
 * the requests and compare the answers with those of the files. `vitest -u` updates the answers; then read the diff.
 */
const story = new Story();

/** Nobody listens at the endpoint of the webhook. */
beforeAll(() => {
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response(null));
});
// Other files share this global.
afterAll(() => vi.restoreAllMocks());

test.each(inReadingOrder(MODULES).map((module) => [module.name, module.examples] as const))(
  "the examples of %s are what the server answers",
  async (name, examples) => {
    const played: string[] = [examples.split(/^## /m)[0]?.trimEnd() ?? ""];
    for (const exchange of parseExchanges(examples)) {
      const { operationId, title } = exchange;
      const heading = title === undefined ? operationId : `${operationId}: ${title}`;
      played.push(`## ${heading}\n\n${await story.play(exchange)}`);
    }
    const file = `../../../src/modules/${name}/http/examples.md`;
    await expect(`${played.join("\n\n")}\n`).toMatchFileSnapshot(file);
  },
);

describe("the document", () => {
  let operations: (Operation & { method: string })[];
  let exchanges: readonly Exchange[];

  beforeAll(async () => {
    const { paths } = (await bodyOf(await send("/openapi.json"))) as Document; // as the server makes it
    operations = Object.values(paths).flatMap((methods) =>
      Object.entries(methods).map(([method, operation]) => ({ ...operation, method })),
    );
    exchanges = MODULES.flatMap(({ examples }) => parseExchanges(examples));
  });

  test("has an example of a success for every operation", () => {
    const shown = new Set(
      exchanges.filter(({ answer }) => /^[23]/.test(answer.start)).map((item) => item.operationId),
    );
    const names = operations.map(({ operationId }) => operationId);
    expect(names.filter((name) => !shown.has(name))).toEqual([]);
  });

  // Bodies of GET requests are not needed: browsers cannot send them, and filters have a parameter as well.
  test("shows a body for every body that an operation takes or answers", () => {
    const missing = operations.flatMap(({ method, operationId, requestBody, responses }) => {
      const answers = Object.entries(responses).filter(([status]) => /^[23]/.test(status));
      const sent = method === "get" || method === "head" ? undefined : requestBody;
      return [sent, ...answers.map(([, answer]) => answer)].flatMap((message) =>
        Object.entries(message?.content ?? {}).flatMap(([contentType, { examples }]) =>
          examples === undefined ? [`${operationId} ${contentType}`] : [],
        ),
      );
    });
    expect(missing).toEqual([]);
  });

  test("declares the status of every example", () => {
    const declared = new Map(
      operations.map(({ operationId, responses }) => [operationId, Object.keys(responses)]),
    );
    const wrong = exchanges.filter(
      ({ operationId, answer }) => declared.get(operationId)?.includes(answer.start) !== true,
    );
    expect(wrong).toEqual([]);
  });
});

interface Operation {
  readonly operationId: string;
  readonly requestBody?: Message;
  readonly responses: Readonly<Record<string, Message>>;
}
interface Message {
  readonly content?: Readonly<Record<string, { readonly examples?: object }>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}
