import { z } from "zod";

/** The request for a movement, by the contract in `docs/generic-connector/openapi.yaml`. */
export const MovementRequest = z.object({
  idempotencyKey: z.string().min(1),
  amount: z
    .string()
    .regex(/^[1-9]\d*$/, "expected a positive integer as a text")
    .transform(BigInt),
  currency: z.string().regex(/^[A-Z][A-Z0-9]*(?:\/\d{1,6})?$/, "expected an asset such as USD/2"),
  sourceAccountId: z.string().min(1),
  destinationAccountId: z.string().min(1),
  description: z.string().default(""),
  metadata: z.record(z.string(), z.string()).default({}),
});
export type MovementRequest = z.output<typeof MovementRequest>;
