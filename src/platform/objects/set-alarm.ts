/** The part of an object's storage that sets its alarm. */
export type AlarmStorage = Pick<DurableObjectStorage, "setAlarm">;

/** The least time before an alarm rings, in milliseconds: one that tells it from now, and one for a timer that rounds down. */
const AHEAD_MS = 2;

/**
 * Sets the alarm of an object to a time in milliseconds since the epoch, and to no time before the next milliseconds: workerd takes an alarm
 * that its own handler sets to the very millisecond at which it rings for the one that has just been handled, and never rings again. Work
 * that goes on at once sets its alarm with this function.
 *
 *     ring at 100 ─► storage.setAlarm(100)  ─► alarm stored, never rung
 *     ring at 100 ─► setAlarm(storage, 100) ─► ring at 102
 */
export const setAlarm = (storage: AlarmStorage, atMs: number): Promise<void> =>
  storage.setAlarm(Math.max(atMs, Date.now() + AHEAD_MS));
