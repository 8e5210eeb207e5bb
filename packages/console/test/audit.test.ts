import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditEntry } from '@sdd/contract/accounts/audit.ts'
import type { Locator, Page } from 'playwright-core'
import { eventually, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'
import { exampleAudit } from './example-systems.ts'

const open = useBrowser()
const server = await useExampleServer()

function rows(page: Page): Locator {
  return page.getByRole('row').filter({ has: page.getByRole('cell') })
}

test('each change shows its time, user, action, object, and old and new values', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=audit')
  await rows(page).nth(1).waitFor()
  const [at, by, action, name] = await rows(page).nth(1).getByRole('cell').allInnerTexts()
  assert.deepEqual(
    [at, by, action, name],
    ['20/11 21:20:27', 'Ana Ruiz', 'Cambió el límite diario', 'drone-0007'],
  )
  await rows(page).nth(1).getByText('max_sms_dayly: 100 → 250').waitFor()
  await rows(page).nth(0).getByText('send_enabled: Sí → No').waitFor()
  await rows(page).nth(0).getByText('stop_words: STOP → STOP, BAJA').waitFor()
})

test('subject, search and dates filter on the server and are kept in the address', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=audit')
  await page.getByLabel('Sobre').selectOption('Bajas')
  await page.waitForURL('**/settings?tab=audit&subject=opt_out')
  await page.getByLabel('Desde').fill('2026-11-19T08:00')
  await page.getByLabel('Hasta').fill('2026-11-21T08:00')
  await page.getByPlaceholder('Quién o qué').fill('Marta')
  await page.waitForURL('**search=Marta**')
  await page.reload()
  await rows(page).getByText('Quitó la baja').first().waitFor()
  const { query } = server.asked.findLast(({ path }) => path === '/api/audit-log')!
  assert.deepEqual(
    ['subject', 'search', 'from', 'to'].map((key) => query.get(key)),
    ['opt_out', 'Marta', '2026-11-19T08:00:00.000Z', '2026-11-21T08:00:00.000Z'],
  )
  await page.getByRole('button', { name: 'Quitar filtros' }).click()
  await page.waitForURL('**/settings?tab=audit')
  await rows(page).getByText('Guardó los ajustes').first().waitFor()
})

test('the keyboard walks the changes and opens one in full, under its own address', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=audit')
  await rows(page).first().waitFor()
  for (const key of ['j', 'Enter']) await page.keyboard.press(key)
  const details = page.getByRole('dialog', { name: 'Detalles del cambio' })
  await details.getByText('stop_words: STOP → STOP, BAJA').waitFor()
  await page.waitForURL('**/settings?tab=audit&open=80')
  await page.keyboard.press('Escape')
  await details.waitFor({ state: 'detached' })
  await page.goto('/settings?tab=audit&open=4711')
  await page.getByText('Ese cambio no está en la lista.').waitFor()
})

test('a change made meanwhile shows at once, and a failed load is reported', async (t) => {
  let entries = exampleAudit(2)
  server.answers['GET /api/audit-log'] = { status: 500 }
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=audit')
  await page.getByRole('alert').getByText('No se pudo cargar la auditoría.').waitFor()
  server.answers['GET /api/audit-log'] = () => ({ body: { entries, next_cursor: null } })
  await page.getByRole('button', { name: 'Reintentar' }).click()
  await rows(page).getByText('drone-0007').waitFor()
  await eventually(() => assert.equal(server.listeners(), 1))
  entries = exampleAudit(5)
  server.publish('/front/change', { changed: ['audit'] })
  await rows(page).getByText('Creó la clave').waitFor()
})

test('the palette offers only the tabs that the user may see', async (t) => {
  for (const [role, found] of [
    ['admin', true],
    ['user', false],
  ] as const) {
    const page = await open(t, { url: server.url, role })
    await page.goto('/dashboard')
    await page.getByText('En vivo').waitFor()
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('combobox', { name: 'Ir a cualquier parte' }).fill('auditoria')
    const option = page.getByRole('option', { name: 'Auditoría Settings' })
    if (found) {
      await option.waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL('**/settings?tab=audit')
    } else {
      await page.getByText('Nada coincide.').or(page.getByRole('option').first()).first().waitFor()
      assert.equal(await option.count(), 0)
    }
  }
})

