import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { after, before, test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { needProgram } from '../scripts/debian.ts'
import { freePort } from '../scripts/free-port.ts'
import { testedClient } from '../scripts/tested-clients.ts'
import { type Installation, startInstallation } from './installation.ts'

/** People copy from docs/integrations.md: this test runs its recipes. */
const ROOT = join(import.meta.dirname, '..')
const page = 'integrations'
const recipes = readFileSync(join(ROOT, 'docs/integrations.md'), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'sdd-integrations-'))
const WITHIN_MS = 20_000

let installation: Installation
let key: string
let smtp: string

before(async () => {
  smtp = await freePort()
  installation = await startInstallation({
    devices: 1,
    behaviour: { send_ms: [1, 5], delivery_ms: [1, 5], reply_ms: [1, 5], replying: 1, stopping: 0 },
    settings: { SMTP_PORT: smtp, CALLBACK_ADDRESSES: 'any' },
  })
  const body = { name: 'recipes', may: ['tasks:write', 'tasks:read', 'inbox:read'] }
  key = (await installation.api<{ key: string }>('/api/api-keys', body)).body.key
})
after(async () => {
  await installation.stop()
  rmSync(folder, { recursive: true })
})

/** The blocks of a section, with the test's server and key in place of the example's. */
function blocksOf(section: string): string[] {
  const [, rest = ''] = recipes.split(`\n## ${section}\n`)
  const [text = ''] = rest.split('\n## ')
  return Array.from(text.matchAll(/^```\w*\n(.*?)^```/gms), ([, code]) => filled(code!))
}

/** The values of a section's table, by field. */
function tableOf(section: string): Map<string, string> {
  const [, rest = ''] = recipes.split(`\n## ${section}\n`)
  const [text = ''] = rest.split('\n## ')
  const rows = text.matchAll(/^\| ([^|]+?) \| (.+) \|$/gm)
  return new Map(Array.from(rows, ([, field, value]) => [field!, filled(value!.replaceAll('\\|', '|'))]))
}

