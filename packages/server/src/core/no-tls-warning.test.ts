import assert from 'node:assert/strict'
import { test } from 'node:test'
import { warnIfInTheClear } from './no-tls-warning.ts'

function warned(address: string, more: { TLS?: unknown; PROXIES?: string[] } = {}): number {
  const lines: unknown[] = []
  const config = { HOST: 'given', TLS: undefined, PROXIES: undefined, ...more } as never
  warnIfInTheClear({ log: { warn: (line: unknown) => void lines.push(line) } as never, config, address })
  return lines.length
}

test('a server that other machines can reach warns once that passwords and secrets are sent in the clear', () => {
  for (const address of ['0.0.0.0', '::', '192.168.1.10', '10.0.0.1', 'fe80::1'])
    assert.equal(warned(address), 1)
})

test('a server on loopback, with a certificate or behind a proxy does not warn', () => {
  for (const address of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])
    assert.equal(warned(address), 0)
  assert.equal(warned('0.0.0.0', { TLS: {} }), 0)
  assert.equal(warned('0.0.0.0', { PROXIES: ['10.0.0.2'] }), 0)
})
