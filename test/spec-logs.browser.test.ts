import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { LogEntry } from '@sdd/contract/insight/log.ts'
import type { Locator, Page } from 'playwright-core'
import { eventually } from '../packages/console/test/browser.ts'
import { type Installation, startInstallation } from './installation.ts'
import { useVisits } from './visiting.ts'

let installation: Installation
/** A message that went all the way, and one whose number is permanently barred. */
let replied: LogEntry
let blocked: LogEntry
const { visit } = useVisits(() => installation)

before(async () => {
  installation = await startInstallation({
    devices: 3,
    behaviour: {
      send_ms: [5, 10],
      delivery_ms: [5, 10],
      reply_ms: [5, 10],
      replying: 1,
      // A stop word would block a number, whose messages then fail with a sentence of the console.
      stopping: 0,
      blocked: 0.4,
      reconnect_ms: [50, 300],
    },
  })
  for (let n = 0; n < 24; n++) {
    await installation.api('/api/device-send-sms', {
      device_uid: installation.uids[n % 3],
      telefono_to: `60011122${n % 10}`,
      mensaje_sms: `mensaje ${n}`,
    })
  }
  await eventually(async () => {
    const { body } = await installation.api<{ logs: LogEntry[] }>('/api/logs/devices')
    const one = (is: (entry: LogEntry) => boolean) => {
      const found = body.logs.find(is)
      assert.ok(found)
      return found
    }
    replied = one(({ answer_3 }) => answer_3 !== null)
    blocked = one(({ error_block }) => error_block)
  })
})
after(() => installation.stop())

function entryOf(page: Page, { id }: LogEntry): Locator {
  return page
    .getByRole('row')
    .filter({ has: page.getByRole('button', { name: `Abrir mensaje ${id}`, exact: true }) })
}

/** A time as the columns show it, in UTC, and their text for a missing time. */
function time(iso: string | null): string {
  const [, month, day, clock] = /^\d+-(\d+)-(\d+)T([\d:]+)/.exec(iso ?? '') ?? []
  return iso === null ? '-' : `${day}/${month} ${clock}`
}

test('the 18 cells of a message are its fields in the order of the columns, whatever its outcome', async (t) => {
  const page = await visit(t, '/logs')
  await page.getByRole('heading', { level: 1, name: 'Transaction Logs', exact: true }).waitFor()
  await entryOf(page, replied).waitFor()
  const columns = await page.getByRole('columnheader').allInnerTexts()
  assert.equal(
    columns.map((text) => text.trim()).join(', '),
    'ID, GUID, Device ID, Device GUID, Mensaje, Destino, Queue Time, Handed Time, Answer Sent Time, Answer Sent, ' +
      'Answer 2 Time, Answer 2, Notes, Answer 3, Answer 3 Time, Error, Error Msg, Error Time',
  )
  for (const entry of [replied, blocked]) {
    const row = entryOf(page, entry)
    await row.waitFor()
    const cells = (await row.getByRole('cell').allTextContents()).map((text) => text.trim())
    assert.match(cells[0]!, new RegExp(`${entry.id}$`))
    assert.deepEqual(cells.slice(1), [
      entry.guid,
      String(entry.device_id),
      entry.device_guid,
      entry.message,
      entry.message_to,
      time(entry.queue_timestamp),
      time(entry.handed_timestamp),
      time(entry.answer_sent_timestamp),
      entry.anwer_sent ?? '',
      time(entry.answer_2_timestamp),
      entry.answer_2 ?? '',
      entry.notes ?? '',
      entry.answer_3 ?? '',
      time(entry.answer_3_timestamp),
      entry.error === null ? '' : '✓',
      entry.error_msg ?? '',
      time(entry.error_timestamp),
    ])
  }
})

test('a row is red when its error_block is set, and only then', async (t) => {
  const page = await visit(t, '/logs')
  const ground = async (entry: LogEntry) => {
    const rgb = await entryOf(page, entry).evaluate(
      (row) => (globalThis as unknown as Styles).getComputedStyle(row).backgroundColor,
    )
    return rgb.match(/\d+/g)!.map(Number)
  }
  await entryOf(page, blocked).waitFor()
  const [red = 0, green = 0, blue = 0] = await ground(blocked)
  assert.ok(red > green + 8 && red > blue + 8, `rgb ${red} ${green} ${blue}`)
  const [r = 0, g = 0, b = 0] = await ground(replied)
  assert.ok(Math.max(r, g, b) - Math.min(r, g, b) <= 8, `rgb ${r} ${g} ${b}`)
})

/** The part of a browser's window used here. */
type Styles = { getComputedStyle(element: unknown): { backgroundColor: string } }

test('a search finds texts whatever their accents and case', async (t) => {
  const { body } = await installation.api<{ guid: string }>('/api/device-send-sms', {
    device_uid: installation.uids[1],
    telefono_to: '600999777',
    mensaje_sms: 'Su REVISIÓN es mañana',
  })
  const page = await visit(t, '/logs')
  const rows = page.getByRole('row').filter({ has: page.getByRole('button', { name: /^Abrir mensaje/ }) })
  for (const typed of ['manana', 'revision', 'REVISIÓN', 'mañana']) {
    await page.getByRole('searchbox').first().fill(typed)
    await page.waitForURL((url) => url.searchParams.get('search') === typed)
    await eventually(async () => {
      const found = await rows.allInnerTexts()
      assert.equal(found.length, 1, typed)
      assert.match(found[0]!, new RegExp(body.guid))
    })
  }
})

test('a new message waits behind a button, and a waiting message says why', async (t) => {
  const page = await visit(t, '/logs')
  await entryOf(page, replied).waitFor()
  await page.getByText('En vivo').waitFor()
  const { body } = await installation.api<{ guid: string }>('/api/device-send-sms', {
    device_uid: installation.uids[0],
    telefono_to: '600999888',
    mensaje_sms: 'el último',
  })
  await page.getByRole('button', { name: '1 nueva' }).click()
  const row = page.getByRole('row').filter({ hasText: 'el último' })
  await row.waitFor()
  await row.getByRole('cell').nth(4).click()
  const pane = page.getByRole('complementary', { name: 'Detalle del mensaje' })
  await pane.getByText('Encolado').waitFor()
  assert.equal(new URL(page.url()).searchParams.get('open'), body.guid)
})
