import { encodeSubmit } from '@sdd/sms/pdu-submit.ts'
import { isRegistered, type Machine } from './machine.ts'
import type { Air } from './network.ts'
import type { Fault } from './options.ts'

/** AT+CMGS, from the command to the network's answer, with all its faults. */
export type HandOver = {
  /** `rest` is the text after `AT+CMGS=`: the octets of the TPDU, or a number if the modem is in text mode. */
  begin: (rest: string) => void
  /** Input after the prompt. */
  type: (byte: number) => void
  /** Whether it waits for a PDU, so that input is not a command. */
  typing: () => boolean
  /** Between Ctrl-Z and the answer. */
  sending: () => boolean
  /** The modem restarts. */
  forget: () => void
}

const CTRL_Z = 0x1a
const ESC = 0x1b

export function openHandOver(
  machine: Machine,
  air: Air,
  reply: (lines: string[], end?: string) => void,
): HandOver {
  const { dialect, network, chance, clock } = machine
  let state: 'idle' | 'asked' | 'typing' | 'sending' = 'idle'
  let fault: Fault | undefined
  let expected = 0
  let to = ''
  let typed = ''
  let ready_at = 0
  let typed_at = 0

  function begin(rest: string): void {
    const nth = ++machine.handed_over
    fault = machine.options.faults?.(nth) ?? byChance()
    expected = Number(rest)
    to = rest
    typed = ''
    if (!machine.sim.present) return reply([], '+CMS ERROR: 310')
    if (!machine.unlocked) return reply([], '+CMS ERROR: 311')
    if (fault?.kind === 'refused_at_once') return reply([], fault.says)
    state = 'asked'
    if (fault?.kind === 'no_prompt') return
    sayUnsolicited()
    machine.later(fault?.kind === 'late_prompt' ? fault.after_ms : 20, prompt)
  }

  function prompt(): void {
    // ESC arrived first.
    if (state !== 'asked') return
    if (fault?.kind === 'error_at_prompt') {
      state = 'idle'
      machine.put(`${dialect.line_end}${dialect.prompt}`)
      return reply([], 'ERROR')
    }
    state = 'typing'
    ready_at = clock.uptime() + dialect.settle_ms
    machine.put(`${dialect.line_end}${dialect.prompt}`)
    sayUnsolicited()
    if (fault?.kind === 'restart' && fault.at === 'prompt') machine.restart()
    if (fault?.kind === 'unplugged' && fault.at === 'prompt') machine.unplug()
  }

  function type(byte: number): void {
    const now = clock.uptime()
    if (byte === ESC) {
      state = 'idle'
      return reply([])
    }
    if (state !== 'typing' || now < ready_at) return
    if (byte !== CTRL_Z) {
      typed += String.fromCharCode(byte)
      typed_at = now
    } else if (typed === '' || now >= typed_at + dialect.settle_ms) end()
  }

  function end(): void {
    state = 'sending'
    const pdu = typed.replaceAll(/\s/g, '').toUpperCase()
    if (machine.settings.cmgf === 1) return finish(() => sendText(pdu), chance.within(network.send_ms))
    if (!isWhole(pdu)) return finish(() => reply([], '+CMS ERROR: 304'), 20)
    if (machine.sim.smsc === null && pdu.startsWith('00'))
      return finish(() => reply([], '+CMS ERROR: 330'), 20)
    finish(() => answer(pdu), chance.within(network.send_ms))
  }

  function isWhole(pdu: string): boolean {
    return /^([0-9A-F]{2}){8,}$/.test(pdu) && pdu.length / 2 - smscOctets(pdu) === expected
  }

  function answer(pdu: string): void {
    if (!isRegistered(machine)) return reply([], '+CMS ERROR: 331')
    const goesOut = !fault || !('on_air' in fault) || fault.on_air
    const reference = goesOut ? air.send(pdu, nextReference()).reference : 0
    if (fault?.kind === 'answer') {
      const { says, after_ms = 0 } = fault
      return finish(() => reply([], says), after_ms)
    }
    if (fault?.kind === 'silence') return
    if (fault?.kind === 'restart') return machine.restart()
    if (fault?.kind === 'unplugged') return machine.unplug()
    sayUnsolicited()
    if (fault?.kind === 'no_reference') return reply([])
    if (fault?.kind === 'wrong_reference') return reply([`+CMGS: ${(reference + 100) & 0xff}`])
    const result = `+CMGS: ${reference}`
    if (fault?.kind === 'no_ok') return machine.put(`${dialect.line_end}${result}${dialect.line_end}`)
    if (fault?.kind !== 'unsolicited') return reply([result])
    machine.put(`${dialect.line_end}${result}${dialect.line_end}`)
    sayUnsolicited()
    reply([])
  }

  /** In text mode a PDU is sent as a text: an unwanted SMS. */
  function sendText(text: string): void {
    const [part] = encodeSubmit({ to: to.replaceAll('"', ''), text, reference: 0, report: false })
    reply([`+CMGS: ${air.send(part!.pdu, nextReference()).reference}`])
  }

  /** Runs `then` after a delay, and ends the exchange. */
  function finish(then: () => void, after_ms: number): void {
    state = 'sending'
    machine.later(after_ms, () => {
      state = 'idle'
      then()
    })
  }

  function nextReference(): number {
    machine.reference = (machine.reference + 1) & 0xff
    return machine.reference
  }

  function sayUnsolicited(): void {
    if (fault?.kind === 'unsolicited') for (const line of fault.lines) machine.say(line)
  }

  function byChance(): Fault | undefined {
    for (const [fault, probability] of machine.options.chances ?? [])
      if (chance.next() < probability) return fault
    return undefined
  }

  return {
    begin,
    type,
    typing: () => state === 'asked' || state === 'typing',
    sending: () => state === 'sending',
    forget: () => void (state = 'idle'),
  }
}

/** The length of the SMSC part in octets, including its length octet. */
function smscOctets(pdu: string): number {
  return 1 + Number.parseInt(pdu.slice(0, 2), 16)
}
