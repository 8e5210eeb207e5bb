import { type Answer, deviceAnswers } from '@sdd/contract/fleet/device-protocol.ts'
import { topicOf } from '@sdd/contract/core/topic.ts'
import type { Connection } from './connection.ts'

type Answers = {
  give: (answer: Answer) => void
  opened: (connection: Pick<Connection, 'publish'>) => void
  closed: () => void
}

type Given = { readonly payload: string; tries: number }

/** Orders come one at a time; a server that gives more does not fill the memory. */
const MOST_WAITING = 20
/** An answer that ended this many connections may be their fault. Without it, the device stays connected. */
const MOST_TRIES = 5
/** The limits of the protocol. */
const MOST_OUTPUT_BYTES = 16 * 1024
const MOST_DETAIL = 1_000
/** JSON writes each as six bytes, so that a short output could be too large for a payload. */
const CONTROLS = /[^\P{Cc}\n\r\t]/gu

/**
 * Publishes the answers to orders. An answer without a PUBACK is published again at the next connection, because a restart
 * of the modem may cut it. The server drops repeats. Answers do not survive the end of the agent.
 */
export function openAnswers(uid: string): Answers {
  const topic = topicOf(deviceAnswers, { uid })
  const waiting = new Set<Given>()
  let connection: Pick<Connection, 'publish'> | undefined

  function publish(answer: Given): void {
    connection?.publish(topic, answer.payload).then(
      () => waiting.delete(answer),
      () => {
        answer.tries++
        if (answer.tries === MOST_TRIES) waiting.delete(answer)
      },
    )
  }

  return {
    give(answer) {
      const given = { payload: payloadOf(answer), tries: 0 }
      waiting.add(given)
      for (const oldest of waiting) if (waiting.size > MOST_WAITING) waiting.delete(oldest)
      publish(given)
    },
    opened(opened) {
      connection = opened
      for (const answer of waiting) publish(answer)
    },
    closed: () => void (connection = undefined),
  }
}

function payloadOf({ output, detail, ...answer }: Answer): string {
  return JSON.stringify({
    ...answer,
    ...(typeof output === 'string' && { output: newestLines(output) }),
    ...(typeof detail === 'string' && { detail: detail.slice(0, MOST_DETAIL) }),
  })
}

/** The last lines that fit, after a mark that says how long it was. A longer line loses its beginning. */
function newestLines(output: string): string {
  const whole = output.replaceAll(CONTROLS, '\uFFFD').toWellFormed()
  const bytes = Buffer.from(whole)
  if (bytes.length <= MOST_OUTPUT_BYTES) return whole
  const mark = `[cut, it had ${bytes.length} bytes] […]\n`
  let begin = bytes.length - MOST_OUTPUT_BYTES + Buffer.byteLength(mark)
  const line_end = bytes.indexOf('\n', begin - 1)
  if (line_end !== -1 && line_end < bytes.length - 1) begin = line_end + 1
  // Not in the middle of a character: a continuation byte begins with the bits 10.
  else while ((bytes[begin]! & 0xc0) === 0x80) begin++
  return mark + bytes.subarray(begin).toString()
}
