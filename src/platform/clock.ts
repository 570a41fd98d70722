import { type Clock, fromMillis } from "./time.ts";

/** The time of the machine. Rules get theirs by argument. */
export const systemClock: Clock = () => fromMillis(Date.now());
