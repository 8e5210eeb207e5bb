import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { listAudit } from '@sdd/contract/accounts/audit.ts'
import { saveGlobalSettings } from '@sdd/contract/accounts/settings.ts'
import * as keywords from '@sdd/contract/messages/keywords.ts'
import { addOptOut, listOptOuts } from '@sdd/contract/messages/opt-outs.ts'
import { listLogs } from '@sdd/contract/insight/log.ts'
import { MINUTE } from './clock.ts'
import type { TestDevice } from './device.ts'
import { givenTo, startFleet, type Written } from './fleet.ts'
import { newUser } from './seeds.ts'
import { call } from './server.ts'

const NUMBER = '+34600111222'

async function begin(t: TestContext) {
  const fleet = await startFleet(t)
  const { server, token } = fleet
  let received = 0
  const save = (body: Written, as = token) =>
    call(server, keywords.saveKeyword, { token: as, body: body as never })
  return {
    ...fleet,
    save,
    list: async () => (await call(server, keywords.listKeywords, { token })).body.keywords,
    blocked: async () =>
      (await call(server, listOptOuts, { token })).body.opt_outs.map(({ number }) => number),
    /** The device receives an SMS; resolves when the server has it. */
    hear: (device: TestDevice, text: string, from = NUMBER, sim?: string) =>
      device.publish('inbox', {
        id: `sms-${++received}`,
        from,
        text,
        at: new Date().toISOString(),
        ...(sim && { sim }),
      }),
    answers: async () => {
      const { logs } = (await call(server, listLogs, { token })).body
      return logs.map(({ message, message_to }) => `${message_to} ${message}`)
    },
  }
}

test('a word that is the whole SMS is answered once, through the device and SIM that received it', async (t) => {
  const { save, hear, join, answers, record } = await begin(t)
  const drone = await join('drone')
  await join('other')
  const sims = [
    { id: 1, phone_number: '+34600000001' },
    { id: 2, phone_number: '+34600000002' },
  ]
  await drone.publish('networks', { wifi: null, mobile: { sims } })
  assert.equal((await save({ word: 'Horario', answer: 'Abrimos a las 9.', action: 'answer' })).status, 201)
  await hear(drone, '  ¡HORÁRIO! ', '600 111 222', '2')
  const { to, text, guid, from } = (await drone.until(1))[0]!
  assert.deepEqual([to, text, from], [NUMBER, 'Abrimos a las 9.', '+34600000002'])
  const { class: kind, queued_by } = (await record(guid)) as unknown as { class: string; queued_by: string }
  assert.deepEqual([kind, queued_by], ['transactional', 'Horario'])
  await hear(drone, 'el horario', NUMBER)
  await hear(drone, 'horario', 'TIENDA')
  await hear(drone, 'horario', '1234567')
  assert.equal((await answers()).length, 1)
})

test('a number gets one automatic answer a minute and ten a day, however many words it sends', async (t) => {
  const { save, hear, join, answers, clock } = await begin(t)
  const drone = await join('drone')
  await save({ word: 'hola', answer: 'Hola.', action: 'answer' })
  await save({ word: 'adios', answer: 'Adiós.', action: 'answer' })
  await hear(drone, 'hola')
  await hear(drone, 'adios')
  assert.deepEqual(await answers(), [`${NUMBER} Hola.`])
  await hear(drone, 'hola', '+34600111333')
  assert.equal((await answers()).length, 2, 'another number')
  for (let n = 0; n < 12; n++) {
    clock.advance(MINUTE)
    await hear(drone, 'hola')
  }
  assert.equal((await answers()).filter((answer) => answer.startsWith(NUMBER)).length, 10)
})

test('after the clock was set back, a number gets its automatic answers as before', async (t) => {
  const { save, hear, join, answers, clock } = await begin(t)
  const drone = await join('drone')
  await save({ word: 'hola', answer: 'Hola.', action: 'answer' })
  await hear(drone, 'hola')
  clock.advance(-30 * MINUTE)
  await hear(drone, 'hola')
  assert.equal((await answers()).length, 2)
  await hear(drone, 'hola')
  assert.equal((await answers()).length, 2, 'within a minute')
})

test('a word is heard whatever its script, also a long one', async (t) => {
  const { save, hear, join } = await begin(t)
  const drone = await join('drone')
  for (const [index, word] of ['한'.repeat(22), 'ﷺ'.repeat(40)].entries()) {
    assert.equal((await save({ word, answer: word.slice(0, 1), action: 'answer' })).status, 201)
    await hear(drone, word, `+3460011133${index}`)
    assert.equal((await drone.until(index + 1)).at(-1)!.text, word.slice(0, 1))
  }
})

test('the answer to a stop word is the one message that a number gets after it opted out', async (t) => {
  const { save, hear, join, answers, blocked, clock, hand, read } = await begin(t)
  const drone = await join('drone')
  await save({ word: 'Basta', answer: 'No le escribiremos más.', action: 'stop' })
  await save({ word: 'hola', answer: 'Hola.', action: 'answer' })
  const waits = await hand({ to_number: NUMBER, not_before: '2026-06-10T09:00:00Z' })
  await hear(drone, 'BASTA.')
  assert.deepEqual(await blocked(), [NUMBER])
  assert.equal((await read(waits)).state, 'failed')
  assert.equal((await drone.until(1))[0]!.text, 'No le escribiremos más.')
  for (const text of ['basta', 'stop', 'hola']) {
    clock.advance(2 * MINUTE)
    await hear(drone, text)
  }
  assert.equal(
    (await answers()).filter((answer) => answer.includes('Hola') || answer.includes('escribiremos')).length,
    1,
  )
})

