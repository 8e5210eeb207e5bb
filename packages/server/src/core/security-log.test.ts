import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSecurityLog } from './security-log.ts'

function begin() {
  const lines: { level: string; fields: Record<string, unknown> }[] = []
  let now = 0
  const write = (level: string) => (fields: object) => void lines.push({ level, fields: { ...fields } })
  const say = openSecurityLog({ info: write('info'), warn: write('warn') } as never, () => now)
  return { lines, say, advance: (ms: number) => (now += ms) }
}

test('a line names the event, the user and the address', () => {
  const { lines, say } = begin()
  say('login.failed', { address: '192.0.2.1', user_id: 7 })
  say('login.succeeded', { address: '192.0.2.1', user_id: 7 })
  assert.deepEqual(lines, [
    { level: 'warn', fields: { event: 'login.failed', address: '192.0.2.1', user_id: 7, unsaid: undefined } },
    {
      level: 'info',
      fields: { event: 'login.succeeded', address: '192.0.2.1', user_id: 7, unsaid: undefined },
    },
  ])
})

test('ten lines a minute are written per address, and the next line counts the suppressed ones', () => {
  const { lines, say, advance } = begin()
  for (let n = 0; n < 25; n++) say('login.failed', { address: '192.0.2.1' })
  assert.equal(lines.length, 10)
  say('login.failed', { address: '192.0.2.2' })
  say('link.refused', { address: '192.0.2.1' })
  assert.equal(lines.length, 12)
  advance(60_000)
  say('login.failed', { address: '192.0.2.1' })
  assert.equal(lines.at(-1)!.fields['unsaid'], 15)
})

test('a flood from many addresses is limited too', () => {
  const { lines, say } = begin()
  for (let n = 0; n < 50_000; n++) say('login.failed', { address: `10.0.${n >> 8}.${n & 255}` })
  assert.equal(lines.length, 300)
  say('login.locked', { address: '10.0.0.1' })
  assert.equal(lines.length, 301)
})
