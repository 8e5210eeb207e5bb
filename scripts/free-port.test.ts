import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'

/** Makes the next searches for a port draw the same numbers. */
function draw(t: TestContext, ...numbers: number[]): void {
  t.mock.method(Math, 'random', () => numbers.shift() ?? 0.9)
}

test('a port handed out is not handed to another process, even before it is in use', async (t) => {
  draw(t, 0.25)
  const port = await freePort()
  const script = `
    const numbers = [0.25, 0.5]
    Math.random = () => numbers.shift()
    const { freePort } = await import(${JSON.stringify(import.meta.resolve('./free-port.ts'))})
    console.log(await freePort())`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
  assert.notEqual(stdout.trim(), port)
})

test('a port in use is not handed out', async (t) => {
  const server = createServer().listen(26_560, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  draw(t, 0.75, 0.8)
  assert.equal(await freePort(), '27648')
})
