import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { LedgerLine } from '#simulator/ledger-index.ts'
import { type Endpoint, openEndpoint } from '#test/endpoint.ts'
import { eventually, sendCommand, temporaryFolder } from '#test/fleet.ts'

const MAIN = join(import.meta.dirname, 'main.ts')
const PROMPT =
  '--failing 0 --blocked 0 --unanswered 0 --undelivered 0 --unreported 0 --reconnect-ms 10-50 --delivery-ms 0-5'.split(
    ' ',
  )

type Program = {
  endpoint: Endpoint
  run: (...args: string[]) => ChildProcess
  /** Runs it through another command, which starts the program. */
  runIn: (wrapper: string[], ...args: string[]) => ChildProcess
  ledger: () => LedgerLine[]
}

/** The program itself, with devices sim-0001 … that are already linked with the endpoint. */
async function openProgram(t: TestContext, count = 1): Promise<Program> {
  const folder = temporaryFolder(t)
  const endpoint = await openEndpoint()
  const accounts = Array.from({ length: count }, (_, i) => {
    const uid = `sim-000${i + 1}`
    return JSON.stringify({ uid, secret: 'secret', mqtt_url: endpoint.mqtt_url, acks: 'puback' })
  })
  writeFileSync(join(folder, 'accounts.jsonl'), accounts.join('\n'))
  const ledger_path = join(folder, 'ledger.jsonl')
  const files = ['--accounts', join(folder, 'accounts.jsonl'), '--ledger', ledger_path]
  t.after(() => endpoint.close())
  function runIn(wrapper: string[], ...args: string[]): ChildProcess {
    const program = [process.execPath, MAIN, '--devices', String(count), ...files, ...PROMPT, ...args]
    const [command = '', ...rest] = [...wrapper, ...program]
    const child = spawn(command, rest)
    t.after(() => child.kill('SIGKILL'))
    return child
  }

  return {
    endpoint,
    runIn,
    run: (...args) => runIn([], ...args),
    ledger: () =>
      readFileSync(ledger_path, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as LedgerLine),
  }
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

test('rule 2: a simulator killed between sending and outcome reports unknown_outcome and never sends again', async (t) => {
  const { endpoint, run, ledger } = await openProgram(t)
  const first = run('--send-ms', '600000')
  await endpoint.until('it is there', () => endpoint.published('sim-0001', 'status').length === 1)
  endpoint.command('sim-0001', sendCommand('g1'))
  await endpoint.until('accepted', () => endpoint.reports('g1').length === 1)
  await eventually('sending', () => ledger().some(({ kind }) => kind === 'sending'))
  await kill(first)

  run('--send-ms', '0')
  const isDoubtful = (report: { state: string; code?: string | null }) =>
    report.state === 'failed' && report.code === 'unknown_outcome'
  await endpoint.until('the outcome', () => endpoint.reports('g1').some(isDoubtful))
  endpoint.command('sim-0001', sendCommand('g1'))
  await endpoint.until('it again', () => endpoint.reports('g1').filter(isDoubtful).length === 2)
  endpoint.command('sim-0001', sendCommand('g2'))
  await endpoint.until('the next', () => endpoint.reports('g2').some(({ state }) => state === 'sent'))
  assert.equal(endpoint.reports('g1').filter(({ state }) => state === 'sent').length, 0)
  assert.deepEqual(
    ledger().flatMap((line) => (line.kind === 'on_air' ? line.guid : [])),
    ['g2'],
  )
})

test('a simulator killed again and again loses no message and sends none twice', async (t) => {
  const { endpoint, run, ledger } = await openProgram(t, 3)
  const guids: string[] = []
  const isOver = (guid: string) =>
    endpoint.reports(guid).some(({ state }) => state === 'sent' || state === 'failed')
  const uidOf = (guid: string) => `sim-000${(guids.indexOf(guid) % 3) + 1}`
  const isThere = (connection: number) => () =>
    ['sim-0001', 'sim-0002', 'sim-0003'].every((uid) =>
      endpoint.published(uid, 'status').some((event) => event.connection === connection),
    )

  for (let round = 1; round <= 8; round++) {
    const child = run('--send-ms', '0-15')
    await endpoint.until(`round ${round}`, isThere(round))
    for (const guid of guids) {
      if (endpoint.reports(guid).length === 0) endpoint.command(uidOf(guid), sendCommand(guid))
    }
    for (let i = 0; i < 30; i++) {
      const guid = `g${round}-${i}`
      guids.push(guid)
      endpoint.command(uidOf(guid), sendCommand(guid))
    }
    await wait(round * 15)
    await kill(child)
  }
  run('--send-ms', '0')
  await endpoint.until('the last round', isThere(9))
  for (const guid of guids) {
    if (endpoint.reports(guid).length === 0) endpoint.command(uidOf(guid), sendCommand(guid))
  }
  await endpoint.until('every outcome', () => guids.every(isOver))

  const aired = Map.groupBy(
    ledger().filter((line) => line.kind === 'on_air'),
    ({ guid }) => guid,
  )
  for (const guid of guids) {
    const states = new Set(endpoint.reports(guid).map(({ state }) => state))
    assert.ok(!(states.has('sent') && states.has('failed')), `${guid} has two outcomes`)
    assert.ok((aired.get(guid)?.length ?? 0) <= 1, `${guid} was on air twice`)
    if (states.has('sent')) assert.equal(aired.get(guid)?.length, 1, `${guid} is said to be sent`)
  }
  const doubtful = guids.filter((guid) =>
    endpoint.reports(guid).some(({ code }) => code === 'unknown_outcome'),
  )
  assert.ok(doubtful.length > 0, 'no kill fell between sending and outcome')
})

test('Ctrl-C stops it cleanly, with a summary and exit status 0', async (t) => {
  const { endpoint, run } = await openProgram(t)
  const child = run('--send-ms', '0', '--spoof-time-secs', '5')
  const output = text(child.stdout!)
  await endpoint.until('it is there', () => endpoint.published('sim-0001', 'status').length === 1)
  endpoint.command('sim-0001', sendCommand('g1'))
  endpoint.command('sim-0001', sendCommand('g2'))
  await endpoint.until('delivered', () => ['g1', 'g2'].every((guid) => endpoint.reports(guid).length === 3))
  child.kill('SIGINT')
  const [status] = (await once(child, 'exit')) as [number]
  assert.equal(status, 0)
  assert.match(await output, /all devices are connected/)
  assert.match(await output, /connected 0\/1 · commands 2 .* sent 2 · delivered 2 .* breaches 1/)
  assert.match(await output, /breach of rule 3: too_close sim-0001 g2/)
  assert.ok(endpoint.events.some(({ kind }) => kind === 'disconnect'))
})

test('a simulator that cannot open its ledger ends with one clear line', async (t) => {
  const { endpoint, run } = await openProgram(t)
  const child = run('--ledger', '/dev/null/ledger.jsonl')
  const [errors, [status]] = await Promise.all([text(child.stderr!), once(child, 'exit')])
  assert.equal(status, 1)
  assert.match(errors, /^Cannot open the ledger \/dev\/null\/ledger.jsonl: [^\n]*\n$/)
  assert.equal(endpoint.events.length, 0)
})

test('a simulator whose disk is full accepts nothing more and ends with one clear line', async (t) => {
  const { endpoint, runIn } = await openProgram(t)
  const child = runIn(['sh', '-c', 'ulimit -f 1 && exec "$@"', 'sh'])
  const errors = text(child.stderr!)
  await endpoint.until('it is there', () => endpoint.published('sim-0001', 'status').length === 1)
  for (let i = 0; i < 9; i++) endpoint.command('sim-0001', sendCommand(`g${i}`, { text: 'x'.repeat(200) }))
  const [status] = (await once(child, 'exit')) as [number]
  assert.equal(status, 1)
  assert.match(await errors, /^Cannot write the ledger [^\n]*\n$/)
  for (let i = 0; i < 9; i++) assert.deepEqual(endpoint.reports(`g${i}`), [])
})

test('an unknown option ends it with one clear line', async (t) => {
  const { run } = await openProgram(t)
  const child = run('--sped', '1')
  const [errors, [status]] = await Promise.all([text(child.stderr!), once(child, 'exit')])
  assert.equal(status, 1)
  assert.match(errors, /^Unknown option '--sped'[^\n]*\n$/)
})
