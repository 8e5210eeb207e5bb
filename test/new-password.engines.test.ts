import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { login } from '@sdd/contract/accounts/auth.ts'
import { listDevices } from '@sdd/contract/fleet/devices.ts'
import { newDatabase, onPostgres } from '../packages/server/test/engine.ts'
import { enter } from '../packages/server/test/seeds.ts'
import { call } from '../packages/server/test/server.ts'
import { newSettings, PASSWORD, runToEnd, startProcess } from './server-process.ts'

const PROGRAM = 'packages/server/src/app/commands/new-password.ts'

test('a lost password is replaced by one that may only be changed, while the server is stopped', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'sdd-new-password-'))
  t.after(() => rmSync(home, { recursive: true }))
  const settings = await newSettings(home, onPostgres ? { DATABASE_URL: await newDatabase() } : {})
  const replace = (...args: string[]) => runToEnd(settings, { program: PROGRAM, args })
  const first = await startProcess(settings)
  const { token } = await enter(first, 'superadmin', PASSWORD)
  const early = await replace('superadmin')
  assert.equal(early.status, 1, early.stdout)
  assert.match(early.stderr, /in use by/)
  assert.equal((await call(first, listDevices, { token })).status, 200)
  await first.stop()

  const unknown = await replace('ana')
  assert.deepEqual(
    [unknown.status, unknown.stderr],
    [1, 'There is no user ana: give a name or an e-mail as Users shows it.\n'],
  )
  const { status, stdout, stderr } = await replace('SuperAdmin')
  assert.equal(status, 0, stderr)
  const [, password] = /^The new password of superadmin is (\S+) /.exec(stdout)!

  const second = await startProcess(settings)
  t.after(() => second.stop())
  assert.equal((await call(second, listDevices, { token })).status, 401, 'sessions have ended')
  const refused = await call(second, login, { body: { username: 'superadmin', password: PASSWORD } })
  assert.equal(refused.status, 401)
  const entered = await enter(second, 'superadmin', password!)
  const kept_out = await call(second, listDevices, { token: entered.token })
  assert.deepEqual([kept_out.status, kept_out.body.code], [403, 'password_change_required'])
})
