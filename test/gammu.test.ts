import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { promisify } from 'node:util'
import { openTestModem } from '../packages/agent/test/modem.ts'
import { eventually } from '../packages/server/test/device.ts'
import { needProgram } from '../scripts/debian.ts'
import { ROOT } from '../scripts/run.ts'

// gammu is an independent program for modems. What it reads from the emulated modem, the agent must read, too. It dials
// codes as text only, so it reads nothing from a modem that wants packed septets.

const PTY = join(ROOT, 'packages/agent/test/emulator/pty.ts')
const CODE = '*100#'
const WITHIN_MS = 60_000
let gammu: string

before(async () => {
  gammu = await needProgram('gammu', 'gammu', 'socat')
  await needProgram('socat', 'socat')
})

for (const ussd of ['text', 'ucs2'] as const) {
  test(`gammu and the agent read the same answer to a code that the emulated modem writes as ${ussd}`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'sdd-gammu-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const link = join(folder, 'modem')
    const emulator = spawn(process.execPath, [PTY, '--link', link, '--ussd', ussd], {
      stdio: ['pipe', 'ignore', 'inherit'],
    })
    t.after(() => emulator.kill())
    await eventually(() => existsSync(link))
    const config = join(folder, 'gammurc')
    writeFileSync(config, `[gammu]\ndevice = ${link}\nconnection = at115200\n`)
    const { stdout } = await promisify(execFile)(gammu, ['-c', config, '--getussd', CODE], {
      timeout: WITHIN_MS,
    })
    const [, read] = /^Service reply\s*: "(.*)"$/m.exec(stdout) ?? []

    const modem = openTestModem({ dialect: { ussd } })
    await modem.ready()
    const dialled = await modem.time.until(modem.driver.dial!(CODE, WITHIN_MS))
    await modem.close()
    assert.deepEqual(dialled, { ok: true, output: read })
    assert.match(read!, /12,50 EUR/)
  })
}
