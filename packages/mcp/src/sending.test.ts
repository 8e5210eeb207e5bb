import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { openAssistantServer } from './server.ts'

const MAIN = join(import.meta.dirname, 'main.ts')
const MINUTE_MS = 60_000

test('a person has ten minutes to agree', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let sent = 0
  type Sdd = Parameters<typeof openAssistantServer>[0]['sdd']
  const sdd = { send: async () => ({ guid: `${++sent}`, status: 'received' }) } as Partial<Sdd> as Sdd
  const server = openAssistantServer({ sdd, sending: 'confirmed', isPerson: false })
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } })
  const asked: ((agreed: boolean) => void)[] = []
  let wake = (): void => {}
  client.setRequestHandler(ElicitRequestSchema, async () => {
    const agreed = new Promise<boolean>((resolve) => asked.push(resolve))
    wake()
    return { action: 'accept', content: { send: await agreed } }
  })
  const [here, there] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(here), client.connect(there)])
  t.after(() => client.close())
  async function send() {
    const waiting = new Promise<void>((resolve) => (wake = resolve))
    const args = { to_number: '+34600111222', text: 'Hello' }
    const said = client.callTool({ name: 'send_message', arguments: args }, undefined, {
      timeout: 60 * MINUTE_MS,
    })
    await waiting
    return { said }
  }

  const slow = await send()
  t.mock.timers.tick(9 * MINUTE_MS)
  asked[0]!(true)
  assert.equal((await slow.said).isError ?? false, false)
  assert.equal(sent, 1)

  const late = await send()
  t.mock.timers.tick(10 * MINUTE_MS)
  assert.deepEqual(await late.said, {
    content: [{ type: 'text', text: 'Nothing was sent: the person did not answer in time.' }],
    isError: true,
  })
  assert.equal(sent, 1)
})

test('a wrong variable and a login that fails end the program with one line', () => {
  const run = (env: Record<string, string>) => {
    const { status, stderr } = spawnSync(process.execPath, [MAIN], { env, encoding: 'utf8' })
    return [status, stderr]
  }
  const address = 'must begin with https:// or http://, such as https://sms.example.com'
  assert.deepEqual(run({ SDD_URL: 'localhost:8080', SDD_KEY: 'sdk_x' }), [2, `SDD_URL ${address}\n`])
  const person = { SDD_USER: 'ana', SDD_PASSWORD: 'x' }
  const [status, said] = run({ SDD_URL: 'http://127.0.0.1:9', ...person })
  assert.deepEqual([status, said], [1, 'http://127.0.0.1:9 does not answer\n'])
})

test('an SMS that may be on its way is told with its guid, and may be sent again with it', async (t) => {
  const guids: string[] = []
  const web = createServer((request, response) => {
    void json(request).then((task) => {
      guids.push((task as { guid: string }).guid)
      response.writeHead(guids.length === 1 ? 500 : 422).end('{}')
    })
  }).listen(0, '127.0.0.1')
  t.after(() => web.close())
  await once(web, 'listening')
  const { port } = web.address() as AddressInfo
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN],
    env: { SDD_URL: `http://127.0.0.1:${port}`, SDD_KEY: 'sdk_x', SDD_MCP_SENDING: 'unconfirmed' },
  })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  t.after(() => client.close())
  async function send(more: Record<string, string> = {}) {
    const args = { to_number: '+34600111222', text: 'Hello', ...more }
    const { content } = await client.callTool({ name: 'send_message', arguments: args })
    return JSON.parse((content as { text: string }[])[0]!.text) as Record<string, string>
  }

  const { guid, note } = await send()
  assert.equal(guid, guids[0])
  assert.match(note!, /may be on its way/)
  assert.equal((await send({ guid: guid! })).guid, undefined)
  assert.deepEqual(guids, [guid, guid])
})
