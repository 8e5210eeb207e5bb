import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test, type TestContext } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { type ElicitResult, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { testedClient } from '../scripts/tested-clients.ts'
import { type Installation, startInstallation } from './installation.ts'
import { SUPERADMIN } from './server-process.ts'

/** The server for assistants, as its own process, with the official client. */
const MAIN = join(import.meta.dirname, '../packages/mcp/src/main.ts')
const SMS = { to_number: '+34600111222', text: 'The meeting is at ten.' }
const OFFICIAL = {
  page: 'integrations',
  door: 'MCP',
  client: 'the official client',
  npm: '@modelcontextprotocol/sdk',
} as const

let installation: Installation
let key: string

before(async () => {
  installation = await startInstallation({ devices: 1, behaviour: { send_ms: [1, 5], delivery_ms: [1, 5] } })
  const body = { name: 'assistant', may: ['tasks:write', 'tasks:read', 'inbox:read'] }
  key = (await installation.api<{ key: string }>('/api/api-keys', body)).body.key
})
after(() => installation.stop())

/** An assistant whose person gives this answer when asked. Without one, the client cannot ask. */
async function connect(
  t: TestContext,
  { person, env }: { person?: (message: string) => ElicitResult; env?: Record<string, string> } = {},
) {
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: person ? { elicitation: {} } : {} },
  )
  if (person) client.setRequestHandler(ElicitRequestSchema, ({ params }) => person(params.message))
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN],
    env: { SDD_URL: installation.url, SDD_KEY: key, ...env },
  })
  await client.connect(transport)
  t.after(() => client.close())
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name).sort(),
    async call(name: string, args: Record<string, unknown> = {}) {
      const { content, isError = false } = await client.callTool({ name, arguments: args })
      const { text } = (content as { text: string }[])[0]!
      return { text, failed: isError, json: () => JSON.parse(text) as Record<string, never> }
    },
  }
}

const tasks = async () =>
  (await installation.api<{ tasks: { text: string }[] }>('/api/external-tasks')).body.tasks.map(
    ({ text }) => text,
  )

test('an SMS is sent after the person has agreed, and only then', async (t) => {
  testedClient(t, { ...OFFICIAL, tried: 'sending: the person declines, cancels, agrees' })
  const asked: string[] = []
  const answers: ElicitResult[] = [
    { action: 'decline' },
    { action: 'accept', content: { send: false } },
    { action: 'cancel' },
    { action: 'accept', content: { send: true } },
  ]
  const assistant = await connect(t, {
    person(message) {
      asked.push(message)
      return answers[asked.length - 1]!
    },
  })
  for (let refused = 0; refused < 3; refused++) {
    const said = await assistant.call('send_message', SMS)
    assert.deepEqual([said.failed, said.text], [true, 'Nothing was sent: the person did not agree.'])
    assert.deepEqual(await tasks(), [])
  }
  const sent = (await assistant.call('send_message', SMS)).json()
  assert.equal(sent.status, 'received')
  assert.equal(asked[3], 'Send this SMS to +34600111222?\n\nThe meeting is at ten.')
  assert.deepEqual(await tasks(), [SMS.text])
  assert.equal((await assistant.call('read_task', { guid: sent.guid })).json().text, SMS.text)
})

test('a client that cannot ask the person sends nothing, but drafts', async (t) => {
  testedClient(t, { ...OFFICIAL, tried: 'a client that cannot ask the person' })
  const before = await tasks()
  const assistant = await connect(t)
  const said = await assistant.call('send_message', SMS)
  assert.ok(said.failed)
  assert.match(said.text, /^Nothing was sent: this client cannot ask/)
  assert.deepEqual(await tasks(), before)
  assert.deepEqual((await assistant.call('draft_message', { ...SMS, text: 'ñ'.repeat(161) })).json().parts, 2)
})

test('sending can be switched off, or left to the assistant by a setting', async (t) => {
  testedClient(t, { ...OFFICIAL, tried: '`SDD_MCP_SENDING`' })
  const off = await connect(t, { env: { SDD_MCP_SENDING: 'off' } })
  assert.ok(!(await off.tools()).includes('send_message'))
  const free = await connect(t, { env: { SDD_MCP_SENDING: 'unconfirmed' } })
  assert.equal((await free.call('send_message', { ...SMS, text: 'By itself' })).json().status, 'received')
})

test('an API key reads tasks and the inbox, and a person also reads the fleet and the log', async (t) => {
  testedClient(t, { ...OFFICIAL, tried: 'reading with a key, and as a person' })
  const byKey = await connect(t)
  assert.deepEqual(await byKey.tools(), [
    'draft_message',
    'list_inbox',
    'list_tasks',
    'read_task',
    'send_message',
  ])
  const { username, password } = SUPERADMIN
  const byPerson = await connect(t, { env: { SDD_KEY: '', SDD_USER: username, SDD_PASSWORD: password } })
  const { devices } = (await byPerson.call('list_devices')).json() as unknown as {
    devices: { uid: string }[]
  }
  assert.deepEqual(
    devices.map(({ uid }) => uid),
    installation.uids,
  )
  assert.equal((await byPerson.call('read_device', { uid: installation.uids[0] })).failed, false)
  const { logs } = (await byPerson.call('read_log', { search: SMS.text })).json() as unknown as {
    logs: unknown[]
  }
  assert.equal(logs.length, 1)
})

test('a refusal of the server is told with its code and field', async (t) => {
  testedClient(t, { ...OFFICIAL, tried: 'a refusal' })
  const assistant = await connect(t, { env: { SDD_MCP_SENDING: 'unconfirmed' } })
  const said = await assistant.call('send_message', { ...SMS, to_number: 'nobody' })
  assert.ok(said.failed)
  assert.deepEqual([said.json().code, Object.keys(said.json().fields!)], ['invalid', ['to_number']])
  assert.match((await assistant.call('read_task', { guid: 'missing' })).text, /unknown_task/)
})
