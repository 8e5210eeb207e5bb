import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AttemptDetail } from '@sdd/contract/messages/outcomes.ts'
import { timelineOf, type TimelineStep } from './timeline.ts'

const at = (sec: number) => `2026-01-01T00:00:0${sec}.000Z`

/** Each step on a line, the steps of an attempt below it. */
function linesOf(steps: readonly TimelineStep[], indent = ''): string[] {
  return steps.flatMap(({ label, at, detail, tone, device, steps = [] }) => [
    indent + [label, at?.slice(18, 19), device, detail, tone].filter(Boolean).join(' | '),
    ...linesOf(steps, `${indent}  `),
  ])
}

const attempt = (n: number, rest: Partial<AttemptDetail>): AttemptDetail => ({
  attempt: n,
  device: `drone-${n}`,
  sim: null,
  given_at: at(n),
  accepted_at: null,
  sent_at: null,
  delivered_at: null,
  state: 'given',
  code: null,
  detail: null,
  ...rest,
})

test('without the facts of attempts, the timeline has each step that happened, with attempts and waiting', () => {
  const steps = timelineOf({
    queue_timestamp: at(0),
    attempt_1: `drone-1 · given ${at(1)} · accepted ${at(2)} · failed · 38`,
    attempt_2: 'drone-2 · sent',
    handed_timestamp: at(2),
    error: '38',
    error_msg: 'no network',
    waiting_for: 'Pacing.',
  })
  assert.deepEqual(linesOf(steps), [
    'Encolado | 0 | ok',
    `Intento 1 | 1 | drone-1 · accepted ${at(2)} · failed · 38 | bad`,
    'Intento 2 | drone-2 · sent | ok',
    'Aceptado por el dispositivo | 2 | ok',
    'Error | 38 · no network | bad',
    'En espera | Pacing. | open',
  ])
})

test('the timeline tells each thing once: the steps of an attempt are below it', () => {
  const steps = timelineOf({
    queue_timestamp: at(0),
    handed_timestamp: at(5),
    answer_sent_timestamp: at(6),
    anwer_sent: 'sent',
    answer_2_timestamp: at(7),
    answer_2: 'delivered, 0x00',
    answer_3_timestamp: at(8),
    answer_3: 'gracias',
    attempt_1: `drone-1 · given ${at(1)}`,
    attempt_2: `drone-2 · given ${at(2)}`,
    attempt_details: [
      attempt(1, { state: 'failed', code: 'no_network', detail: 'CREG 2' }),
      // The row is newer than the facts: it knows of the report.
      attempt(2, { accepted_at: at(5), sent_at: at(6), state: 'sent', sim: '8934' }),
    ],
  })
  assert.deepEqual(linesOf(steps), [
    'Encolado | 0 | ok',
    'Intento 1 | 1 | drone-1 | bad',
    '  Falló | Sin red · CREG 2 | bad',
    'Intento 2 | 2 | drone-2 | SIM 8934 | ok',
    '  Aceptado por el dispositivo | 5 | ok',
    '  Enviado a la red | 6 | ok',
    '  Informe de entrega | 7 | delivered, 0x00 | ok',
    'Respuesta | 8 | gracias | ok',
  ])
})

test('the failure of a message is told once, with the words of its device', () => {
  const steps = timelineOf({
    queue_timestamp: at(0),
    error: 'modem_error',
    error_msg: 'The modem refused it.',
    error_timestamp: at(3),
    attempt_1: `drone-1 · given ${at(1)} · failed`,
    attempt_details: [attempt(1, { state: 'failed', code: 'modem_error', detail: '+CMS ERROR: 38' })],
  })
  assert.deepEqual(linesOf(steps), [
    'Encolado | 0 | ok',
    'Intento 1 | 1 | drone-1 | bad',
    'Error | 3 | modem_error · The modem refused it. · +CMS ERROR: 38 | bad',
  ])
})

test('a message that was not delivered says so below its attempt, and why at the end', () => {
  const steps = timelineOf({
    error: '0x41',
    error_msg: 'absent',
    error_timestamp: at(4),
    attempt_1: 'drone-1',
    attempt_details: [
      attempt(1, { state: 'undelivered', accepted_at: at(2), sent_at: at(3), delivered_at: at(4) }),
    ],
  })
  assert.deepEqual(linesOf(steps), [
    'Intento 1 | 1 | drone-1 | bad',
    '  Aceptado por el dispositivo | 2 | ok',
    '  Enviado a la red | 3 | ok',
    '  No entregado | 4 | bad',
    'Error | 4 | 0x41 · absent | bad',
  ])
})
