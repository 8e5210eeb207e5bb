import { duplexPair } from 'node:stream'
import { openChannel } from '#agent/at/channel.ts'
import type { Unsolicited } from '#agent/at/reading.ts'
import { openTime } from './time.ts'

/**
 * A channel whose other end the test controls. `written()` has the agent's output, and `say` writes as the modem.
 * `answer` writes an answer each time a text is received.
 */
export function openLine() {
  const time = openTime()
  const [port, modem] = duplexPair()
  const unsolicited: Unsolicited[] = []
  const answers: { to: string; answer: string }[] = []
  let written = ''
  let unanswered = ''

  modem.on('data', (chunk: Buffer) => {
    written += chunk.toString('latin1')
    unanswered += chunk.toString('latin1')
    for (;;) {
      const next = answers[0]
      const at = next ? unanswered.indexOf(next.to) : -1
      if (!next || at === -1) break
      answers.shift()
      unanswered = unanswered.slice(at + next.to.length)
      modem.write(next.answer, 'latin1')
    }
  })
  modem.on('error', () => {})

  return {
    time,
    modem,
    unsolicited,
    channel: openChannel({ port, clock: time, onUnsolicited: (line) => unsolicited.push(line) }),
    written: () => written,
    say: (text: string | Uint8Array) => void modem.write(text),
    /** The answers are used in order: each waits for its text after the one before. */
    answer(to: string, answer: string) {
      answers.push({ to, answer })
    },
    unplug() {
      port.destroy(Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' }))
    },
  }
}

export type Line = ReturnType<typeof openLine>
