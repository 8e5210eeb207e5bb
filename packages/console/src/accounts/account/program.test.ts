import assert from 'node:assert/strict'
import { test } from 'node:test'
import { programOf } from './program.ts'

const KHTML = 'AppleWebKit/537.36 (KHTML, like Gecko)'

const seen: [string, string | undefined][] = [
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${KHTML} Chrome/150.0.0.0 Safari/537.36`, 'Chrome · Windows'],
  [`Mozilla/5.0 (Windows NT 10.0) ${KHTML} Chrome/150.0 Safari/537.36 Edg/150.0`, 'Edge · Windows'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox · Linux'],
  [`Mozilla/5.0 (Linux; Android 10; K) ${KHTML} Chrome/150.0 Mobile Safari/537.36`, 'Chrome · Android'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 (KHTML, like Gecko) Version/18.0 Safari/604.1',
    'Safari · iOS',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1 Version/18.0 Safari/605.1',
    'Safari · macOS',
  ],
  ['curl/8.5.0', 'curl'],
  ['node', 'node'],
  ['', undefined],
  ['  ???', undefined],
]

for (const [user_agent, name] of seen) {
  test(`${user_agent.slice(0, 60) || 'nothing'} is called ${name}`, () => {
    assert.equal(programOf(user_agent), name)
  })
}
