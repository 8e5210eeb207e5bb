import { decodePdu } from '@sdd/sms/pdu.ts'
import { isRegistered, type Machine } from './machine.ts'
import type { OnAir } from './options.ts'
import { type Delivered, writeStatusReport } from './pdus.ts'

/** The emulated network: it holds messages for the modem, and accepts messages from it. */
export type Air = {
  /** Sends an SMS to the modem; it waits if the modem cannot take it now. */
  deliver: (message: Delivered) => void
  /** Sends the report of a part; `status` is its TP-ST. */
  report: (part: OnAir, status: number) => void
  /** Puts a PDU on air. Its report follows automatically. */
  send: (pdu: string, reference: number) => OnAir
  /** Tries the queue again: a slot is free, or the network is back. */
  retry: () => void
  /** The modem acknowledged the direct message or report. False if there was none. */
  acknowledged: () => boolean
  /** The number of messages and reports that the network could not hand over yet. */
  waiting: () => number
}

type Item = { what: 'message' | 'report'; message: Delivered }

export function openAir(machine: Machine): Air {
  const { places, dialect, network, chance } = machine
  const queue: Item[] = []
  /** Delivered directly, but not acknowledged yet. */
  let unacknowledged: Item | undefined
  let reported_full = false

  function retry(): void {
    while (queue.length > 0 && !unacknowledged && isRegistered(machine)) {
      const item = queue[0]!
      if (!handOver(item)) return
      queue.shift()
    }
  }

  /** False if the modem cannot take it now. */
  function handOver(item: Item): boolean {
    const { what, message } = item
    const [mode, mt, , ds] = machine.settings.cnmi
    const directly = what === 'message' ? mt === 2 : ds === 1
    if (mode > 0 && directly) {
      if (machine.settings.csms === 1) awaitAcknowledgement(item)
      const head = what === 'message' ? `+CMT: ,${message.atLength}` : `+CDS: ${message.atLength}`
      machine.say(`${head}${dialect.listing === 'one_line' ? ' ' : dialect.line_end}${message.pdu}`)
      return true
    }
    if (what === 'report' && ds !== 2 && !dialect.keeps_reports) return true
    return store(item)
  }

  function store({ what, message }: Item): boolean {
    const storage = storageFor(what)
    if (storage === undefined) return false
    const kept = places.put(storage, { status: 0, ...message })
    if (!kept) {
      if (!reported_full && dialect.says_full !== null) machine.say(dialect.says_full)
      reported_full = true
      return false
    }
    reported_full = false
    const [mode, mt, , ds] = machine.settings.cnmi
    if (mode === 0) return true
    const announced = dialect.cmti_storage ?? storage
    if (what === 'report' && ds === 2) machine.say(`+CDSI: "${announced}",${kept.index}`)
    if (what === 'message' && mt === 1)
      for (let times = 0; times < dialect.cmti_times; times++)
        machine.say(`+CMTI: "${announced}",${kept.index}`)
    return true
  }

  function storageFor(what: Item['what']): string | undefined {
    if (dialect.storages.length === 0) return undefined
    if (what === 'report' && dialect.storages.includes('SR') && !dialect.keeps_reports) return 'SR'
    return machine.settings.receiving
  }

  function awaitAcknowledgement(item: Item): void {
    unacknowledged = item
    machine.clock.after(network.resend_ms, () => {
      if (unacknowledged !== item) return
      unacknowledged = undefined
      queue.unshift(item)
      retry()
    })
  }

  function report(part: OnAir, status: number): void {
    const { to, reference, at } = part
    const sent_at = Date.parse(at)
    const number = dialect.report_number(to)
    const about = { reference, to: number, sent_at, at: machine.clock.now(), status, smsc: machine.sim.smsc }
    queue.push({ what: 'report', message: writeStatusReport(about) })
    retry()
  }

  return {
    retry,
    report,
    deliver(message) {
      queue.push({ what: 'message', message })
      retry()
    },
    send(pdu, reference) {
      const sms = decodePdu(pdu)
      if (sms.type !== 'submit') throw new Error('Only a SUBMIT goes on air')
      const part: OnAir = {
        nth: machine.handed_over,
        reference,
        to: sms.number,
        text: sms.text ?? '',
        concat: sms.concat,
        report_requested: sms.reportRequested,
        pdu,
        at: new Date(machine.clock.now()).toISOString(),
      }
      machine.options.onAir?.(part)
      const status = sms.reportRequested ? network.delivery(part) : null
      if (status !== null) machine.clock.after(chance.within(network.report_ms), () => report(part, status))
      return part
    },
    acknowledged() {
      if (!unacknowledged) return false
      unacknowledged = undefined
      machine.later(0, retry)
      return true
    },
    waiting: () => queue.length + (unacknowledged ? 1 : 0),
  }
}
