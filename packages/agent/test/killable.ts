import { type DeviceLedger, type Ledger, openLedger } from '#agent/ledger/ledger.ts'

/** The nth call of a ledger function such as `commands.see`, and whether to die before or after it. */
type KillPoint = { area: keyof DeviceLedger; name: string; when: 'before' | 'after'; nth: number }

/** `commands.see:after:1` */
export function readKillPoint(text: string): KillPoint {
  const [, area, name = '', when, nth] = /^(\w+)\.(\w+):(before|after):(\d+)$/.exec(text) ?? []
  return { area: area as keyof DeviceLedger, name, when: when as KillPoint['when'], nth: Number(nth) }
}

/** A ledger that kills the process at one of its calls, like a power failure. */
export function openKillableLedger(path: string, point: KillPoint): Ledger {
  const ledger = openLedger(path)
  let calls = 0

  function deadly(object: object): object {
    const work = (object as Record<string, (...args: unknown[]) => unknown>)[point.name]!
    return {
      ...object,
      [point.name](...args: unknown[]) {
        calls++
        if (calls === point.nth && point.when === 'before') process.kill(process.pid, 'SIGKILL')
        const result = work(...args)
        if (calls === point.nth) process.kill(process.pid, 'SIGKILL')
        return result
      },
    }
  }

  return {
    ...ledger,
    device(uid) {
      const device = ledger.device(uid)
      return { ...device, [point.area]: deadly(device[point.area]) }
    },
  }
}
