import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { readGlobalSettings } from '@sdd/contract/accounts/settings.ts'
import { listKeywords } from '@sdd/contract/messages/keywords.ts'
import { eventually, sizes } from '../packages/console/test/browser.ts'
import { call } from '../packages/server/test/server.ts'
import { openSession } from '../scripts/session.ts'
import { newSettings, type ServerProcess, startProcess, SUPERADMIN } from './server-process.ts'
import { rowOf, useVisits } from './visiting.ts'

let folder: string
let server: ServerProcess
let token: string
const { visit } = useVisits(() => server)

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sdd-settings-'))
  server = await startProcess(await newSettings(folder, { LOG_LEVEL: 'warn' }))
  token = await openSession(server.url, SUPERADMIN)
})
after(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

async function settings() {
  const { body } = await call(server, readGlobalSettings, { token })
  return readGlobalSettings.reply.parse(body).settings[0]!
}

test('the sending hours of each class and the readers of conversations are set, and wrong hours are named', async (t) => {
  const page = await visit(t, '/settings')
  const marketing = page.getByRole('group', { name: 'Horario de marketing' })
  const others = page.getByRole('group', { name: 'Horario de los demás mensajes' })
  const first = marketing.getByRole('group', { name: 'Tramo 1', exact: true })
  await first.getByRole('checkbox', { name: 'sábado' }).press('Space')
  await first.getByLabel('Hasta').fill('25')
  await marketing.getByLabel('Festivos').fill('25/12/2026')
  await others.getByLabel('Solo a ciertas horas').check()
  await others.getByLabel('Por el reloj').selectOption('zone')
  await others.getByLabel('Zona horaria').fill('Europe/Nowhere')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await marketing.getByText('Escriba una hora como 20:00, o 24:00.').waitFor()
  await marketing.getByText('Escriba como mucho 366 días').waitFor()
  await others.getByText('Escriba una zona como Europe/Madrid.').waitFor()

  // Typed values stay while another tab is looked at.
  await page.getByRole('tab', { name: 'Bajas' }).click()
  await page.getByRole('tab', { name: 'Global settings' }).click()
  assert.equal(await others.getByLabel('Zona horaria').inputValue(), 'Europe/Nowhere')
  await first.getByLabel('Hasta').fill('21')
  await marketing.getByLabel('Festivos').fill('2026-12-25')
  await marketing.getByRole('button', { name: 'Añadir tramo' }).click()
  await others.getByLabel('Zona horaria').fill('Europe/Madrid')
  await page.getByLabel('Quién lee las conversaciones').selectOption('admin')
  await page.setViewportSize(sizes.phone)
  assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('¡Properly saved!').waitFor()
  const days = ['mon', 'tue', 'wed', 'thu', 'fri'] as const
  const { sending_hours, inbox_role } = await settings()
  assert.deepEqual(sending_hours, {
    marketing: {
      windows: [
        { days: [...days], from: '09:00', to: '21:00' },
        { days: ['sat'], from: '10:00', to: '14:00' },
      ],
      zone: 'recipient',
      holidays: ['2026-12-25'],
    },
    transactional: {
      windows: [{ days: [...days, 'sat'], from: '09:00', to: '20:00' }],
      zone: 'Europe/Madrid',
      holidays: [],
    },
  })
  assert.equal(inbox_role, 'admin')

  await others.getByLabel('Solo a ciertas horas').uncheck()
  await marketing.getByRole('button', { name: 'Quitar el tramo 1' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('¡Properly saved!').waitFor()
  const after = (await settings()).sending_hours
  assert.equal(after.transactional, null)
  assert.deepEqual(after.marketing.windows, [{ days: ['sat'], from: '10:00', to: '14:00' }])
})

test('a keyword is added, refused if its word has a meaning, changed and deleted, only by the keyboard', async (t) => {
  const page = await visit(t, '/settings?tab=keywords')
  await page.getByText('Ninguna palabra tiene respuesta.').waitFor()
  await page.getByRole('button', { name: 'Nueva palabra' }).press('Enter')
  const added = page.getByRole('dialog', { name: 'Nueva palabra' })
  const word = added.getByLabel('Palabra', { exact: true })
  await word.press('Enter')
  await added.getByText('Escriba una palabra de 40 caracteres como mucho').waitFor()
  await added.getByText('Escriba la respuesta.').waitFor()
  await word.fill('Baja')
  await added.getByLabel('Respuesta').fill('Abrimos de 9 a 14')
  await added.getByText('17 de 160').waitFor()
  await word.press('Enter')
  await added.getByRole('alert').waitFor()
  assert.equal(await word.getAttribute('aria-invalid'), 'true')
  await word.fill('Horario')
  await word.press('Enter')
  await rowOf(page, 'Responde').getByText('Abrimos de 9 a 14').waitFor()

  await page.getByRole('button', { name: 'Cambiar Horario' }).press('Enter')
  const changed = page.getByRole('dialog', { name: 'Horario' })
  await changed.getByLabel('Qué hace').selectOption('stop')
  await changed.getByLabel('Respuesta').fill('')
  await changed.getByLabel('Palabra', { exact: true }).press('Enter')
  await rowOf(page, 'Da de baja').getByText('No responde').waitFor()
  const { body } = await call(server, listKeywords, { token })
  const { keywords } = listKeywords.reply.parse(body)
  assert.deepEqual(
    keywords.map(({ word, action, answer }) => ({ word, action, answer })),
    [{ word: 'Horario', action: 'stop', answer: null }],
  )
  await page.getByRole('button', { name: 'Borrar Horario' }).press('Enter')
  const asked = page.getByRole('dialog', { name: '¿Borrar la palabra Horario?' })
  await asked.getByRole('button', { name: 'Borrar' }).press('Enter')
  await eventually(async () =>
    assert.ok(await page.getByText('Ninguna palabra tiene respuesta.').isVisible()),
  )
})