/** The first `code` of a table's value. */
const codeOf = (value: string | undefined): string => /`([^`]+)`/.exec(value ?? '')![1]!

function filled(text: string): string {
  return text
    .replaceAll('https://sms.example.com', installation.url)
    .replaceAll('sms.example.com:2525', `127.0.0.1:${smtp}`)
    .replaceAll('sdk_…', key)
}

/** Resolves once there is a task with this text. */
async function untilTask(text: string, to = '+34600111222'): Promise<void> {
  const path = `/api/external-tasks?search=${encodeURIComponent(text)}`
  for (const until = Date.now() + WITHIN_MS; Date.now() < until; await sleep(100)) {
    const { body } = await installation.api<{ tasks: { text: string; to_number: string }[] }>(path)
    const found = body.tasks.find((task) => task.text === text)
    if (found) return assert.equal(found.to_number, to)
  }
  assert.fail(`no SMS "${text}"`)
}

test('Alertmanager sends an SMS for an alert', async (t) => {
  const debian = 'prometheus-alertmanager'
  const program = await needProgram(debian, debian)
  const tried = 'the program sends an alert'
  testedClient(t, { page, door: 'e-mail', client: 'Alertmanager', debian, tried })
  const config = join(folder, 'alertmanager.yml')
  const [recipe] = blocksOf('Alertmanager')
  writeFileSync(
    config,
    recipe!
      .replace('require_tls: true', 'require_tls: false')
      // By default it waits 30 s for further alerts of a group.
      .replace('  receiver: sms\n', '  receiver: sms\n  group_wait: 0s\n'),
  )
  const port = await freePort()
  const args = [
    `--config.file=${config}`,
    `--storage.path=${join(folder, 'alertmanager')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--cluster.listen-address=',
  ]
  const running = spawn(program, args, { stdio: 'ignore' })
  t.after(() => running.kill())
  const alerts = [{ labels: { alertname: 'disk' }, annotations: { summary: 'The disk of db-1 is full.' } }]
  const tell = () =>
    fetch(`http://127.0.0.1:${port}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(alerts),
    }).then(
      ({ ok }) => ok,
      () => false,
    )
  for (const until = Date.now() + WITHIN_MS; !(await tell()); await sleep(100)) assert.ok(Date.now() < until)
  await untilTask('firing: The disk of db-1 is full.')
})

test('Apprise sends an SMS', async (t) => {
  await needProgram('apprise', 'apprise')
  const tried = 'the command of this page'
  testedClient(t, { page, door: 'e-mail', client: 'Apprise', debian: 'apprise', tried })
  const [recipe] = blocksOf('Apprise')
  await promisify(execFile)('bash', ['-euc', recipe!.replace('mailtos://', 'mailto://')])
  await untilTask('The backup is done.')
})

test('Home Assistant’s RESTful notify sends an SMS', async (t) => {
  const tried = 'not the program: its HTTP library, `requests`, with the request of its `rest/notify.py`'
  testedClient(t, { page, door: 'API', client: 'Home Assistant', tried })
  await needProgram('apprise', 'apprise')
  // Its HTTP library and YAML come with Apprise. The request is built as Home Assistant builds it.
  const program = `import json, requests, sys, yaml
[notify] = yaml.safe_load(sys.stdin)["notify"]
assert notify["platform"] == "rest" and notify["method"] == "POST_JSON"
data = {notify["message_param_name"]: "The door is open.", notify["target_param_name"]: ["+34600111222"][0]}
answer = requests.post(notify["resource"], headers=notify["headers"], params=None, json=data, timeout=10)
assert answer.status_code == 202, answer.text`
  const running = promisify(execFile)('/usr/bin/python3', ['-c', program])
  running.child.stdin!.end(blocksOf('Home Assistant')[0])
  await running
  await untilTask('The door is open.')
})

type Asked = { url: string; headers: Record<string, string>; body: string }

/** How each program makes its request from the recipe, according to its documentation or source. */
const DOCUMENTED: Record<string, (text: string) => Asked> = {
  Grafana(text) {
    const table = tableOf('Grafana')
    const credentials = Array.from(
      table.get('Authorization header, scheme and credentials')!.matchAll(/`([^`]+)`/g),
      ([, code]) => code!,
    )
    const [, fields = ''] = /coll\.Dict (.+) \| data\.ToJSON/.exec(blocksOf('Grafana')[0]!) ?? []
    const [, to_number] = /^"to_number" "([^"]+)" "text" \(tmpl\.Exec "sms\.text" \.\)$/.exec(fields)!
    return {
      url: codeOf(table.get('URL')),
      headers: { authorization: credentials.join(' '), 'content-type': 'application/json' },
      body: JSON.stringify({ text, to_number }),
    }
  },
  'Uptime Kuma'(text) {
    const table = tableOf('Uptime Kuma')
    const given = JSON.parse(codeOf(table.get('Additional headers'))) as Record<string, string>
    return {
      url: codeOf(table.get('Post URL')),
      headers: given,
      body: codeOf(table.get('Custom body')).replace('{{ msg | json }}', JSON.stringify(text)),
    }
  },
  Traccar(text) {
    const entries = new Map(
      Array.from(
        blocksOf('Traccar')[0]!.matchAll(/<entry key='([^']+)'>(.*)<\/entry>/g),
        ([, name, value]) => [name!, value!],
      ),
    )
    return {
      url: entries.get('sms.http.url')!,
      headers: {
        authorization: entries.get('sms.http.authorization')!,
        'content-type': 'application/json;charset=UTF-8',
      },
      body: entries
        .get('sms.http.template')!
        .replace('{phone}', '+34600111222')
        .replace('{message}', JSON.stringify(text).slice(1, -1)),
    }
  },
  n8n(text) {
    type Pairs = { parameters: { name: string; value: string }[] }
    const { nodes } = JSON.parse(blocksOf('n8n')[0]!) as {
      nodes: { parameters: { url: string; headerParameters: Pairs; bodyParameters: Pairs } }[]
    }
    const { url, headerParameters, bodyParameters } = nodes[0]!.parameters
    const values: Record<string, string> = { '={{ $json.phone }}': '+34600111222', '={{ $json.text }}': text }
    const pairs = ({ parameters }: Pairs) =>
      Object.fromEntries(parameters.map(({ name, value }) => [name, values[value] ?? value]))
    return {
      url,
      headers: { ...pairs(headerParameters), 'content-type': 'application/json' },
      body: JSON.stringify(pairs(bodyParameters)),
    }
  },
  RapidPro(text) {
    const table = tableOf('RapidPro')
    return {
      url: codeOf(table.get('Send URL')),
      headers: {
        authorization: codeOf(table.get('Authorization header')),
        'content-type': 'application/json',
      },
      body: codeOf(table.get('Body'))
        .replace('{{to}}', JSON.stringify('+34600111222'))
        .replace('{{text}}', JSON.stringify(text)),
    }
  },
}

const TRIED: Record<string, string> = {
  Grafana:
    'not the program: the request of its documentation of the webhook notifier. The template itself was not run',
  'Uptime Kuma': 'not the program: the request of its `notification-providers/webhook.js`',
  Traccar: 'not the program: the request of its `HttpSmsClient.java`',
  n8n: 'not the program: the request of its documentation of the HTTP Request node',
  RapidPro: 'not the program: the request of `handlers/external/handler.go` of its courier',
}

