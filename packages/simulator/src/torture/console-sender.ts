import { setTimeout as sleep } from 'node:timers/promises'
import { CallFault, openClient } from '@sdd/contract/core/client.ts'
import { sendSms } from '@sdd/contract/messages/messages.ts'
import { openRandom } from '#simulator/random.ts'

/** One SMS as a person at the console sends it: its text is its own, as nothing else names it before the answer. */
export type Sent = {
  readonly text: string
  readonly to_number: string
  /** The device that was asked last. */
  device_uid: string
  /** As answered with 200: it must be there. */
  guid: string | undefined
  /** A request for it had no answer: nobody knows whether it is there, and no person would press again. */
  unanswered: boolean
}

export type ConsoleSender = {
  readonly sent: readonly Sent[]
  /** What was answered otherwise than it may be. */
  readonly surprises: readonly string[]
  /** Resolves once as many as may be sent are; sends no more. */
  stop(): Promise<void>
  /** Sends no more, whatever was asked for. */
  abandon(): void
}

type Needs = {
  server_url: string
  token: string
  uids: readonly string[]
  /** How many may be sent by now. */
  due: () => number
  at_once: number
  seed: string
}

/** Refused with nothing stored: the device is away just now. */
const AWAY = ['device_disconnected']

/** Sends SMS as people do: each once, on another device where the chosen one is away, never again without an answer. */
export function startConsoleSender({ server_url, token, uids, due, at_once, seed }: Needs): ConsoleSender {
  const { call } = openClient({ url: server_url, token })
  const random = openRandom(`${seed} console`)
  const sent: Sent[] = []
  const surprises: string[] = []
  let stopping = false
  let abandoned = false

  function write(n: number): Sent {
    const to_number = `+34611${String(n).padStart(6, '0')}`
    const text = `Console ${n} of ${seed}. ${'Dolor sit amet. '.repeat(random.between([0, 12]))}`.trim()
    return { text, to_number, device_uid: '', guid: undefined, unanswered: false }
  }

  async function work(): Promise<void> {
    while (!abandoned) {
      if (sent.length < due()) {
        const sms = write(sent.length)
        sent.push(sms)
        await send(sms)
      } else if (stopping) return
      else await sleep(10)
    }
  }

  async function send(sms: Sent): Promise<void> {
    while (sms.guid === undefined && !sms.unanswered && !abandoned) {
      sms.device_uid = uids[Math.floor(random.next() * uids.length)]!
      const body = { device_uid: sms.device_uid, telefono_to: sms.to_number, mensaje_sms: sms.text }
      try {
        sms.guid = (await call(sendSms, { body })).guid
      } catch (fault) {
        if (!(fault instanceof CallFault)) throw fault
        if (fault.status === 0 && !reached(fault)) await sleep(50)
        else if (AWAY.includes(fault.code) || fault.status === 503) await sleep(50)
        // Of what a balancer says for a server that died meanwhile, nobody knows either.
        else if (fault.status === 0 || fault.status === 502 || fault.status === 504) sms.unanswered = true
        else return void surprises.push(`${sms.text.slice(0, 30)}: ${fault.status} ${fault.message}`)
      }
    }
  }

  const finished = Promise.all(Array.from({ length: at_once }, work))
  return {
    sent,
    surprises,
    async stop() {
      stopping = true
      await finished
    },
    abandon: () => void (abandoned = true),
  }
}

/** Whether the request may have come to the server: not where nobody took the connection. */
function reached(fault: CallFault): boolean {
  for (let cause: unknown = fault.cause; cause instanceof Error; cause = cause.cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ECONNREFUSED') return false
  }
  return true
}
