import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import {
  deleteAlertRule,
  listAlertRules,
  readAlertSettings,
  saveAlertRule,
} from '@sdd/contract/outward/alerts.ts'
import { eventually, sizes } from '../packages/console/test/browser.ts'
import { call } from '../packages/server/test/server.ts'
import { openSession } from '../scripts/session.ts'
import { newSettings, type ServerProcess, startProcess, SUPERADMIN } from './server-process.ts'
import { proveWhoAsks, useVisits } from './visiting.ts'

let folder: string
let server: ServerProcess
let token: string
const { visit } = useVisits(() => server)

/** What the other side answers, and the types of the messages that it got. */
const receiver = { status: 204, got: [] as string[] }
const other = createServer((request, response) => {
  let body = ''
  request.on('data', (part: Buffer) => (body += part.toString()))
  request.on('end', () => {
    receiver.got.push((JSON.parse(body) as { type: string }).type)
    response.writeHead(receiver.status).end('no such hook')
  })
})

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sdd-alerts-'))
  server = await startProcess(await newSettings(folder, { LOG_LEVEL: 'warn', CALLBACK_ADDRESSES: 'any' }))
  token = await openSession(server.url, SUPERADMIN)
  await new Promise<void>((listening) => other.listen(0, '127.0.0.1', listening))
})
after(async () => {
  await server.stop()
  other.close()
  rmSync(folder, { recursive: true })
})

async function rules() {
  const { body } = await call(server, listAlertRules, { token })
  return listAlertRules.reply.parse(body).alert_rules
}

test('a channel and a rule are made, changed in place, tested and deleted, and a failing channel is named', async (t) => {
  const page = await visit(t, '/settings?tab=alerts')
  await page.getByText('Todavía no se vigila nada.').waitFor()
  await page.getByRole('button', { name: 'Nuevo canal' }).press('Enter')
  const channelForm = page.getByRole('dialog', { name: 'Nuevo canal' })
  await channelForm.getByLabel('Tipo').selectOption('webhook')
  await channelForm.getByLabel('Nombre').fill('Panel')
  await channelForm.getByLabel('URL').fill(`http://127.0.0.1:${(other.address() as AddressInfo).port}/hook`)
  await channelForm.getByRole('button', { name: 'Guardar' }).click()
  await proveWhoAsks(page)
  const secret = page.getByRole('dialog', { name: 'Canal guardado' })
  assert.match(await secret.locator('code').innerText(), /^whsec_/)
  await secret.getByRole('button', { name: 'Cerrar', exact: true }).last().click()
  await secret.getByRole('button', { name: 'Cerrar', exact: true }).last().click()

  await page.getByRole('button', { name: 'Nueva regla' }).press('Enter')
  const ruleForm = page.getByRole('dialog', { name: 'Nueva regla' })
  await ruleForm.getByLabel('Avisar si').selectOption('queue_age')
  await ruleForm.getByLabel('Umbral').fill('0')
  await ruleForm.getByLabel('Panel').check()
  await ruleForm.getByRole('button', { name: 'Guardar' }).click()
  await ruleForm.getByText('Escriba un número entero de 1 a 1440.').waitFor()
  await ruleForm.getByLabel('Umbral').fill('15')
  await ruleForm.getByRole('button', { name: 'Guardar' }).click()
  await ruleForm.waitFor({ state: 'detached' })

  const rule = page.getByRole('listitem', { name: 'Cola sin avanzar' })
  const value = rule.getByLabel('Umbral de Cola sin avanzar')
  await value.fill('9999')
  await value.press('Tab')
  await rule.getByText('Escriba un número entero de 1 a 1440.').waitFor()
  assert.equal(await value.inputValue(), '9999')
  assert.equal((await rules())[0]?.value, 15)
  await value.fill('30')
  await value.press('Tab')
  await rule.getByText('Guardado').waitFor()
  await rule.getByLabel('Cuándo avisa').selectOption('office')
  await rule.getByLabel('Vigilar').uncheck()
  await eventually(async () => {
    const [saved] = await rules()
    assert.deepEqual([saved?.value, saved?.enabled, saved?.channels.length], [30, false, 1])
    assert.equal(saved?.hours?.windows[0]?.from, '08:00')
  })

  await rule.getByRole('button', { name: 'Probar' }).click()
  await rule.getByText('Panel: llegó').waitFor()
  assert.deepEqual(receiver.got, ['alert.test'])
  receiver.status = 410
  await page.getByRole('button', { name: 'Probar Panel' }).click()
  await page.getByText(/Panel: no llegó.*410/).waitFor()

  await page.getByRole('button', { name: 'Borrar Panel' }).press('Enter')
  const drop = page.getByRole('dialog', { name: '¿Borrar el canal?' })
  await drop.getByRole('button', { name: 'Borrar' }).press('Enter')
  await drop.getByRole('alert').waitFor()
  await page.keyboard.press('Escape')
  await rule.getByRole('button', { name: 'Borrar' }).press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Borrar' }).press('Enter')
  await page.getByText('Todavía no se vigila nada.').waitFor()
  await page.getByRole('button', { name: 'Borrar Panel' }).press('Enter')
  await drop.getByRole('button', { name: 'Borrar' }).press('Enter')
  await page.getByText('Todavía no hay canales').waitFor()
})

