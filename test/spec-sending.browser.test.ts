import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Task } from '@sdd/contract/tasks/tasks.ts'
import type { Locator, Page, Request } from 'playwright-core'
import { eventually } from '../packages/console/test/browser.ts'
import { type Installation, startInstallation } from './installation.ts'
import { cellsOf, useVisits } from './visiting.ts'

/** A device that was linked but has never been switched on. */
const SILENT = 'silent-1'

let installation: Installation
let key: string
const { visit } = useVisits(() => installation)

before(async () => {
  installation = await startInstallation({
    devices: 4,
    behaviour: { send_ms: [5, 10], delivery_ms: [5, 10], reconnect_ms: [50, 300] },
  })
  const { body } = await installation.api<{ code: string }>('/api/link-codes', {})
  await installation.api('/api/devices/link', { code: body.code, uid: SILENT })
  key = (await installation.api<{ key: string }>('/api/api-keys', { name: 'shop' })).body.key
  await submitTasks({
    guid: 'goes-out',
    to_number: '+34600111222',
    text: 'Hola',
    sent_stamp: '2026-01-02T03:04:05.000Z',
  })
  await submitTasks({ guid: 'goes-out-silently', to_number: '+34600111223', text: 'Hola', silent: true })
  // No device has a SIM of this number, so these tasks wait for one.
  await submitTasks({ guid: 'waits', to_number: '+34600111224', text: 'Adiós', from_number: '+34600000001' })
  await submitTasks({
    guid: 'given-up',
    to_number: '+34600111225',
    text: 'Nunca',
    from_number: '+34600000001',
  })
  await fetch(`${installation.url}/api/external-tasks/given-up`, { method: 'DELETE', headers: bearer() })
  await eventually(async () => assert.ok((await taskOf('goes-out')).completed_at))
  await eventually(async () => assert.ok((await taskOf('goes-out-silently')).completed_at))
  // Its delivery report changes the entry once more.
  await eventually(async () => assert.ok((await entryOf('goes-out')).answer_2_timestamp))
})
after(() => installation.stop())

function bearer() {
  return { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
}

/** As another system does, with its API key. */
async function submitTasks(task: Record<string, unknown>): Promise<void> {
  const body = JSON.stringify(task)
  const answer = await fetch(`${installation.url}/api/external-tasks`, {
    method: 'POST',
    headers: bearer(),
    body,
  })
  assert.equal(answer.status, 202, await answer.text())
}

async function taskOf(guid: string): Promise<Task> {
  return (await installation.api<Task>(`/api/external-tasks/${guid}`)).body
}

async function entryOf(guid: string): Promise<Record<string, unknown>> {
  return (await installation.api<Record<string, unknown>>(`/api/logs/queue/guid/${guid}`)).body
}

function taskRow(page: Page, guid: string): Locator {
  return page.getByRole('row').filter({ has: page.getByRole('button', { name: `Ver ${guid}`, exact: true }) })
}

/** A time as the columns show it, in UTC, and their text for a missing time. */
function time(iso: string | null): string {
  const [, year, month, day, clock] = /^(\d+)-(\d+)-(\d+)T([\d:]+)/.exec(iso ?? '') ?? []
  const past = Number(year) === new Date().getUTCFullYear() ? '' : `/${year}`
  return iso === null ? '-' : `${day}/${month}${past} ${clock}`
}

function sendsOf(page: Page): Request[] {
  const sends: Request[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/api/device-send-sms')) sends.push(request)
  })
  return sends
}

async function send(page: Page, { to = '+34600999888', text = 'hola' } = {}): Promise<void> {
  await page.getByPlaceholder('+34...', { exact: true }).fill(to)
  await page.locator('textarea').fill(text)
  await page.getByRole('button', { name: 'SEND', exact: true }).click()
}

