import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { useBrowser } from './browser.ts'
import { openExampleServer, type ExampleServer } from './example-server.ts'
import { failWith, failureReplies, malformedReplies } from './faults.ts'

const open = useBrowser()
let server: ExampleServer

before(async () => {
  server = await openExampleServer()
})
after(() => server.stop())

type Screen = {
  path: string
  call: string
  said: string
  /** Waits for the loaded content. */
  loaded: (page: Page) => Promise<unknown>
  /** Malformed replies that are valid here. */
  takes?: string[]
}

const device = (page: Page) => page.getByRole('cell', { name: 'drone-0001', exact: true }).waitFor()

const screens: Record<string, Screen> = {
  devices: {
    path: '/devices',
    call: '/api/device-list',
    said: 'No se pudo cargar la lista de dispositivos.',
    loaded: device,
  },
  'a device’s networks': {
    path: '/devices?open=drone-0001',
    call: '/api/device/drone-0001/networks',
    said: 'No se pudieron cargar las redes.',
    loaded: (page) => page.getByText('ops-norte-5g').waitFor(),
    // A device without a snapshot.
    takes: ['null'],
  },
  'a device’s messages': {
    path: '/devices?open=drone-0001',
    call: '/api/logs/devices',
    said: 'No se pudieron cargar los mensajes.',
    loaded: (page) =>
      page
        .getByText(/\+346\d{8}/)
        .first()
        .waitFor(),
  },
  'the form that sends': {
    path: '/sms',
    call: '/api/device-list',
    said: 'No se pudo cargar la lista de dispositivos.',
    loaded: (page) => page.getByRole('option', { name: 'drone-0001' }).waitFor({ state: 'attached' }),
  },
  users: {
    path: '/users',
    call: '/api/my-users',
    said: 'No se pudo cargar la lista de usuarios.',
    loaded: (page) => page.getByRole('cell', { name: 'Ana Ruiz', exact: true }).waitFor(),
  },
  logs: {
    path: '/logs',
    call: '/api/logs/devices',
    said: 'No se pudieron cargar los registros.',
    loaded: (page) => page.getByRole('button', { name: 'Abrir mensaje 450', exact: true }).waitFor(),
  },
  tasks: {
    path: '/running-tasks',
    call: '/api/external-tasks',
    said: 'Error al cargar tareas',
    loaded: (page) => page.getByRole('button', { name: 'Ver task-000700' }).waitFor(),
  },
  'the global settings': {
    path: '/settings',
    call: '/api/global-settings',
    said: 'Error al cargar settings',
    loaded: (page) => page.getByLabel('Spoof time (secs)').waitFor(),
  },
  'the settings of devices': {
    path: '/settings?tab=devices',
    call: '/api/device-list-settings',
    said: 'Error al cargar dispositivos',
    loaded: device,
  },
}

for (const [name, { path, call, said, loaded, takes = [] }] of Object.entries(screens)) {
  test(`any failure to load ${name} shows one sentence, with a retry that loads it`, async (t) => {
    const page = await open(t, { url: server.url })
    const alert = page.getByRole('alert').filter({ hasText: said })
    for (const [what, fault] of Object.entries({ ...failureReplies, ...malformedReplies })) {
      if (takes.includes(what)) continue
      // Returning to a screen reloads what failed.
      if (await alert.count()) await page.getByRole('link', { name: 'Dashboard', exact: true }).click()
      await alert.waitFor({ state: 'detached' })
      await failWith(page, ['GET', call], fault)
      if (page.url().endsWith('/dashboard')) await page.goBack()
      else await page.goto(path)
      await alert.waitFor().catch(() => assert.fail(`${what}: ${said}`))
      assert.equal(await page.getByRole('alert').count(), 1, what)
      assert.equal(new URL(page.url()).pathname, path.split('?')[0], `${what}: the session stays`)
    }
    await page.unrouteAll()
    await alert.getByRole('button', { name: 'Reintentar' }).click()
    await loaded(page)
    await alert.waitFor({ state: 'detached' })
  })

  test(`a 401 to loading ${name} ends the session`, async (t) => {
    const page = await open(t, { url: server.url })
    await failWith(page, ['GET', call], { status: 401 })
    await page.goto(path)
    await page.getByRole('alert').getByText('Sesión expirada', { exact: true }).waitFor()
    assert.equal(new URL(page.url()).pathname, '/login')
    assert.equal(await page.evaluate(() => localStorage.getItem('token')), null)
  })
}
