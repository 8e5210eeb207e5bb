import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { needProgram } from '../scripts/debian.ts'
import { freePort } from '../scripts/free-port.ts'
import { testedClient } from '../scripts/tested-clients.ts'
import { startInstallation } from './installation.ts'

/** Developers of other systems copy from docs/doors.md: this test runs everything on it. */
const page = readFileSync(join(import.meta.dirname, '../docs/doors.md'), 'utf8')
/** Node finds the clients of the examples from here. */
const SERVER = join(import.meta.dirname, '../packages/server')
const blocks = Array.from(page.matchAll(/^```(\w*)\n(.*?)^```/gms), ([, language, code]) => ({
  language,
  code: code!,
}))

test('every command of the page does what the page says', async (t) => {
  const tried = 'the example of this page'
  await needProgram('curl', 'curl')
  testedClient(t, { door: 'Kannel', client: 'curl', debian: 'curl', tried })
  testedClient(t, { door: 'Twilio', client: '`twilio`', npm: 'twilio', tried })
  testedClient(t, { door: 'e-mail', client: '`nodemailer`', npm: 'nodemailer', tried })
  testedClient(t, { door: 'SMPP', client: '`smpp`', npm: 'smpp', tried })
  const [KANNEL_PORT, SMTP_PORT, SMPP_PORT] = [await freePort(), await freePort(), await freePort()]
  const installation = await startInstallation({
    devices: 1,
    behaviour: {},
    settings: { KANNEL_PORT, SMTP_PORT, SMPP_PORT, TWILIO: 'on' },
  })
  t.after(() => installation.stop())
  const { body } = await installation.api<{ key: string }>('/api/api-keys', { name: 'shop' })
  const env = {
    ...process.env,
    SDD_URL: installation.url,
    KANNEL_URL: `http://127.0.0.1:${KANNEL_PORT}`,
    SDD_KEY: body.key,
    SMTP_SERVER: `127.0.0.1:${SMTP_PORT}`,
    SMPP_SERVER: `127.0.0.1:${SMPP_PORT}`,
  }
  let settings = ''
  for (const [index, { language, code }] of blocks.entries()) {
    const run = async (command: string, args: string[]) => {
      const { stdout } = await promisify(execFile)(command, args, { env, cwd: SERVER })
      assert.equal(stdout.trim(), blocks[index + 1]!.code.trim())
    }
    if (language === 'js') await run(process.execPath, ['--input-type=module', '--eval', code])
    else if (code.startsWith('export ')) settings += code
    else if (language === 'sh') await run('bash', ['-euc', settings + code])
  }
})
