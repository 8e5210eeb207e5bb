import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoopback, linkCommand } from './linking.ts'

const ORIGIN = 'https://sms.example.org'

test('a modem is found by the agent, and a trial needs the simulated driver', () => {
  assert.equal(
    linkCommand('ABC', ORIGIN, 'modem'),
    'sdd-agent link --server https://sms.example.org --code ABC',
  )
  assert.equal(
    linkCommand('ABC', ORIGIN, 'none'),
    'node packages/agent/dist/agent.mjs link --server https://sms.example.org --code ABC --driver simulated',
  )
})

test('the command for a phone has the address and user of its app, quoted for a shell if need be', () => {
  const app = { url: 'http://10.0.0.7:8080', username: "o'neil $x" }
  assert.equal(
    linkCommand('ABC', ORIGIN, 'phone', app),
    'sdd-agent link --server https://sms.example.org --code ABC --driver android-gateway ' +
      `--url http://10.0.0.7:8080 --username 'o'\\''neil $x' --password -`,
  )
})

test('only addresses of the same machine are loopback ones', () => {
  for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '[::1]']) assert.ok(isLoopback(host), host)
  for (const host of ['192.168.1.2', 'sms.example.org', '10.127.0.1', 'localhost.example.org'])
    assert.ok(!isLoopback(host), host)
})