test('START and ALTA lift a block that an SMS made, never one that a person made', async (t) => {
  const { server, token, save, hear, join, blocked, clock } = await begin(t)
  const drone = await join('drone')
  await save({ word: 'vuelvo', answer: 'Bienvenido.', action: 'start' })
  for (const word of ['start', ' ¡Alta!', 'VUELVO']) {
    await hear(drone, 'STOP')
    assert.deepEqual(await blocked(), [NUMBER], word)
    clock.advance(2 * MINUTE)
    await hear(drone, word)
    assert.deepEqual(await blocked(), [], word)
  }
  assert.equal((await drone.until(1))[0]!.text, 'Bienvenido.')
  await call(server, addOptOut, { token, body: { number: NUMBER } })
  await hear(drone, 'START')
  await hear(drone, 'vuelvo')
  assert.deepEqual(await blocked(), [NUMBER])
  assert.equal(givenTo(drone).length, 1)
})

test('a person who blocks a number that an SMS blocked is noted on that block, and START no longer lifts it', async (t) => {
  const { server, token, hear, join, blocked } = await begin(t)
  const drone = await join('drone')
  const added = async () => {
    const { body } = await call(server, listAudit, { token, query: { action: 'opt_out.added' } })
    return body.entries.map(({ name }) => name)
  }
  const list = async () => (await call(server, listOptOuts, { token })).body.opt_outs
  await hear(drone, 'STOP')
  const [bySms] = await list()
  assert.deepEqual([bySms!.text, bySms!.created_by], ['STOP', null])
  const add = () => call(server, addOptOut, { token, body: { number: NUMBER } })
  const { status, body } = await add()
  assert.equal(status, 201)
  assert.notEqual(body.created_by, null)
  assert.deepEqual(body, { ...bySms, created_by: body.created_by })
  assert.deepEqual(await list(), [body])
  assert.deepEqual(await added(), [NUMBER])
  const other = (await newUser(server, token, { role: 'admin' })).token
  const again = await call(server, addOptOut, { token: other, body: { number: NUMBER } })
  assert.deepEqual(again.body, body, 'the first person stays')
  assert.deepEqual(await added(), [NUMBER])
  await hear(drone, 'STOP')
  await hear(drone, 'START')
  assert.deepEqual(await blocked(), [NUMBER])
})

test('a keyword is created, changed under its id and removed; a word has one meaning', async (t) => {
  const { server, token, superadmin, save, list } = await begin(t)
  const { id } = (await save({ word: 'Info', answer: 'x', action: 'answer' })).body
  assert.deepEqual(await list(), [{ id, company_id: 2, word: 'Info', answer: 'x', action: 'answer' }])
  for (const word of ['info', ' ÍNFO. ', 'STOP', 'baja', 'start', 'ALTA']) {
    const { status, body } = await save({ word, answer: 'x', action: 'answer' })
    assert.deepEqual([status, (body as { code?: string }).code], [409, 'word_taken'], word)
  }
  const changed = await save({ id, word: 'INFO', answer: null, action: 'stop' })
  assert.deepEqual([changed.status, changed.body.answer, changed.body.action], [200, null, 'stop'])
  const bad: [Written, string][] = [
    [{ word: 'a', action: 'answer' }, 'answer'],
    [{ word: 'a', answer: null, action: 'answer' }, 'answer'],
    [{ word: 'a', answer: '', action: 'stop' }, 'answer'],
    [{ word: 'a', answer: 'x'.repeat(1_531), action: 'answer' }, 'answer'],
    [{ word: '!', answer: 'x', action: 'answer' }, 'word'],
    [{ word: 'a', answer: 'x', action: 'dance' }, 'action'],
  ]
  for (const [body, field] of bad) {
    const refused = await save(body)
    const { fields } = refused.body as unknown as { fields: object }
    assert.deepEqual([refused.status, Object.keys(fields)], [422, [field]], JSON.stringify(body).slice(0, 60))
  }
  const theirs = (await newUser(server, superadmin, { role: 'admin', companyId: 3 })).token
  assert.equal((await save({ id, word: 'mine', answer: 'x', action: 'answer' }, theirs)).status, 404)
  const user = (await newUser(server, token)).token
  assert.equal((await call(server, keywords.listKeywords, { token: user })).status, 403)
  for (const status of [204, 404])
    assert.equal((await call(server, keywords.deleteKeyword, { token, params: { id } })).status, status)
})

test('a company has 200 words at most', async (t) => {
  const { save } = await begin(t)
  for (let n = 0; n < 200; n++)
    assert.equal((await save({ word: `word ${n}`, answer: null, action: 'stop' })).status, 201)
  assert.equal((await save({ word: 'one more', answer: null, action: 'stop' })).status, 422)
})

test('an answer waits for the hours of transactional messages', async (t) => {
  const { server, token, save, hear, join } = await begin(t)
  const drone = await join('drone')
  const windows = [{ days: ['mon' as const], from: '09:00', to: '10:00' }]
  const hours = { windows, zone: 'UTC', holidays: [] }
  const body = {
    spoof_time_secs: 0,
    send_enabled: true,
    sending_hours: { marketing: hours, transactional: hours },
  }
  assert.equal((await call(server, saveGlobalSettings, { token, body })).status, 200)
  await save({ word: 'hola', answer: 'Hola.', action: 'answer' })
  await hear(drone, 'hola')
  const { logs } = (await call(server, listLogs, { token })).body
  assert.deepEqual(
    logs.map((log) => log.waiting_code),
    ['sending_hours'],
  )
})
