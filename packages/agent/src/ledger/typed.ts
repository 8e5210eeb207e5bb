import type { Keeper } from '#agent/driver.ts'
import type { LedgerFile } from './file.ts'
import { smsFields } from './inbox.ts'
import { sameNumber } from './numbers.ts'
import type { Outbox } from './outbox.ts'

type Listed = Parameters<Keeper['typed']>[0]

/** The SMS that people type on the device itself. */
export type Typed = {
  /** From when on the list of sent SMS must be read; `at` the first time. */
  since: (at: string) => string
  /** Stores those of the listed SMS that are new and that this agent did not send. Returns how many. */
  take: (list: Listed, at: string) => number
}

/** An SMS may enter the list later than others that were sent after it. */
const LATE_MS = 86_400_000
/** Android lists local times, which can differ from ours by hours after a change of the time zone. */
const CLOCKS_DIFFER_MS = 86_400_000

export function openTyped({ file, uid, outbox }: { file: LedgerFile; uid: string; outbox: Outbox }): Typed {
  const { db, write } = file
  const begin = db.prepare(
    'insert into typed_place (uid, began_at, at) values (?, ?, ?) on conflict do nothing',
  )
  const place = db.prepare('select began_at, at from typed_place where uid = ?')
  const move = db.prepare('update typed_place set at = ? where uid = ?')
  const see = db.prepare('insert into received (uid, id, at) values (?, ?, ?) on conflict do nothing')
  const isKnown = db.prepare('select 1 from received where uid = ? and id = ?')
  // Of all devices: two of them can be one phone.
  const commands = db.prepare('select number, text from command where sending_at between ? and ?')

  function sentByAgent(list: Listed): (sms: Listed[number]) => boolean {
    const times = list.map(({ at }) => Date.parse(at))
    const [from, to] = [Math.min(...times) - CLOCKS_DIFFER_MS, Math.max(...times) + CLOCKS_DIFFER_MS]
    const rows = commands.all(isoOf(from), isoOf(to)) as { number: string; text: string }[]
    const numbers = Map.groupBy(rows, ({ text }) => text.trimEnd())
    return ({ to, text }) =>
      numbers.get(text.trimEnd())?.some(({ number }) => sameNumber(number, to)) === true
  }

  function isNew({ id, former_id }: Listed[number], at: string): boolean {
    if (see.run(uid, id, at).changes === 0) return false
    return former_id === undefined || isKnown.get(uid, former_id) === undefined
  }

  return {
    since(at) {
      const known = place.get(uid) as { began_at: string; at: string } | undefined
      if (known) return isoOf(Math.max(Date.parse(known.began_at), Date.parse(known.at) - LATE_MS))
      write(() => begin.run(uid, at, at))
      return at
    },
    take: (list, at) =>
      write(() => {
        const isOurs = sentByAgent(list)
        const fresh = list.filter((sms) => !isOurs(sms) && isNew(sms, at))
        for (const { to, ...sms } of fresh)
          outbox.addSms({ ...smsFields(sms, at), to: to.slice(0, 64) || 'unknown' })
        move.run(at, uid)
        return fresh.length
      }),
  }
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString()
}
