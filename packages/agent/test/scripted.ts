import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type {
  DeliveryReport,
  Driver,
  Keeper,
  Outcome,
  Outgoing,
  ReceivedPart,
  SendProgress,
} from '#agent/driver.ts'
import type { DriverKind } from '#agent/drivers.ts'
import { good } from '#agent/findings.ts'

/**
 * A test radio that is controlled by words in the message's text: `parts=3`, `fail=no_network`, `fail_at=2`, `ms=20`
 * per part, `delivered`, `undelivered`, `noreference`. At `kill=POINT` the whole process dies like in a power failure.
 * Each part on air is a line in the file `air` of its folder, which tests compare with the reports.
 */
type Words = {
  parts: number
  ms: number
  fail?: string
  fail_at: number
  kill?: string
  reports: 'delivered' | 'undelivered' | 'none'
  reference: boolean
}

export type Air = { guid: string; attempt: number; n: number; of: number; to: string }

export function scriptedKind(): DriverKind {
  return {
    summary: 'a radio for tests',
    options: {
      folder: { value: 'FOLDER', meaning: 'where its air and its SIM are' },
      pin: { value: 'PIN', meaning: 'the PIN of its SIM', secret: true },
      number: { value: 'NUMBER', meaning: "its SIM's number", byOrder: true },
    },
    check: (settings) => Promise.resolve(settings),
    open: ({ settings, keeper }) => Promise.resolve(openScripted(settings['folder']!, keeper)),
    async *examine() {
      yield good('the test radio is ready')
    },
  }
}

function openScripted(folder: string, keeper: Keeper): Driver {
  const sim = join(folder, 'sim')
  mkdirSync(sim, { recursive: true })
  let closed = false
  let restarting = false
  let on_air: Promise<unknown> = Promise.resolve()
  let last_sent_at: string | null = null
  let reading = Promise.resolve()
  const timer = setInterval(() => void (reading = reading.then(readSim).catch(() => undefined)), 10)

  async function send(message: Outgoing, progress: SendProgress): Promise<Outcome> {
    const words = readWords(message.text)
    const dieAt = (point: string): void => {
      // Only once, because the next agent gets the same text.
      if (words.kill !== point || existsSync(join(folder, 'killed'))) return
      writeFileSync(join(folder, 'killed'), message.guid)
      process.kill(process.pid, 'SIGKILL')
    }
    dieAt('before-sending')
    try {
      await progress.onAir()
    } catch (error) {
      return {
        state: 'failed',
        code: 'modem_error',
        detail: (error as Error).message,
        block: false,
        parts: 0,
      }
    }
    dieAt('sending')
    for (let n = 1; n <= words.parts; n++) {
      if (words.ms > 0) await new Promise((resolve) => setTimeout(resolve, words.ms))
      if (words.fail !== undefined && words.fail_at === n) {
        return { state: 'failed', code: words.fail, detail: `part ${n} failed`, block: false, parts: n - 1 }
      }
      if (closed)
        return { state: 'failed', code: 'unknown_outcome', detail: 'closed', block: false, parts: n - 1 }
      const reference = `${message.guid}/${n}`
      air(folder, { guid: message.guid, attempt: message.attempt, n, of: words.parts, to: message.to })
      dieAt(`on-air-${n}`)
      await progress.partSent({ n, of: words.parts, reference: words.reference ? reference : null })
      dieAt(`part-sent-${n}`)
      if (words.reports !== 'none')
        void report({ reference, to: message.to, state: words.reports, at: now() })
    }
    last_sent_at = now()
    return { state: 'sent', parts: words.parts, sim: '1' }
  }

  async function report(delivery: DeliveryReport): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 5))
    if (!closed) await keeper.delivery(delivery)
  }

  /** Each file on the SIM is an SMS or a part of one. It is deleted once the keeper has it. */
  async function readSim(): Promise<void> {
    for (const name of existsSync(sim) ? readdirSync(sim).sort() : []) {
      if (closed || !name.endsWith('.json')) continue
      const sms = JSON.parse(readFileSync(join(sim, name), 'utf8')) as ReceivedPart
      await ('concat' in sms ? keeper.receivedPart(sms) : keeper.received(sms))
      rmSync(join(sim, name))
    }
  }

  return {
    name: 'scripted radio',
    delivery_reports: true,
    send(...args) {
      const outcome = send(...args)
      on_air = outcome
      return outcome
    },
    dial: async (code) => ({ ok: true, output: `Saldo: 5 (${code})` }),
    async restart() {
      restarting = true
      await on_air
      await new Promise((resolve) => setTimeout(resolve, 20))
      restarting = false
      keeper.changed()
      return { ok: true, output: 'registered' }
    },
    configure: () => keeper.changed(),
    networks: () => Promise.resolve({ wifi: null, mobile: { intensity: -70, captured_at: now(), sims: [] } }),
    radio: () =>
      restarting || existsSync(join(folder, 'no-network'))
        ? { ready: false, says: 'no network', last_sent_at }
        : { ready: true, says: 'registered', last_sent_at },
    async close() {
      closed = true
      clearInterval(timer)
      await reading
    },
  }
}

function readWords(text: string): Words {
  const word = (name: string): string | undefined => new RegExp(`(?:^| )${name}=(\\S+)`).exec(text)?.[1]
  const [fail, kill] = [word('fail'), word('kill')]
  return {
    parts: Number(word('parts') ?? 1),
    ms: Number(word('ms') ?? 0),
    ...(fail && { fail }),
    fail_at: Number(word('fail_at') ?? 1),
    ...(kill && { kill }),
    reports: /\bundelivered\b/.test(text) ? 'undelivered' : /\bdelivered\b/.test(text) ? 'delivered' : 'none',
    reference: !/\bnoreference\b/.test(text),
  }
}

function air(folder: string, line: Air): void {
  appendFileSync(join(folder, 'air'), `${JSON.stringify(line)}\n`)
}

/** All parts that were ever on air. */
export function readAir(folder: string): Air[] {
  const path = join(folder, 'air')
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Air)
}

function now(): string {
  return new Date().toISOString()
}
