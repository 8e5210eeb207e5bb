import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, temporaryFolder } from '#test/agents.ts'

const SCRIPT = join(import.meta.dirname, '../../../../docs/agent/termux-boot.sh')
const LINES = 12_000

test('the log of an agent that runs for long has at most a megabyte, and the previous log is kept', async (t) => {
  const home = temporaryFolder(t)
  const bin = join(home, 'bin')
  mkdirSync(bin)
  const command = (name: string, script: string): void =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  command('termux-wake-lock', 'exit 0')
  const x = 'x'.repeat(100)
  command('node', `i=0; while [ $i -lt ${LINES} ]; do echo "$i ${x}"; i=$((i + 1)); done; sleep 60`)
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: home }
  const shell = spawn('sh', [SCRIPT], { env, stdio: 'ignore', detached: true })
  t.after(() => process.kill(-shell.pid!, 'SIGKILL'))
  const log = join(home, '.sms-drone-dash/agent.log')
  const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '')
  await eventually('the last line', () => textOf(log).includes(`${LINES - 1} `))
  const texts = [`${log}.1`, log].map(textOf)
  for (const text of texts) assert.ok(text.length > 0 && text.length <= 1_000_000, `${text.length}`)
  const all = Array.from({ length: LINES }, (_, i) => `${i} ${x}\n`).join('')
  assert.ok(texts.join('') === all, 'a line is missing or changed')
})