test('in a chosen language, the server’s codes and English names are words of that language', async (t) => {
  const [entry] = exampleAudit(1)
  const changed = { ...entry!, changes: {} }
  const entries: AuditEntry[] = [
    {
      ...changed,
      changes: { send_enabled: { from: true, to: false }, new_rule: { from: null, to: 'some' } },
    },
    {
      ...changed,
      action: 'link_code.created',
      subject: 'link_code',
      name: 'QK7M… for 18 devices until 2026-11-20T21:32:07.000Z',
    },
    {
      ...changed,
      action: 'log.exported',
      subject: 'log',
      name: 'search=a, b, state=handed, errors=true, from=2026-11-19T08:00:00Z',
    },
    { ...changed, action: 'log.exported', subject: 'log', name: 'everything' },
    {
      ...changed,
      action: 'user.edited',
      subject: 'user',
      name: 'Luis Vega',
      changes: { role: { from: 'user', to: 'admin' }, password: { from: null, to: 'changed' } },
    },
    { ...changed, action: 'call.refused', subject: 'call', name: null, changes: {} },
    { ...changed, action: 'device.painted', subject: 'device', name: 'drone-0007' },
  ]
  server.answers['GET /api/audit-log'] = {
    body: { entries: entries.map((one, n) => ({ ...one, id: n + 1 })), next_cursor: null },
  }
  const shown = {
    es: [
      'Guardó los ajustes | de la empresa | Envío activado: Sí → No · new_rule: – → some',
      'Creó el código de enlace | QK7M… para 18 dispositivos hasta 20/11/2026 21:32 | -',
      'Descargó el registro | búsqueda: a, b, estado: en el dispositivo, con error, desde: 19/11/2026 08:00 | -',
      'Descargó el registro | completo | -',
      'Editó el usuario | Luis Vega | Rol: usuario → administrador · Contraseña: – → cambiada',
      'Se le denegó la llamada | varias llamadas | -',
      'Otra acción (código device.painted) | drone-0007 | -',
    ],
    en: [
      'Saved the settings | of the company | Sending on: Yes → No · new_rule: – → some',
      'Created the link code | QK7M… for 18 devices until 20 Nov 2026 21:32 | -',
      'Downloaded the log | search: a, b, state: on the device, with an error, from: 19 Nov 2026 08:00 | -',
      'Downloaded the log | in full | -',
      'Edited the user | Luis Vega | Role: user → admin · Password: – → changed',
      'Was refused the call | several calls | -',
      'Another action (code device.painted) | drone-0007 | -',
    ],
  }
  for (const language of ['es', 'en'] as const) {
    const page = await open(t, { url: server.url, language })
    await page.goto('/settings?tab=audit')
    await rows(page).nth(6).waitFor()
    const texts = await rows(page).evaluateAll((all) =>
      all.map((row) =>
        [...row.querySelectorAll('[role=cell], td')].map((cell) =>
          [...cell.childNodes].map(({ textContent }) => textContent).join(' · '),
        ),
      ),
    )
    assert.deepEqual(
      texts.map((cells) => [cells[2], cells[3], cells.at(-2)].join(' | ')),
      shown[language],
    )
  }
})

test('a failed login shows that the user is unknown, from where, and how often', async (t) => {
  const [known, unknown] = exampleAudit(2)
  const failed = {
    action: 'login.failed',
    subject: 'user' as const,
    by: null,
    user_id: null,
    address: '2001:db8::7',
    changes: { times: { from: null, to: 12 } },
  }
  const entries = [
    { ...known!, ...failed, name: 'Ana Ruiz' },
    { ...unknown!, ...failed, name: null, company_id: null, changes: {} },
  ]
  server.answers['GET /api/audit-log'] = { body: { entries, next_cursor: null } }
  const page = await open(t, { url: server.url, role: 'superadmin' })
  await page.goto('/settings?tab=audit')
  const cells = (row: number) => rows(page).nth(row).getByRole('cell').allInnerTexts()
  await rows(page).nth(1).waitFor()
  assert.deepEqual((await cells(0)).slice(1, 5), [
    'Alguien sin identificar',
    'Intento de inicio de sesión fallido (12 veces)',
    'Ana Ruiz',
    '2001:db8::7',
  ])
  assert.equal((await cells(1))[3], 'un nombre que nadie tiene')
  await rows(page).nth(1).getByRole('button').click()
  const details = page.getByRole('dialog', { name: 'Detalles del cambio' })
  await details.getByText('Dirección 2001:db8::7').waitFor()
})

test('logins, failed logins and who stopped sending are asked of the server, and downloaded as CSV', async (t) => {
  server.answers['GET /api/audit-log.csv'] = {
    csv: (async function* () {
      yield 'ID,At\r\n1,2026-11-20T21:32:07.000Z\r\n'
    })(),
  }
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=audit')
  const kind = page.getByLabel('Qué pasó')
  for (const [label, asked] of [
    ['Inicios de sesión', 'action=login'],
    ['Inicios de sesión fallidos', 'action=login.failed'],
    ['Envío activado o desactivado', 'changed=send_enabled'],
  ] as const) {
    const answered = page.waitForRequest((request) => request.url().includes(`?${asked}`))
    await kind.selectOption(label)
    await answered
  }
  await page.waitForURL('**/settings?tab=audit&kind=sending')
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'CSV' }).click()
  assert.equal((await saved).suggestedFilename(), 'logs-2026-11-20.csv')
  const { query } = server.asked.findLast(({ path }) => path === '/api/audit-log.csv')!
  assert.equal(query.get('changed'), 'send_enabled')
})
