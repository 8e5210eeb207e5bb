import assert from 'node:assert/strict'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { ConfigError } from './config.ts'
import { listenAt, listenFault } from './listen-fault.ts'

const at = { variable: 'MQTT_PORT', host: '10.0.0.9', port: 883 }
const fault = (code: string) => listenFault(Object.assign(new Error(`listen ${code}`), { code }), at)

test('a port that is in use or not allowed is an error about the setting of the port', () => {
  for (const code of ['EADDRINUSE', 'EACCES']) {
    const error = fault(code)
    assert.ok(error instanceof ConfigError)
    assert.equal(error.variable, 'MQTT_PORT')
    assert.match(error.message, /883/)
  }
})

test('an address of another machine, or an unknown name, is an error about HOST', () => {
  for (const code of ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EAFNOSUPPORT', 'EINVAL']) {
    const error = fault(code)
    assert.ok(error instanceof ConfigError)
    assert.equal(error.variable, 'HOST')
    assert.match(error.message, /10\.0\.0\.9/)
  }
})

test('any other error is passed on unchanged', () => {
  const error = Object.assign(new Error('too many open files'), { code: 'EMFILE' })
  assert.equal(listenFault(error, at), error)
})

test('a listener that has started keeps its errors to itself, and a second one at its port is refused', async (t) => {
  const [first, second] = [createServer(), createServer()]
  t.after(() => first.close())
  const here = { variable: 'SMTP_PORT', host: '127.0.0.1', port: 0 }
  await listenAt(first, here)
  assert.equal(first.listenerCount('error'), 0)
  const { port } = first.address() as AddressInfo
  await assert.rejects(listenAt(second, { ...here, port }), ConfigError)
})
