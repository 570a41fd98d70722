import { type FastTime, toFastMs, toMachineMs } from "./fast-time.ts";

/** Constants of the build; see `buildClockWorker`. */
declare const CLOCK_START_MS: number;
declare const CLOCK_SPEED: number;
const TIME: FastTime = { startMs: CLOCK_START_MS, speed: CLOCK_SPEED };

/** The sum of all steps of the clock, in milliseconds. All objects share it, because they share the isolate. */
let offsetMs = 0;

const machineMs = Date.now;
const nowMs = (): number => toFastMs(TIME, machineMs()) + offsetMs;

// All code that is loaded after this file gets the Worker's time from `Date`.
globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [nowMs()] : args, newTarget) as Date, // The target constructs dates.
  get: (target, key, receiver) =>
    key === "now" ? nowMs : (Reflect.get(target, key, receiver) as unknown),
});

/** A wait of the machine in which the Worker's time passes by `ms`. Steps of a clock do not change timers. */
const toWaitMs = (ms = 0): number => Math.ceil(ms / CLOCK_SPEED);

const { setTimeout, setInterval } = globalThis;
const wait = scheduler.wait.bind(scheduler);
Object.assign(globalThis, {
  setTimeout: (run: () => void, ms?: number) => setTimeout(run, toWaitMs(ms)),
  setInterval: (run: () => void, ms?: number) => setInterval(run, toWaitMs(ms)),
});
Object.assign(scheduler, { wait: (ms: number) => wait(toWaitMs(ms)) });

/** Steps the clock by so many milliseconds. */
export function stepClock(byMs: number): void {
  offsetMs += byMs;
}

/**
 * Gives an object alarms in the Worker's time. As in the runtime, a step of the clock after `setAlarm` does not change how long
 * the alarm waits.
 */
function withAlarms(ctx: DurableObjectState): DurableObjectState {
  const { storage } = ctx;
  const set: typeof storage.setAlarm = storage.setAlarm.bind(storage);
  const get: typeof storage.getAlarm = storage.getAlarm.bind(storage);
  let setAtOffsetMs = offsetMs;
  storage.setAlarm = (at, options) => {
    setAtOffsetMs = offsetMs;
    return set(toMachineMs(TIME, Number(at) - offsetMs), options);
  };
  storage.getAlarm = async (options) => {
    const at = await get(options);
    return at === null ? null : toFastMs(TIME, at) + setAtOffsetMs;
  };
  return ctx;
}

type ObjectClass = new (ctx: DurableObjectState, env: Env) => object;

/** The class of objects whose alarms ring in the Worker's time. */
export const clocked = <Class extends ObjectClass>(objects: Class): Class =>
  new Proxy(objects, {
    construct: (target, [ctx, env]: ConstructorParameters<Class>, newTarget) =>
      Reflect.construct(target, [withAlarms(ctx), env], newTarget) as object,
  });