test('the cells of a task are its fields, a missing one shown as -', async (t) => {
  const page = await visit(t, '/running-tasks')
  await page.getByRole('heading', { level: 1, name: 'RUNNING TASKS', exact: true }).waitFor()
  await taskRow(page, 'goes-out').waitFor()
  const columns = await page.getByRole('columnheader').allInnerTexts()
  assert.equal(
    columns.map((text) => text.trim()).join(', '),
    'Ver, GUID, From, To, Text, Sent, Silent, Created, Assigned Device, Assigned, Completed, Discarded',
  )
  for (const guid of ['goes-out', 'goes-out-silently', 'waits', 'given-up']) {
    const [, ...cells] = await cellsOf(taskRow(page, guid))
    const task = await taskOf(guid)
    assert.deepEqual(cells, [
      guid,
      task.from_number ?? '-',
      task.to_number,
      task.text,
      time(task.sent_stamp),
      task.silent ? 'Sí' : 'No',
      time(task.created_at),
      task.device_guid_assigned ?? '-',
      time(task.assigned_at),
      time(task.completed_at),
      time(task.discarded_at),
    ])
  }
})

test('each filter asks the server with its value and shows only its tasks', async (t) => {
  const page = await visit(t)
  const asked = new Set<string | null>()
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname === '/api/external-tasks') asked.add(searchParams.get('status'))
  })
  await page.goto('/running-tasks')
  await taskRow(page, 'given-up').waitFor()
  assert.deepEqual([...asked], ['all'])
  for (const [label, value, shown, hidden] of [
    ['Received', 'received', 'waits', 'goes-out'],
    ['Completed', 'completed', 'goes-out', 'waits'],
  ] as const) {
    await page.getByRole('combobox').selectOption(label)
    await taskRow(page, hidden).waitFor({ state: 'detached' })
    await taskRow(page, shown).waitFor()
    assert.ok(asked.has(value))
  }
  await page.getByRole('combobox').selectOption('In Progress')
  await page.getByText('Sin tareas', { exact: true }).waitFor()
  assert.ok(asked.has('started'))
  await page.getByRole('combobox').selectOption('All')
  for (const guid of ['waits', 'goes-out', 'given-up']) await taskRow(page, guid).waitFor()
})

test('a new task and its progress show without a reload', async (t) => {
  const page = await visit(t, '/running-tasks')
  await page.getByText('En vivo').waitFor()
  await submitTasks({ guid: 'new-one', to_number: '+34600111226', text: 'Recién llegada' })
  const completed = taskRow(page, 'new-one').getByRole('cell').nth(10)
  await eventually(async () => assert.match(await completed.innerText(), /^\d\d\/\d\d \d\d:\d\d:\d\d$/))
})

test('the eye opens every key and value of the task on the server', async (t) => {
  const page = await visit(t, '/running-tasks')
  await page.getByRole('button', { name: 'Ver goes-out', exact: true }).click()
  const details = page.getByRole('dialog', { name: 'Detalles de la tarea', exact: true })
  await details.locator('dt').first().waitFor()
  // The others repeat a sentence for programs.
  const fields = Object.entries(await entryOf('goes-out')).filter(([name]) => !/_(codes?|params)$/.test(name))
  assert.deepEqual(
    await details.locator('dt').allInnerTexts(),
    fields.map(([name]) => name),
  )
  const said = (value: unknown) =>
    value === null || value === ''
      ? '-'
      : value === true
        ? 'Sí'
        : value === false
          ? 'No'
          : `${value as string}`
  const shown = (await details.locator('dd').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))
  assert.deepEqual(
    shown,
    fields.map(([, value]) => said(value).replace(/\s+/g, ' ')),
  )
  await details.getByRole('button', { name: 'Cerrar', exact: true }).click()
  await details.waitFor({ state: 'detached' })
})

test('a waiting task says why and until when, in the browser’s time', async (t) => {
  const page = await visit(t, '/running-tasks')
  await page.getByRole('button', { name: 'Ver waits', exact: true }).click()
  const details = page.getByRole('dialog', { name: 'Detalles de la tarea', exact: true })
  // The list of its times says so, too.
  await details.getByText('En espera', { exact: true }).first().waitFor()
  const { expires_at } = await taskOf('waits')
  const until = time(expires_at)
  await details.getByText(`Sale cuando alguno la tenga; si no, caduca el ${until}.`).first().waitFor()
})

test('the form on the page is centred and has no Cancelar', async (t) => {
  const page = await visit(t, '/sms')
  await page.getByRole('heading', { level: 1, name: 'Send SMS', exact: true }).waitFor()
  await eventually(async () => {
    const [form, main] = await Promise.all([
      page.locator('form').boundingBox(),
      page.getByRole('main').boundingBox(),
    ])
    const middle = (box: typeof form) => box!.x + box!.width / 2
    assert.ok(Math.abs(middle(form) - middle(main)) < 8)
  })
  assert.equal(await page.getByRole('button', { name: 'Cancelar' }).count(), 0)
})

