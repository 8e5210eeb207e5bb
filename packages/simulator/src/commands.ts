import {
  type Answer,
  Command,
  deviceCommands,
  type OrderCommand,
  type Report,
  type SendCommand,
} from '@sdd/contract/fleet/device-protocol.ts'
import type { LinkedDevice } from '@sdd/contract/fleet/devices.ts'
import { topicOf } from '@sdd/contract/core/topic.ts'
import type { Publish } from '@sdd/mqtt/codec/publish.ts'
import { readText } from '@sdd/mqtt/codec/text.ts'
import type { Ledger } from '#simulator/ledger.ts'
import type { Outbox } from '#simulator/outbox.ts'
import { cancelled, type Radio } from '#simulator/radio.ts'
import type { Stats } from '#simulator/stats.ts'
import type { DeviceWatch } from '#simulator/watch.ts'

export type CommandNeeds = {
  uid: string
  acks: LinkedDevice['acks']
  ledger: Ledger
  watch: DeviceWatch
  outbox: Outbox
  radio: Radio
  stats: Stats
  report: (report: Omit<Report, 'at'>) => Promise<void>
  publishNetworks: () => void
  /** Publishes the answer to an order. */
  answer: (answer: Answer) => void
  /** The device has crashed or stopped, so pending work is dropped. */
  over: () => boolean
  /** A fault: this command's PUBACK is not sent. */
  forgetsPuback: () => boolean
}

/** Serves the commands of one device. A command is acknowledged once the ledger has it. */
export function serveCommands(needs: CommandNeeds) {
  const { uid, acks, ledger, watch, outbox, radio, stats, report, publishNetworks, over } = needs
  const commands = topicOf(deviceCommands, { uid })

  async function send(command: SendCommand, puback: () => void): Promise<void> {
    const { guid, attempt } = command
    const known = ledger.find(uid, guid, attempt)
    watch.send(command, known)
    if (known) {
      stats.repeated++
      return repeat(known, puback)
    }
    stats.commands++
    const item = await ledger.see(uid, command, new Date())
    puback()
    if (over()) return
    outbox.add(item)
    radio.take(ledger.find(uid, guid, attempt)!)
  }

  /** Obeys an order as a device does that has all abilities. It needs no ledger, since an order is never repeated. */
  function obey({ order, what, with: details, expires_at }: OrderCommand): void {
    if (Date.parse(expires_at) <= Date.now()) return
    needs.answer({ order, ok: true, output: outputOf(what, details) })
  }

  /** Too late once the radio has begun: then the latest report is repeated. */
  async function cancel(guid: string, puback: () => void): Promise<void> {
    stats.cancels++
    const latest = ledger.attempts(guid).findLast((entry) => entry.uid === uid)
    if (latest && (latest.sending || latest.report.state !== 'accepted')) return repeat(latest, puback)
    if (!latest) await ledger.forbid(uid, guid)
    await report(cancelled(guid, latest?.attempt ?? 1))
    puback()
  }

  async function repeat(reported: { report: Report }, puback: () => void): Promise<void> {
    await ledger.written()
    puback()
    if (!over()) outbox.repeat(reported.report)
  }

  return function serve({ topic, qos, retain, payload, packet_id }: Publish, ack: (id: number) => void) {
    watch.packet({ topic, qos, retain }, commands)
    const puback = () => {
      if (packet_id && !over() && !needs.forgetsPuback()) ack(packet_id)
    }
    const text = readText(payload)
    const command = commandOf(text)
    if (command?.type === 'send') return void send(command, puback)
    if (command?.type === 'cancel') return void cancel(command.guid, puback)
    if (command?.type === 'networks') publishNetworks()
    else if (command?.type === 'order') obey(command)
    else if (command?.type === 'ack' && acks === 'command') outbox.committed(command)
    else if (command?.type === 'ack_inbox' && acks === 'command') outbox.committedSms(command.id)
    else if (command) watch.unexpectedAck()
    else watch.malformed(text.slice(0, 200))
    puback()
  }
}

function outputOf(what: OrderCommand['what'], details: OrderCommand['with']): string {
  switch (what) {
    case 'ussd':
      return `Su saldo es de 12,50 EUR. Válido hasta el 31/12. (${String(details?.['code'])})`
    case 'restart_radio':
      return 'The radio was restarted and is registered again.'
    case 'doctor':
      return [
        'good the SIM is ready',
        'good registered at home',
        'note the signal is weak',
        '  Try another place or antenna: messages go out more slowly.',
      ].join('\n')
    case 'logs':
      return 'The simulator keeps no log.'
    case 'configure':
      return `Set ${Object.keys((details?.['settings'] as object | undefined) ?? {}).join(', ') || 'nothing'}.`
  }
}

function commandOf(payload: string): Command | undefined {
  try {
    return Command.safeParse(JSON.parse(payload)).data
  } catch {
    return undefined
  }
}
