import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'

const open = useBrowser()
const server = await useExampleServer()
const { answers } = server

const busyTable = (page: Page) => page.locator('table[aria-busy=true]').waitFor()
const device = (page: Page) => page.getByRole('cell', { name: 'drone-0001', exact: true }).waitFor()

type Screen = {
  path: string
  link: string
  call: string
  /** Waits for the content shown while loading. */
  loading: (page: Page) => Promise<unknown>
  loaded: (page: Page) => Promise<unknown>
  /** A reply without content, and the text shown for it. */
  empty: [body: unknown, said: string]
}

const screens: Screen[] = [
  {
    path: '/devices',
    link: 'Devices',
    call: 'GET /api/device-list',
    loading: busyTable,
    loaded: device,
    empty: [[], 'No devices found.'],
  },
  {
    path: '/sms',
    link: 'Send SMS',
    call: 'GET /api/device-list',
    loading: (page) =>
      page.getByRole('combobox').getByText('-- Selecciona UID --').waitFor({ state: 'attached' }),
    loaded: (page) => page.getByRole('option', { name: 'drone-0001' }).waitFor({ state: 'attached' }),
    empty: [[], 'Ahora no hay dispositivos conectados.'],
  },
  {
    path: '/contacts',
    link: 'Contactos',
    call: 'GET /api/contacts',
    loading: busyTable,
    loaded: (page) => page.getByRole('button', { name: 'Abrir +34600111222' }).waitFor(),
    empty: [{ contacts: [], next_cursor: null }, 'Todavía no hay contactos.'],
  },
  {
    path: '/users',
    link: 'Users',
    call: 'GET /api/my-users',
    loading: busyTable,
    loaded: (page) => page.getByRole('cell', { name: 'Ana Ruiz', exact: true }).waitFor(),
    empty: [[], 'No users found matching the search.'],
  },
  {
    path: '/logs',
    link: 'Logs',
    call: 'GET /api/logs/devices',
    loading: (page) => page.getByText('Loading logs...', { exact: true }).waitFor(),
    loaded: (page) => page.getByRole('button', { name: 'Abrir mensaje 450', exact: true }).waitFor(),
    empty: [[], 'Todavía no hay mensajes.'],
  },
  {
    path: '/running-tasks',
    link: 'Running Tasks',
    call: 'GET /api/external-tasks',
    loading: (page) => page.getByText('Cargando...', { exact: true }).waitFor(),
    loaded: (page) => page.getByRole('button', { name: 'Ver task-000700' }).waitFor(),
    empty: [[], 'Sin tareas'],
  },
  {
    path: '/settings?tab=devices',
    link: 'Settings',
    call: 'GET /api/device-list-settings',
    loading: busyTable,
    loaded: device,
    empty: [[], 'Todavía no hay dispositivos.'],
  },
]

for (const { path, call, loading, loaded, empty } of screens) {
  test(`${path} says that it is loading, then shows its content, and never says that it is empty`, async (t) => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const usual = answers[call]!
    server.answers[call] = async (asked) => {
      await held
      return typeof usual === 'function' ? usual(asked) : usual
    }
    const page = await open(t, { url: server.url })
    await page.goto(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await loading(page)
    assert.equal(await page.getByText(empty[1], { exact: true }).count(), 0)
    assert.equal(await page.getByRole('alert').count(), 0)
    release()
    await loaded(page)
    assert.equal(await page.locator('[aria-busy=true]').count(), 0)
  })

  test(`${path} says if it is empty`, async (t) => {
    server.answers[call] = { body: empty[0] }
    const page = await open(t, { url: server.url })
    await page.goto(path)
    await page.getByText(empty[1], { exact: true }).waitFor()
    assert.equal(await page.locator('[aria-busy=true]').count(), 0)
  })
}

test('a machine that loses its network keeps what each screen shows, and says how old it is', async (t) => {
  const page = await open(t, { url: server.url })
  for (const { path, loaded } of screens) {
    await page.goto(path)
    await loaded(page)
    await page.getByText('En vivo').waitFor()
    await page.context().setOffline(true)
    await page.getByText('Sin conexión').waitFor()
    await page.getByText(/datos de hace \d+ s/).waitFor()
    await loaded(page)
    await page.context().setOffline(false)
    await page.getByText('En vivo').waitFor()
  }
})

test('a screen that was not loaded before the network was lost says so, and a retry with a network shows it', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await device(page)
  await page.context().setOffline(true)
  await page.getByRole('link', { name: 'Users', exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('No se pudo mostrar esta pantalla.').waitFor()
  await page.context().setOffline(false)
  await page.getByRole('button', { name: 'Reintentar' }).click()
  await page.getByRole('cell', { name: 'Ana Ruiz', exact: true }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/users')
})

test('without a network the loaded screens still show their lists', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/sms')
  const visited = screens.slice(0, -1)
  for (const { link, loaded } of [...visited, visited[0]!]) {
    await page.getByRole('link', { name: link, exact: true }).click()
    await loaded(page)
  }
  await page.context().setOffline(true)
  for (const { link, path, loaded } of visited) {
    await page.getByRole('link', { name: link, exact: true }).click()
    // The log reloads each time, as its pages are not cached.
    if (path !== '/logs') await loaded(page)
    else await page.getByRole('alert').getByText('No se pudieron cargar los registros.').waitFor()
  }
})

test('a file that a new version removed is requested again, and its screen shows', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await device(page)
  let gone = 0
  await page.route('**/assets/users-page-*.js', async (route) => {
    if (gone++ === 0) await route.fulfill({ status: 404, body: '' })
    else await route.continue()
  })
  await page.getByRole('link', { name: 'Users', exact: true }).click()
  const retry = page.getByRole('button', { name: 'Reintentar' })
  const row = page.getByRole('cell', { name: 'Ana Ruiz', exact: true })
  await retry.or(row).first().waitFor()
  if (await retry.count()) await retry.click()
  await row.waitFor()
  assert.ok(gone > 0, 'the file was asked for')
})

test('unknown names and values in an address cause no error', async (t) => {
  const page = await open(t, { url: server.url })
  for (const path of [
    '/devices?open=nobody',
    '/devices?sort=color&show=blue',
    '/running-tasks?status=lost',
    '/settings?tab=none&company=x',
    '/logs?view=none&state=none&from=never',
  ]) {
    await page.goto(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await eventually(async () => assert.equal(await page.locator('[aria-busy=true]').count(), 0))
    assert.equal(await page.getByRole('alert').count(), 0, path)
  }
})