test('a device that disconnects is no longer offered', async (t) => {
  const page = await visit(t, '/sms')
  const option = page.getByRole('option', { name: 'drone-0004', exact: true })
  await option.waitFor({ state: 'attached' })
  assert.equal(await page.getByRole('option', { name: SILENT }).count(), 0)
  const device = installation.fleet.devices.get('drone-0004')!
  device.misbehave({ away_ms: [10_000, 10_000] })
  await Promise.all([option.waitFor({ state: 'detached' }), device.leave()])
  await option.waitFor({ state: 'attached' })
})

test('sending posts one JSON with the three specified fields', async (t) => {
  const page = await visit(t, '/sms')
  const sends = sendsOf(page)
  await page.getByRole('combobox').selectOption('drone-0001')
  await send(page, { to: '600 111 222', text: 'Mañana a las 10' })
  await page.getByRole('dialog', { name: 'Envío correcto' }).getByText('SMS enviado vía MQTT').waitFor()
  await page.getByRole('button', { name: 'Cerrar', exact: true }).click()
  assert.equal(await page.locator('textarea').inputValue(), '')
  assert.equal(await page.getByPlaceholder('+34...').inputValue(), '')
  assert.equal(sends.length, 1)
  assert.equal(sends[0]!.method(), 'POST')
  assert.deepEqual(sends[0]!.postDataJSON(), {
    device_uid: 'drone-0001',
    telefono_to: '600 111 222',
    mensaje_sms: 'Mañana a las 10',
  })
})

test('a text of spaces counts as empty: nothing is sent and no message appears', async (t) => {
  const page = await visit(t, '/sms')
  const sends = sendsOf(page)
  await page.getByRole('combobox').selectOption('drone-0001')
  await send(page, { to: '   ' })
  await send(page, { text: '  \n ' })
  await page.getByPlaceholder('+34...').press('Enter')
  assert.equal(await page.getByRole('dialog').count(), 0)
  assert.equal(await page.getByRole('alert').count(), 0)
  await send(page, { text: 'un texto' })
  await page.getByRole('dialog', { name: 'Envío correcto' }).waitFor()
  assert.deepEqual(
    sends.map((request) => (request.postDataJSON() as { mensaje_sms: string }).mensaje_sms),
    ['un texto'],
  )
})

test('an invalid message is refused in the server’s words, and closing them closes the modal', async (t) => {
  const page = await visit(t)
  const refusals: [device: string, sms: Parameters<typeof send>[1], said: RegExp][] = [
    ['drone-0001', { to: '12' }, /3 to 15 digits/],
    ['drone-0001', { text: 'a'.repeat(1_531) }, /10/],
    [SILENT, {}, /silent-1 has been disconnected for/],
    ['nobody', {}, /nobody/],
  ]
  for (const [device, sms, said] of refusals) {
    await page.goto(`/devices?send=${device}`)
    const form = page.getByRole('dialog', { name: 'Send SMS', exact: true })
    const answered = page.waitForResponse('**/api/device-send-sms')
    await send(page, sms)
    const answer = (await (await answered).json()) as { status: string; detail: string }
    assert.equal(answer.status, answer.detail)
    assert.match(answer.status, said)
    const result = page.getByRole('dialog', { name: 'Error', exact: true })
    await result.getByText(answer.status, { exact: true }).waitFor()
    await result.getByRole('button', { name: 'Cerrar', exact: true }).click()
    await form.waitFor({ state: 'detached' })
    assert.equal(new URL(page.url()).search, '')
  }
})

test('a device at its daily limit refuses messages and says so', async (t) => {
  await installation.api('/api/device-list-settings', { uid: 'drone-0003', max_sms_dayly: 0 })
  const page = await visit(t, '/sms')
  await page.getByRole('combobox').selectOption('drone-0003')
  const answered = page.waitForResponse('**/api/device-send-sms')
  await send(page)
  const response = await answered
  assert.equal(response.status(), 429)
  assert.ok(Number((await response.allHeaders())['retry-after']) > 0)
  const { status } = (await response.json()) as { status: string }
  await page.getByRole('dialog', { name: 'Error', exact: true }).getByText(status, { exact: true }).waitFor()
})
