import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { changePassword, login } from '@sdd/contract/accounts/auth.ts'
import * as devices from '@sdd/contract/fleet/devices.ts'
import { exportLogs } from '@sdd/contract/insight/log.ts'
import { openLog } from '#server/core/log.ts'
import { enter, newUser } from './seeds.ts'
import { ADMIN, call, startServer } from './server.ts'

test('each security event is one log line with the address, and the user if known', async (t) => {
  const out = new PassThrough()
  let written = ''
  out.on('data', (bytes) => (written += String(bytes)))
  const server = await startServer({ log: openLog('info', out), settings: { PROXIES: '127.0.0.1' } })
  t.after(() => server.stop())
  const { token } = await enter(server, ADMIN.username, ADMIN.password)
  const { id: user_id, ...user } = await newUser(server, token)
  const made = await call(server, devices.createLinkCode, { token, body: {} })
  written = ''

  const address = '203.0.113.7'
  const from = { address, token: user.token }
  const wrong = (username: string) =>
    call(server, login, { body: { username, password: 'hunter22 wrong' }, address })
  await call(server, login, { body: { username: user.name, password: user.password }, address })
  await wrong('hunter22 as a name')
  for (let n = 0; n < 11; n++) await wrong(user.name)
  const change = { password: 'hunter22 old', new_password: 'hunter22 and more' }
  await call(server, changePassword, { ...from, body: change })
  await call(server, devices.createLinkCode, { ...from, body: {} })
  await call(server, devices.linkDevice, { body: { code: 'hunter22' }, address })
  const { uid } = (await call(server, devices.linkDevice, { body: { code: made.body.code }, address })).body
  await call(server, exportLogs, from)

  const lines = written.split('\n').flatMap((line) => (line.includes('"event"') ? [JSON.parse(line)] : []))
  const said = lines.map(({ time: _time, msg: _msg, address: where, ...line }) => {
    assert.equal(where, address)
    return line as Record<string, unknown>
  })
  const failed = { level: 'warn', event: 'login.failed' }
  const [ok, stranger, ...rest] = said
  assert.deepEqual(ok, { level: 'info', event: 'login.succeeded', user_id })
  assert.deepEqual(stranger, { ...failed, name_hash: stranger!['name_hash'] })
  assert.match(String(stranger!['name_hash']), /^[\w-]{16}$/)
  assert.deepEqual(rest, [
    // Ten lines a minute about one address; more are only counted.
    ...Array(9).fill({ ...failed, user_id }),
    { level: 'warn', event: 'login.locked', user_id },
    { level: 'warn', event: 'proof.failed', user_id },
    {
      level: 'warn',
      event: 'call.refused',
      user_id,
      method: 'POST',
      route: '/api/link-codes',
      code: 'forbidden',
    },
    { level: 'warn', event: 'link.refused' },
    { level: 'info', event: 'link.accepted', company_id: 1, uid },
    { level: 'info', event: 'export.begun', user_id },
  ])
  assert.ok(!written.includes('hunter22'))
  assert.ok(!written.includes(made.body.code))
})
