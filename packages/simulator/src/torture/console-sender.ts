import { setTimeout as sleep } from 'node:timers/promises'
import { CallFault, openClient } from '@sdd/contract/core/client.ts'
import { sendSms } from '@sdd/contract/messages/messages.ts'
import { openRandom } from '#simulator/random.ts'

/** One SMS as a user of the console sends it. Its text is unique, because it has no guid before the answer. */
export type Sent = {
  readonly text: string
  readonly to_number: string
  /** The device of the last request. */
  device_uid: string
  /** From a 200 answer, so the message must exist. */
  guid: string | undefined
  /** A request had no answer: the message may or may not exist, and a user would not send it again. */
  unanswered: boolean
}

export type ConsoleSender = {
  readonly sent: readonly Sent[]
  /** Unexpected answers. */
  readonly surprises: readonly string[]
  /** Resolves once all due messages are sent; sends no more. */
  stop(): Promise<void>
  /** Sends no more, even if messages are due. */
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

/** Refused without storing the message, because the device is away. */
const AWAY = ['device_disconnected']

/**
 * Sends SMS like users do: each once, through another device if the first is away, and never again without an answer.
 */
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
        // After a balancer's error for a server that died meanwhile, the outcome is unknown too.
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

/** Whether the request may have reached the server: not if the connection was refused. */
function reached(fault: CallFault): boolean {
  for (let cause: unknown = fault.cause; cause instanceof Error; cause = cause.cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ECONNREFUSED') return false
  }
  return true
}
