import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { openAssistantServer } from './server.ts'

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
