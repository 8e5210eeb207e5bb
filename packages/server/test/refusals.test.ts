import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApiKey } from '@sdd/contract/accounts/api-keys.ts'
import { login } from '@sdd/contract/accounts/auth.ts'
import { readGlobalSettings } from '@sdd/contract/accounts/settings.ts'
import { saveUser } from '@sdd/contract/accounts/users.ts'
import { saveDestinations } from '@sdd/contract/messages/destinations.ts'
import { sendSms } from '@sdd/contract/messages/messages.ts'
import { addOptOut } from '@sdd/contract/messages/opt-outs.ts'
import { createTasks, type TaskResults } from '@sdd/contract/tasks/tasks.ts'
import { MINUTE } from './clock.ts'
import { startFleet } from './fleet.ts'
import { someone } from './seeds.ts'
import { call } from './server.ts'

const NOW = '2026-06-10T08:00:00.000Z'
const MIDNIGHT = '2026-06-10T22:00:00.000Z'
const NUMBER = '+34600999000'

test('a refused message of the console has the facts of the refusal', async (t) => {
  const { token, server, clock, send, join, set, setLimit, setEnabled, eventually, device } =
    await startFleet(t)
  const drone = await join('drone')
  const refusal = async () => {
    const { body } = await send('drone')
    return [body.code, body.params]
  }
  await setLimit('drone', 0)
  assert.deepEqual(await refusal(), [
    'daily_limit',
    { device: 'drone', limit: 0, sent: 0, parts: 1, until: MIDNIGHT },
  ])
  clock.advance(MINUTE)
  const since = '2026-06-10T08:01:00.000Z'
  await set(0, false)
  const { settings } = (await call(server, readGlobalSettings, { token })).body
  const by = settings[0]!.sending_changed_by
  assert.match(by!, /^someone/)
  assert.equal(settings[0]!.sending_changed_at, since)
  assert.deepEqual(await refusal(), ['sending_disabled', { since, by }])
  await setEnabled('drone', false)
  assert.deepEqual(await refusal(), ['device_disabled', { device: 'drone', since }])
  drone.vanish()
  await eventually(async () => (await device('drone')).status === 'disconnected')
  assert.deepEqual(await refusal(), ['device_disconnected', { device: 'drone', since }])
  await call(server, addOptOut, { token, body: { number: NUMBER } })
  assert.deepEqual(await refusal(), ['opted_out', { number: NUMBER, at: since, by }])
  await call(server, saveDestinations, {
    token,
    body: { allow: [], deny: ['+346'], max_per_recipient_dayly: null },
  })
  const denied = await send('drone')
  assert.deepEqual(denied.body.params, { number: NUMBER, prefix: '+346' })
  assert.deepEqual(denied.body.field_codes, {
    telefono_to: { code: 'destination_refused', params: { prefix: '+346' } },
  })
  const body = { device_uid: 'drone', telefono_to: 'nobody', mensaje_sms: 'x'.repeat(1_600) }
  const wrong = await call(server, sendSms, { token, body })
  assert.deepEqual(wrong.body.field_codes, { telefono_to: { code: 'number_format', params: {} } })
  const long = await call(server, sendSms, { token, body: { ...body, telefono_to: NUMBER } })
  assert.deepEqual(long.body.field_codes, {
    mensaje_sms: { code: 'too_many_segments', params: { segments: 11, max: 10 } },
  })
})

test('before the first change, no time and no name says who switched sending', async (t) => {
  const { server, token } = await startFleet(t)
  const { settings } = (await call(server, readGlobalSettings, { token })).body
  assert.deepEqual([settings[0]!.sending_changed_at, settings[0]!.sending_changed_by], [null, null])
})

test('a refused task has the same facts, by itself and in a batch', async (t) => {
  const { server, key, token } = await startFleet(t)
  await call(server, addOptOut, { token, body: { number: NUMBER } })
  const tasks = [
    { to_number: NUMBER, text: 'hello' },
    { to_number: '+34600111222', text: 'x'.repeat(1_600) },
    { to_number: '+34600111222', text: 'hello', tel: '1', expires_at: '2026-06-01T00:00:00Z' },
    { to_number: '+34600111222', text: 'hello', expires_at: '2026-06-01T00:00:00Z' },
  ]
  const codes = ['opted_out', 'invalid', 'invalid', 'invalid']
  const batch = await call(server, createTasks, { token: key, body: { tasks } })
  const { results } = batch.body as TaskResults
  assert.deepEqual(
    results.map(({ status, code }) => [status, code]),
    codes.map((code) => ['refused', code]),
  )
  assert.deepEqual(results[0]!.params, { number: NUMBER, at: NOW, by: results[0]!.params!['by'] })
  assert.deepEqual(
    results.map(({ field_codes }) => field_codes),
    [
      undefined,
      { text: { code: 'too_many_segments', params: { segments: 11, max: 10 } } },
      { tel: { code: 'unknown_field', params: {} } },
      {
        expires_at: {
          code: 'out_of_range',
          params: { min: NOW, max: '2027-06-11T08:00:00.000Z' },
        },
      },
    ],
  )
  for (const [place, task] of tasks.entries()) {
    const { body } = await call(server, createTasks, { token: key, body: task })
    const { params, field_codes } = results[place]!
    assert.deepEqual([body.params, body.field_codes], [params, field_codes])
  }
})

test('a name, a password and a role that cannot be used say why', async (t) => {
  const { server, token } = await startFleet(t)
  const ana = someone()
  assert.equal((await call(server, saveUser, { token, body: ana })).status, 201)
  const fields = async (change: object) => {
    const answer = await call(server, saveUser, { token, body: { ...someone(), ...change } })
    return answer.body.field_codes
  }
  assert.deepEqual(await fields({ name: ana.name }), { name: { code: 'taken', params: {} } })
  assert.deepEqual(await fields({ email: ana.email }), { email: { code: 'taken', params: {} } })
  assert.deepEqual(await fields({ password: 'password12' }), {
    password: { code: 'common_password', params: {} },
  })
  const higher = await call(server, saveUser, { token, body: someone({ role: 'superadmin' }) })
  assert.deepEqual(higher.body.params, { reason: 'higher_role', role: 'superadmin' })
})

test('too many wrong passwords say how long to wait, and an API key that lacks a permission says so', async (t) => {
  const { server, key } = await startFleet(t)
  const wrong = { username: 'nobody here', password: 'wrong' }
  for (let n = 0; n < 10; n++) await call(server, login, { body: wrong })
  const { status, body, headers } = await call(server, login, { body: wrong })
  assert.deepEqual([status, body.params], [429, { retry_after: Number(headers.get('retry-after')) }])
  const keys = await call(server, createApiKey, { token: key, body: { name: 'x' } })
  assert.deepEqual([keys.body.code, keys.body.params], ['forbidden', { reason: 'api_key' }])
})
