import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { openClient } from '../packages/contract/src/core/client.ts'
import { createTasks, readTask } from '../packages/contract/src/tasks/tasks.ts'
import { signatureHeaders } from '../packages/server/src/outward/callbacks/signature.ts'
import { needProgram } from '../scripts/debian.ts'
import { type Installation, startInstallation } from './installation.ts'

/** Developers of other systems copy from docs/external-tasks.md: this test runs everything on it. */
const ROOT = join(import.meta.dirname, '..')
const page = readFileSync(join(ROOT, 'docs/external-tasks.md'), 'utf8')
const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```/gms)].map(([, language, code]) => ({
  language,
  code: code!,
}))
const [setting, ...commands] = blocks.filter(({ language }) => language === 'sh')

let installation: Installation
let key: { key: string; webhook_secret: string }
let env: NodeJS.ProcessEnv

before(async () => {
  installation = await startInstallation({
    devices: 2,
    behaviour: {},
    settings: { CALLBACK_ADDRESSES: 'any' },
  })
  const made = await installation.api<typeof key>('/api/api-keys', { name: 'shop' })
  assert.equal(made.status, 201)
  key = made.body
  env = { ...process.env, SDD_URL: installation.url, SDD_KEY: key.key }
})
after(() => installation.stop())

/** The output of a code block, run exactly as it is on the page. */
async function runShell(code: string): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-euc', setting!.code + code], { env })
  return stdout
}

test('every command of the page does what the page says', async () => {
  const printed: string[] = []
  for (const { code } of commands) printed.push(await runShell(code))
  const [one, again, other, batch, read, taken] = printed
  const shown = blocks
    .filter(({ language }) => language === 'json')
    .map(({ code }) => JSON.parse(code) as unknown)
  assert.deepEqual(JSON.parse(one!), shown[0])
  assert.deepEqual(again!.trim().split('\n'), [JSON.stringify(shown[1]), '200'])
  assert.deepEqual(JSON.parse(other!), shown[2])
  assert.deepEqual(JSON.parse(batch!), shown[3])
  const task = JSON.parse(read!) as Record<string, unknown>
  assert.equal(task.guid, 'order-4711-shipped')
  assert.ok(page.includes(`| \`${task.state as string}\` |`), 'the page explains its state')
  assert.deepEqual(taken!.trim().split('\n'), ['202', '200'])
})

test('the page’s program submits a task and reads it', async () => {
  const { code } = blocks.find(({ language }) => language === 'ts')!
  const args = ['--input-type=module-typescript', '--eval', code]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env })
  const { state } = JSON.parse(stdout) as { state: string }
  assert.ok(['received', 'started', 'completed'].includes(state), state)
})

/** Programs in other languages, each with a way to call its functions `send` and `is_genuine`. */
const LANGUAGES = [
  {
    language: 'python',
    program: () => needProgram('python3', 'python3'),
    args: (code: string, call: string) => ['-c', `${code}\n${call}`],
    send: "print(send('+34600111226', 'Hola, ¿qué tal?', 'order-python'))",
    check: `import sys
given = json.load(sys.stdin)
print(is_genuine(given["headers"], given["body"].encode(), given["secret"]))`,
    verdicts: ['True', 'False'],
  },
  {
    language: 'php',
    program: () => needProgram('php', 'php-cli'),
    args: (code: string, call: string) => ['-r', `${code}\n${call}`],
    send: "echo send_sms('+34600111226', 'Hola, ¿qué tal?', 'order-php'), PHP_EOL;",
    check: `$given = json_decode(file_get_contents('php://stdin'), true);
var_export(is_genuine($given['headers'], $given['body'], $given['secret']));`,
    verdicts: ['true', 'false'],
  },
]

for (const { language, program, args, send, check, verdicts } of LANGUAGES) {
  test(`the page’s program in ${language} submits a task, and checks callbacks`, async () => {
    const { code } = blocks.find((block) => block.language === language)!
    const path = await program()
    const run = async (call: string, input = '') => {
      const running = promisify(execFile)(path, args(code, call), { env })
      // A program without input may end before it reads.
      running.child.stdin!.on('error', () => {}).end(input)
      return (await running).stdout.trim()
    }
    assert.equal(await run(send), `order-${language}`)
    const { call } = openClient({ url: installation.url, token: key.key })
    const task = await call(readTask, { params: { guid: `order-${language}` }, query: {} })
    assert.equal(task.text, 'Hola, ¿qué tal?')
    const body = '{"type":"task.sent"}'
    const headers = signatureHeaders([key.webhook_secret], 'msg_1', Date.now(), body)
    const given = { headers, body, secret: key.webhook_secret }
    const answers = [await run(check, JSON.stringify(given))]
    answers.push(await run(check, JSON.stringify({ ...given, body: body.replace('sent', 'lost') })))
    assert.deepEqual(answers, verdicts)
  })
}

test('the page’s code accepts a genuine callback and rejects a changed one', async (t) => {
  const { code } = blocks.find(({ language }) => language === 'js')!
  const { isGenuine } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    isGenuine: (headers: IncomingHttpHeaders, body: string, secret: string) => boolean
  }
  const server = createServer().listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const asked = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>
  const { call } = openClient({ url: installation.url, token: key.key })
  const callback_url = `http://127.0.0.1:${port}/sms`
  await call(createTasks, { body: { guid: 'told', to_number: '600111333', text: 'Hello', callback_url } })
  const [request, response] = await asked
  const body = await text(request)
  response.writeHead(204).end()
  const { type, task } = JSON.parse(body) as { type: string; task: { guid: string; state: string } }
  assert.deepEqual([type, task.guid, task.state], ['task.sent', 'told', 'completed'])
  assert.equal(isGenuine(request.headers, body, key.webhook_secret), true)
  assert.equal(isGenuine(request.headers, body.replace('told', 'tolx'), key.webhook_secret), false)
  const later = { ...request.headers, 'webhook-timestamp': String(Date.now() / 1000 - 900) }
  assert.equal(isGenuine(later, body, key.webhook_secret), false)
})
