import { z } from "zod";
import { columns } from "#scripts/florin/columns.ts";
import type { Call, Noun, Outcome } from "#scripts/florin/command.ts";

const Key = z.object({
  id: z.string(),
  createdAt: z.string(),
  verifiesUntil: z.string().optional(),
});
type Key = z.output<typeof Key>;
const Keys = z.object({ data: z.array(Key) });

const PATH = "/api/florin/v1/signing-keys";

export const noun: Noun = {
  summary: "Keys that sign tokens",
  verbs: {
    list: { summary: "Lists the keys that verify tokens", run: list },
    rotate: {
      summary: "Lets a new key sign; the old one verifies until its tokens have expired",
      run: rotate,
    },
  },
};

async function list(call: Call): Promise<Outcome> {
  const api = await call.connect(["auth:read"]);
  const { data } = await api.call({ method: "GET", path: PATH, answer: Keys });
  return { data, lines: linesOf(data) };
}

async function rotate(call: Call): Promise<Outcome> {
  const api = await call.connect(["auth:write"]);
  const { data } = await api.call({ method: "POST", path: `${PATH}/rotate`, answer: Keys });
  return { data, lines: linesOf(data) };
}

const linesOf = (keys: readonly Key[]): string[] =>
  keys.length === 0
    ? ["There are no keys yet. The first token makes one."]
    : columns(
        keys.map(({ id, createdAt, verifiesUntil }) => [id, createdAt, roleOf(verifiesUntil)]),
      );

const roleOf = (verifiesUntil: string | undefined): string =>
  verifiesUntil === undefined ? "signs" : `verifies until ${verifiesUntil}`;
