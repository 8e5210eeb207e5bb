import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outgoing, takeNotes } from '#test/notes.ts'
import { openTime } from '#test/time.ts'
import { GatewayError, unreachable } from './api.ts'
import { sendSms } from './send.ts'

const LOST = new GatewayError('no answer in time')
const UNHEARD = new GatewayError('ECONNREFUSED', undefined, true)
const REFUSED = new GatewayError('message already expired', 400)

/** Sends to an app whose answers to POST are these, the last of them repeated. It cannot be asked for messages. */
async function send(...answers: (GatewayError | 'taken')[]) {
  const time = openTime()
  const ended = sendSms(
    {
      api: {
        send() {
          const answer = answers.length > 1 ? answers.shift() : answers[0]
          return answer === 'taken' ? Promise.resolve() : Promise.reject(answer!)
        },
        message: () => Promise.reject(UNHEARD),
        cancel: () => Promise.resolve(false),
      },
      clock: time,
      simNumber: undefined,
      salt: '',
      closing: new AbortController().signal,
    },
    outgoing(),
    takeNotes().progress,
  )
  const outcome = await time.until(ended)
  return outcome.state === 'failed' ? `${outcome.code}: ${outcome.detail}` : outcome.state
}

test('after a lost answer the outcome is unknown, even if the app refuses the next try or cannot be reached', async () => {
  const unknown = /^unknown_outcome: It is unknown whether the phone took it: /
  for (const next of [UNHEARD, REFUSED, LOST]) assert.match(await send(LOST, next), unknown)
  const broken = new GatewayError('status 503', 503)
  assert.match(await send(broken, UNHEARD), unknown)
})

test('without a lost answer a refusal or an unreachable app proves that nothing went out', async () => {
  assert.equal(await send(UNHEARD), 'no_network: Not sent: ECONNREFUSED')
  assert.equal(await send(REFUSED), 'modem_error: Not sent: message already expired')
})

test('after a lost answer, the answer that the app has the message already counts', async () => {
  const outcome = await send(LOST, UNHEARD, new GatewayError('exists', 409))
  assert.equal(outcome, 'unknown_outcome: The app took it but did not report an outcome')
})

test('the app has five minutes for a message, or less if it expires before', async () => {
  const left = [undefined, 3_600_000, 90_900, 1_500, 500, 0].map((ms) => ttl(ms))
  assert.deepEqual(await Promise.all(left), [300, 300, 90, 1, 1, 1])
})

/** The seconds that the app is given for a message that expires after `ms`. */
async function ttl(ms: number | undefined): Promise<number | undefined> {
  const time = openTime()
  const expires_at = ms === undefined ? {} : { expires_at: new Date(time.now() + ms).toISOString() }
  let given: number | undefined
  const api = {
    send: (asked: { ttl: number }) => {
      given = asked.ttl
      return Promise.reject(REFUSED)
    },
    message: () => Promise.resolve(undefined),
    cancel: () => Promise.resolve(false),
  }
  const needs = { api, clock: time, simNumber: undefined, salt: '', closing: new AbortController().signal }
  await sendSms(needs, outgoing(expires_at), takeNotes().progress)
  return given
}

test('a request is unheard only if its connection could not be opened', () => {
  const error = (cause: object) => Object.assign(new TypeError('fetch failed'), { cause })
  const isUnheard = (cause: object) => unreachable(error(cause), 'phone').unheard
  assert.equal(isUnheard({ code: 'EHOSTUNREACH', syscall: 'connect' }), true)
  // Several addresses were tried.
  assert.equal(isUnheard({ code: 'ECONNREFUSED' }), true)
  for (const syscall of ['read', 'write']) assert.equal(isUnheard({ code: 'EHOSTUNREACH', syscall }), false)
})
