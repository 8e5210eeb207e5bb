import { Command, type OrderCommand, type SendCommand } from '@sdd/contract/fleet/device-protocol.ts'
import type { LinkedDevice } from '@sdd/contract/fleet/devices.ts'
import { type Clock, isoNow } from '#agent/clock.ts'
import type { DeviceLedger } from '#agent/ledger/ledger.ts'
import type { Say } from '#agent/say.ts'
import type { DiskRetry } from './disk-retry.ts'

type CommandNeeds = {
  acks: LinkedDevice['acks']
  ledger: Pick<DeviceLedger, 'commands' | 'outbox'>
  diskRetry: DiskRetry
  clock: Pick<Clock, 'now'>
  say: Say
  /** There is something new for the radio or for the server. */
  kept: () => void
  networks: () => void
  /** Obeys an order, and publishes its answer. It is not kept: the server never repeats one. */
  order: (command: OrderCommand) => void
  /** While the agent stops it accepts nothing more to send; the server keeps it. */
  stopping: () => boolean
}

/**
 * Obeys the server's commands. Returns true if the command may be acknowledged: its effect is on disk, or a repetition
 * would not help.
 */
export function takeCommands(needs: CommandNeeds): (payload: Buffer) => boolean {
  const { acks, ledger, diskRetry, clock, say, kept, networks, order, stopping } = needs

  function send(command: SendCommand): boolean {
    if (stopping()) return false
    const seen = diskRetry.attempt(() => ledger.commands.see(command, isoNow(clock)))
    if (seen === undefined) return false
    if (seen === 'forbidden') say(`${command.guid} was cancelled before its command arrived: not sent`)
    kept()
    return true
  }

  function cancel(guid: string): boolean {
    const done = diskRetry.attempt(() => ledger.commands.cancel(guid, isoNow(clock)))
    if (done === undefined) return false
    if (done === 'cancelled') say(`${guid} was cancelled before it was sent`)
    kept()
    return true
  }

  return (payload) => {
    const command = parse(payload)
    switch (command?.type) {
      case 'send':
        return send(command)
      case 'cancel':
        return cancel(command.guid)
      case 'networks':
        networks()
        return true
      case 'order':
        if (!stopping()) order(command)
        return true
      case 'ack':
        if (acks === 'command') diskRetry.attempt(() => ledger.outbox.committedReport(command))
        return true
      case 'ack_inbox':
        if (acks === 'command') diskRetry.attempt(() => ledger.outbox.committedSms(command.id))
        return true
      case undefined:
        say('The server sent an unknown command: update this agent')
        return true
    }
  }
}

function parse(payload: Buffer): Command | undefined {
  try {
    return Command.parse(JSON.parse(payload.toString()))
  } catch {
    return undefined
  }
}