test('how often alerts are told is saved field by field, on a phone as well', async (t) => {
  const page = await visit(t)
  await page.setViewportSize(sizes.phone)
  await page.goto('/settings?tab=alerts')
  const box = page.getByRole('region', { name: 'Repetición' })
  await box.getByLabel('Sin marcar «Enterado», se repite').fill('45')
  await box.getByLabel('Avisos iguales se juntan durante').fill('601')
  await box.getByLabel('Avisar también cuando se resuelve').uncheck()
  await box.getByText('Escriba un número entero de 0 a 600.').waitFor()
  assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
  await eventually(async () => {
    const { body } = await call(server, readAlertSettings, { token })
    assert.deepEqual(body, { join_secs: 10, repeat_mins: 45, tell_resolved: false })
  })
})

test('own hours of a rule are set with the keyboard on a phone, over midnight and with several windows', async (t) => {
  const made = { condition: 'device_away', value: 5, channels: [] } as const
  await call(server, saveAlertRule, { token, body: made })
  t.after(async () => {
    for (const { id } of await rules())
      await call(server, deleteAlertRule, { token, params: { id: String(id) } })
  })
  const page = await visit(t)
  await page.setViewportSize(sizes.phone)
  await page.goto('/settings?tab=alerts')
  const choice = page.getByLabel('Cuándo avisa Dispositivo desconectado')
  await choice.focus()
  await page.keyboard.press('End')
  const form = page.getByRole('dialog', { name: 'Dispositivo desconectado' })
  const [first, second] = [
    form.getByRole('group', { name: 'Tramo 1' }),
    form.getByRole('group', { name: 'Tramo 2' }),
  ]
  await first.getByLabel('Desde').fill('22')
  await first.getByLabel('Hasta').fill('6:30')
  await first.getByLabel('viernes').press('Space')
  await form.getByRole('button', { name: 'Añadir tramo' }).press('Enter')
  await second.getByLabel('sábado').press('Space')
  await form.getByLabel('Zona horaria').fill('Atlantic/Canary')
  await form.getByLabel('Zona horaria').press('Enter')
  await second.getByText('Marque algún día.').waitFor()
  await second.getByLabel('lunes').and(page.locator(':focus')).waitFor()
  assert.equal((await rules())[0]?.hours, null)
  await second.getByLabel('domingo').press('Space')
  await form.getByLabel('Zona horaria').press('Enter')
  await form.waitFor({ state: 'detached' })
  await page.getByText('L–J 22:00–06:30, D 10:00–14:00 · Atlantic/Canary').waitFor()
  assert.deepEqual((await rules())[0]?.hours, {
    windows: [
      { days: ['mon', 'tue', 'wed', 'thu'], from: '22:00', to: '06:30' },
      { days: ['sun'], from: '10:00', to: '14:00' },
    ],
    zone: 'Atlantic/Canary',
    holidays: [],
  })
})
