import type { Report } from '@sdd/contract/fleet/device-protocol.ts'
import type { Entry } from '#agent/ledger/commands.ts'
import { type LedgerFile, openLedgerFile } from '#agent/ledger/file.ts'
import { type DeviceLedger, ledgerIn } from '#agent/ledger/ledger.ts'
import type { SendFields } from '#test/endpoint.ts'

/** An in-memory ledger with one device, and a clock that a test advances. */
export type Bench = DeviceLedger & {
  readonly file: LedgerFile
  readonly clean: () => void
  /** Free disk space in bytes. */
  room: number
  now: () => string
  pass: (ms: number) => void
  /** A sent command whose parts have these references; null for a part without one. */
  sent: (guid: string, references: (string | null)[], fields?: Partial<SendFields>) => void
  /** A command on air, with no outcome yet. */
  onAir: (guid: string, fields?: Partial<SendFields>) => Entry
  /** The items of the outbox, oldest first: `g1 sent`, `sms Hola`. */
  outgoing: () => string[]
  reports: () => Report[]
}

export function openBench(): Bench {
  let now_ms = Date.UTC(2026, 2, 1, 12)
  const bench = { room: 1e9 } as Bench
  const file = openLedgerFile(':memory:', () => bench.room)
  const ledger = ledgerIn(file)
  const device = ledger.device('d1')
  const now = (): string => new Date(now_ms).toISOString()

  function onAir(guid: string, fields: Partial<SendFields> = {}): Entry {
    const command = { type: 'send', guid, attempt: 1, to: '+34600111222', text: 'Hola', ...fields } as const
    device.commands.see(command, now())
    const entry = device.commands.next()!
    device.commands.beginSending(entry, now())
    return entry
  }

  function rows(): { kind: string; payload: { guid: string; state: string; text: string } }[] {
    return device.outbox
      .after(0, 1_000)
      .map(({ kind, payload }) => ({ kind, payload: JSON.parse(payload) as never }))
  }

  return Object.assign(bench, device, {
    file,
    now,
    onAir,
    clean: () => ledger.clean(now()),
    pass: (ms: number) => void (now_ms += ms),
    sent(guid: string, references: (string | null)[], fields?: Partial<SendFields>) {
      const entry = onAir(guid, fields)
      const of = references.length
      for (const [i, reference] of references.entries()) {
        device.commands.partSent(entry, { n: i + 1, of, reference }, now())
      }
      device.commands.end(entry, { state: 'sent', parts: of }, now())
    },
    outgoing: () =>
      rows().map(({ kind, payload }) =>
        kind === 'sms' ? `sms ${payload.text}` : `${payload.guid} ${payload.state}`,
      ),
    reports: () =>
      rows()
        .filter(({ kind }) => kind === 'report')
        .map(({ payload }) => payload as unknown as Report),
  })
}
