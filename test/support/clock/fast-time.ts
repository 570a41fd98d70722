/** A time that equals the machine's at `startMs` and from then on passes `speed` times as fast. */
export interface FastTime {
  /** In milliseconds since the epoch. */
  readonly startMs: number;
  readonly speed: number;
}

/** The fast time at a time of the machine, both in milliseconds since the epoch. */
export const toFastMs = ({ startMs, speed }: FastTime, machineMs: number): number =>
  startMs + (machineMs - startMs) * speed;

/** The first whole millisecond of the machine at which a fast time has come. */
export const toMachineMs = ({ startMs, speed }: FastTime, fastMs: number): number =>
  Math.ceil(startMs + (fastMs - startMs) / speed);