test('the documented requests of programs that we cannot run are tasks', async (t) => {
  for (const [program, request] of Object.entries(DOCUMENTED)) {
    testedClient(t, { page, door: 'API', client: program, tried: TRIED[program]! })
    const text = `From ${program}: "quoted", ñ and\ntwo lines`
    const { url, headers, body } = request(text)
    const answer = await fetch(url, { method: 'POST', headers, body })
    assert.equal(answer.status, 202, `${program}: ${await answer.text()}`)
    await untilTask(text)
  }
})

type Call = { method: string; url: string; body: string }

/** A server of another program. */
async function serve(t: TestContext, answer: (call: Call) => unknown) {
  const calls: Call[] = []
  const server = createServer((request, response) => {
    void textOf(request).then((body) => {
      const call = { method: request.method!, url: request.url!, body }
      calls.push(call)
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer(call)))
    })
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  async function untilCall(matches: (call: Call) => boolean): Promise<Call> {
    for (const until = Date.now() + WITHIN_MS; Date.now() < until; await sleep(50)) {
      const found = calls.find(matches)
      if (found) return found
    }
    return assert.fail(`not among ${JSON.stringify(calls)}`)
  }
  return { url, calls, untilCall }
}

/** Sends an SMS to a number, which the simulated phone of that number answers. */
async function receiveFrom(number: string): Promise<void> {
  const { status } = await installation.api('/api/external-tasks', {
    to_number: number,
    text: 'Are you there?',
  })
  assert.equal(status, 202)
}

test('RapidPro receives an SMS through its external channel', async (t) => {
  const tried = 'not the program: its address for received messages'
  testedClient(t, { page, door: 'webhook', client: 'RapidPro', tried })
  const rapidpro = await serve(t, () => ({}))
  const webhook = JSON.parse(blocksOf('RapidPro')[0]!) as { url: string }
  const url = webhook.url
    .replace('https://rapidpro.example.com', rapidpro.url)
    .replace('<uuid of the channel>', 'u')
  assert.equal((await installation.api('/api/webhooks', { ...webhook, url })).status, 201)
  await receiveFrom('+34600111777')
  const call = await rapidpro.untilCall(({ url }) => url.includes('111777'))
  const { pathname, searchParams } = new URL(call.url, rapidpro.url)
  assert.deepEqual(
    [call.method, pathname, searchParams.get('from')],
    ['GET', '/c/ex/u/receive', '+34600111777'],
  )
  assert.ok(searchParams.get('text'))
})

test('the program for Chatwoot carries messages both ways', async (t) => {
  const tried = 'the program of this page, with the requests of Chatwoot’s documentation'
  testedClient(t, { page, door: 'API, webhook', client: 'Chatwoot', tried })
  const chatwoot = await serve(t, ({ method, url }) =>
    url.endsWith('/conversations') ? (method === 'GET' ? [] : { id: 12 }) : { id: 1 },
  )
  execFileSync(
    process.execPath,
    ['packages/client/scripts/build.ts', join(folder, 'node_modules/@sdd/client')],
    { cwd: ROOT },
  )
  writeFileSync(join(folder, 'chatwoot.mjs'), blocksOf('Chatwoot')[0]!)
  const PORT = await freePort()
  const hook = { url: `http://127.0.0.1:${PORT}/sms`, types: ['sms.received'] }
  const { body } = await installation.api<{ webhook_secret: string }>('/api/webhooks', hook)
  const running = spawn(process.execPath, ['chatwoot.mjs'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      PORT,
      SDD_URL: installation.url,
      SDD_KEY: key,
      SDD_WEBHOOK_SECRET: body.webhook_secret,
      CHATWOOT_URL: chatwoot.url,
      CHATWOOT_INBOX: 'inbox',
    },
  })
  t.after(() => running.kill())
  await once(running.stdout, 'data')

  const message = {
    event: 'message_created',
    id: 77,
    content: 'Your parcel is here.',
    message_type: 'outgoing',
    private: false,
    conversation: { id: 12, meta: { sender: { phone_number: '+34600111888' } } },
  }
  const tell = async (change: object) => {
    const options = { method: 'POST', body: JSON.stringify({ ...message, ...change }) }
    assert.equal((await fetch(`http://127.0.0.1:${PORT}/chatwoot`, options)).status, 204)
  }
  await tell({})
  await tell({})
  await tell({ id: 78, private: true, content: 'A note' })
  await untilTask('Your parcel is here.', '+34600111888')
  const { body: found } = await installation.api<{ tasks: unknown[] }>('/api/external-tasks?search=chatwoot-')
  assert.equal(found.tasks.length, 1)

  // The phone has answered that SMS.
  const path = '/public/api/v1/inboxes/inbox/contacts/%2B34600111888/conversations/12/messages'
  const call = await chatwoot.untilCall(({ url }) => url === path)
  assert.ok((JSON.parse(call.body) as { content: string }).content)
})
