import { type Breach, type Expectations, openBreachList } from '#simulator/breaches.ts'
import type { Entry } from '#simulator/ledger-index.ts'
import type { Ledger } from '#simulator/ledger.ts'
import { type DeviceWatch, dayOf, type Handed, openWatch, tookAir } from '#simulator/watch.ts'

export type Checks = {
  /** Sets the expectations from now on, for one device or for all. */
  expect: (expectations: Partial<Expectations>, uid?: string) => void
  /** The checks of one device, over all its restarts in this process. */
  watch: (uid: string, numbers: readonly string[]) => DeviceWatch
  /** The first thousand; `count` counts all. */
  breaches: () => Breach[]
  count: () => number
}

type ChecksNeeds = {
  ledger: Pick<Ledger, 'attempts' | 'entries' | 'outbox'>
  now?: () => number
}

/**
 * Checks rules 1 to 7 of the device protocol as far as devices can see them. All devices of the ledger must belong to
 * one company, so that a guid is one message. Entries of earlier runs count too.
 */
export function openChecks({ ledger, now = Date.now }: ChecksNeeds): Checks {
  const breaches = openBreachList()
  const expected: Partial<Expectations> = {}
  const expectedOf = new Map<string, Partial<Expectations>>()
  const restarted = !ledger.entries().next().done
  const remembered = Map.groupBy(ledger.entries().filter(counts(dayOf(now()))), ({ uid }) => uid)

  return {
    expect(expectations, uid) {
      Object.assign(
        uid === undefined ? expected : expectedOf.getOrInsertComputed(uid, () => ({})),
        expectations,
      )
    },
    watch: (uid, numbers) =>
      openWatch({
        uid,
        numbers,
        ledger,
        now,
        handed: (remembered.get(uid) ?? []).map(handedOf),
        restarted,
        expected: () => ({ ...expected, ...expectedOf.get(uid) }),
        breach: (finding) => breaches.add({ uid, ...finding }, now()),
      }),
    breaches: breaches.list,
    count: breaches.count,
  }
}

/** Whether an entry of an earlier run still counts: as unfinished, or for the daily limit. */
function counts(today: number): (entry: Entry) => boolean {
  return ({ seen_at, report }) => report.state === 'accepted' || (dayOf(seen_at) === today && tookAir(report))
}

function handedOf({ guid, attempt, parts, seen_at, report }: Entry): Handed {
  return {
    guid,
    attempt,
    parts,
    day: dayOf(seen_at),
    unfinished: report.state === 'accepted',
    received_at: seen_at,
    connection: 0,
    acknowledged_at: undefined,
  }
}
