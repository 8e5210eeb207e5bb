import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fault, good } from '#agent/findings.ts'
import { abilitiesOf, answerOrder } from './orders.ts'
import { openRecentLines } from './recent-lines.ts'

const clock = { now: () => Date.parse('2026-06-10T08:00:00Z') }
const expires_at = '2026-06-10T08:02:00.000Z'

function begin() {
  const refuse = () => Promise.reject(new Error('not asked for'))
  const said: string[] = []
  const lines = openRecentLines(clock, (sentence) => void said.push(sentence))
  const needs = {
    clock,
    last: lines.last,
    examine: () => [good('registered at home'), fault('no reports', 'Change the modem.')],
    driver: {},
    configure: refuse,
  }
  return { said, lines, needs }
}

test('the last lines of the log are answered, with their times', async () => {
  const { said, lines, needs } = begin()
  for (let n = 1; n <= 1_200; n++) lines.say(`line ${n}`)
  assert.equal(said.length, 1_200)
  const order = { type: 'order', order: 7, what: 'logs', expires_at } as const
  assert.deepEqual(await answerOrder(needs, { ...order, with: { lines: 2 } }), {
    order: 7,
    ok: true,
    output: '2026-06-10T08:00:00.000Z line 1199\n2026-06-10T08:00:00.000Z line 1200',
  })
  assert.equal((await answerOrder(needs, order))!.output!.split('\n').length, 200)
  assert.equal(lines.last(2_000).length, 1_000)
})

test('doctor answers with its findings, and an order that is too late or unknown is not obeyed', async () => {
  const { needs } = begin()
  const order = { type: 'order', order: 8, what: 'doctor', expires_at } as const
  assert.equal(
    (await answerOrder(needs, order))!.output,
    'good registered at home\nWRONG no reports\n  Change the modem.',
  )
  assert.equal(await answerOrder(needs, { ...order, expires_at: '2026-06-10T08:00:00.000Z' }), undefined)
  const { ok, code } = (await answerOrder(needs, { ...order, what: 'ussd', with: { code: '*100#' } }))!
  assert.deepEqual([ok, code], [false, 'not_able'])
})

test('a device names what its driver can do, and does it within the time of the order', async () => {
  const { needs } = begin()
  const asked: unknown[] = []
  const driver = {
    dial: async (code: string, within_ms: number) => {
      asked.push(code, within_ms)
      return { ok: true, output: 'Saldo: 5' } as const
    },
    configure: () => undefined,
    restart: async (within_ms: number) => {
      asked.push(within_ms)
      return { ok: false, code: 'busy', detail: 'A message is on air' } as const
    },
  }
  assert.deepEqual(abilitiesOf({}), ['doctor', 'logs'])
  assert.deepEqual(abilitiesOf(driver), ['doctor', 'logs', 'ussd', 'restart_radio', 'configure'])
  const order = { type: 'order', order: 9, expires_at } as const
  const configure = async (wanted: unknown) => {
    asked.push(wanted)
    return { ok: true, output: 'number is now 5' } as const
  }
  const able = { ...needs, driver, configure }
  const dialled = await answerOrder(able, { ...order, what: 'ussd', with: { code: '*100#' } })
  assert.deepEqual(dialled, { order: 9, ok: true, output: 'Saldo: 5' })
  const restarted = await answerOrder(able, { ...order, what: 'restart_radio' })
  assert.deepEqual(restarted, { order: 9, ok: false, code: 'busy', detail: 'A message is on air' })
  const configured = await answerOrder(able, {
    ...order,
    what: 'configure',
    with: { settings: { number: 5 } },
  })
  assert.deepEqual(configured, { order: 9, ok: true, output: 'number is now 5' })
  assert.deepEqual(asked, ['*100#', 119_000, 119_000, { number: 5 }])
})
