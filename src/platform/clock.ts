import { type Clock, fromMillis } from "./time.ts";

/** The clock of the machine. Rules get their clock by argument. */
export const systemClock: Clock = () => fromMillis(Date.now());
