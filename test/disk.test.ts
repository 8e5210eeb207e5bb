import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { type Installation, startInstallation } from './installation.ts'

const PRELOAD = join(import.meta.dirname, 'preload/full-disk.ts')

type Refused = { code: string; detail: string; status?: string }
type Entry = { guid: string; state: string }

/** Submits tasks and messages until told to stop. */
function startTraffic({ api, uids }: Installation) {
  const acknowledged = new Set<string>()
  const refused: (Refused & { http: number })[] = []
  let going = true
  const senders = Array.from({ length: 6 }, async (_, sender) => {
    for (let n = 0; going; n++) {
      const number = `+3460${sender}${String(n).padStart(6, '0')}`
      const text = `message ${n} of sender ${sender} `.repeat(20)
      const { status, body } = await (sender % 2 === 0
        ? api<{ guid: string } & Refused>('/api/external-tasks', { to_number: number, text })
        : api<{ guid: string } & Refused>('/api/device-send-sms', {
            device_uid: uids[n % uids.length],
            telefono_to: number,
            mensaje_sms: text,
          }))
      if (body.guid) acknowledged.add(body.guid)
      // Devices come and go while their reports are refused.
      else if (body.code !== 'device_disconnected') refused.push({ ...body, http: status })
      if (!body.guid) await wait(50)
    }
  })
  return {
    acknowledged,
    refused,
    async stop() {
      going = false
      await Promise.all(senders)
    },
  }
}

const BUSY = {
  devices: 10,
  behaviour: {
    send_ms: [1, 30],
    delivery_ms: [5, 100],
    reconnect_ms: [20, 200],
  } as { [name: string]: [number, number] },
  max_sms_dayly: 100_000,
}

/** Acknowledged messages are stored and go out once; refused ones are not stored. */
async function assertWhole({ api, fleet }: Installation, acknowledged: ReadonlySet<string>): Promise<void> {
  const end = Date.now() + 60_000
  let log = await wholeLog(api)
  while (log.some(({ state }) => state !== 'delivered')) {
    assert.ok(
      Date.now() < end,
      `still open: ${JSON.stringify(log.filter(({ state }) => state !== 'delivered'))}`,
    )
    await wait(250)
    log = await wholeLog(api)
  }
  assert.deepEqual(new Set(log.map(({ guid }) => guid)), acknowledged)
  const twice = [...fleet.onAir()].filter(([, times]) => times > 1)
  assert.deepEqual(twice, [], 'on air more than once')
  assert.equal(fleet.onAir().size, acknowledged.size)
  assert.deepEqual(fleet.breaches(), [])
}

async function wholeLog(api: Installation['api']): Promise<Entry[]> {
  const log: Entry[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const more: string = cursor && `&cursor=${cursor}`
    const { body } = await api<{ logs: Entry[]; next_cursor: string | null }>(
      `/api/logs/devices?limit=1000${more}`,
    )
    log.push(...body.logs)
    cursor = body.next_cursor
  }
  return log
}

async function readyz({ url }: Installation): Promise<{ status: number; body: Partial<Refused> }> {
  const answer = await fetch(`${url}/readyz`)
  return { status: answer.status, body: (await answer.json()) as Partial<Refused> }
}

async function until(t: TestContext, what: string, fact: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000
  while (!(await fact())) {
    assert.ok(Date.now() < end, `never: ${what}`)
    await wait(50)
  }
  t.diagnostic(what)
}

test('a disk that fills up under traffic makes the server refuse new messages, and all continues once there is space', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-full-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const full = join(folder, 'full')
  const settings = { NODE_OPTIONS: `--import=${PRELOAD}`, FULL_DISK: full }
  const installation = await startInstallation({ ...BUSY, settings })
  t.after(() => installation.stop())
  const { acknowledged, refused, stop } = startTraffic(installation)
  await until(t, 'messages are taken', () => acknowledged.size > 100)

  writeFileSync(full, '')
  await until(t, 'messages are refused', () => refused.length > 20)
  const { data_dir } = installation
  for (const { http, code, detail } of refused) {
    assert.deepEqual([http, code], [507, 'disk_full'])
    assert.match(detail, new RegExp(`no room left on the disk of ${data_dir}.*Free some room`))
  }
  assert.ok(refused.some(({ status, detail }) => status === detail))
  const { status, body } = await readyz(installation)
  assert.deepEqual([status, body.code], [507, 'disk_full'])
  const before = acknowledged.size

  rmSync(full)
  await until(t, 'the server is ready by itself', async () => (await readyz(installation)).status === 200)
  await until(t, 'messages are taken again', () => acknowledged.size > before + 50)
  await stop()
  await assertWhole(installation, acknowledged)
  const output = installation.server.output()
  assert.match(output, /"level":"error".*no room left on the disk/)
  assert.ok(output.split('\n').length < 200, 'the log does not fill the disk')
})

test('a server whose file may not grow refuses writes, resumes once its log has room, and survives a kill', async (t) => {
  const installation = await startInstallation({ ...BUSY, most_file_kb: 3_072 })
  t.after(() => installation.stop())
  const { data_dir } = installation
  const { acknowledged, refused, stop } = startTraffic(installation)
  await until(t, 'messages are refused', () => refused.length > 20)
  assert.deepEqual([refused[0]!.http, refused[0]!.code], [503, 'not_ready'])
  assert.match(refused[0]!.detail, new RegExp(`database in ${data_dir} cannot be written`))
  const { status: looking } = await installation.api('/api/logs/devices')
  assert.equal(looking, 200, 'stored data can still be read')
  const before = acknowledged.size
  await until(t, 'messages are taken again', () => acknowledged.size > before + 10)
  await until(
    t,
    'the server is not ready',
    async () => (await readyz(installation)).body.code === 'not_ready',
  )
  await stop()
  await installation.server.kill()
  await installation.restart() // without the limit
  await assertWhole(installation, acknowledged)
})
