import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { eventually } from '../packages/console/test/browser.ts'
import { logIn as openSession } from '../scripts/session.ts'
import { newSettings, PASSWORD, type ServerProcess, startProcess } from './server-process.ts'
import { logIn, useVisits } from './visiting.ts'

let folder: string
let server: ServerProcess
const { visit, stranger } = useVisits(() => server)

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sdd-session-'))
  server = await startProcess(await newSettings(folder, { LOG_LEVEL: 'warn' }))
})
after(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

const screens = [
  ['Dashboard', '/dashboard', 'Dashboard'],
  ['Devices', '/devices', 'LINKED DEVICES'],
  ['Send SMS', '/sms', 'Send SMS'],
  ['Users', '/users', 'Usuarios'],
  ['Logs', '/logs', 'Transaction Logs'],
  ['Running Tasks', '/running-tasks', 'RUNNING TASKS'],
  ['Settings', '/settings', 'Settings'],
] as const

/** By path, a call that the screen makes. */
const ownCalls: Record<string, string> = {
  '/devices': '/api/device-list',
  '/users': '/api/my-users',
  '/logs': '/api/logs/devices',
  '/running-tasks': '/api/external-tasks',
  '/settings': '/api/global-settings',
}

function stored(page: Page): Promise<(string | null)[]> {
  return page.evaluate(() => ['token', 'role', 'user_id'].map((key) => localStorage.getItem(key)))
}

/** The token of a session that has ended. */
async function endedToken(): Promise<string> {
  const token = await openSession(server.url, { username: 'superadmin', password: PASSWORD })
  const headers = { authorization: `Bearer ${token}` }
  const { status } = await fetch(`${server.url}/api/logout`, { method: 'POST', headers })
  assert.equal(status, 204)
  return token
}

test('without a token every guarded screen leads to /login, and unknown paths to /', async (t) => {
  const page = await stranger(t)
  for (const [from, to] of [
    ...screens.map(([, path]) => [path, '/login'] as const),
    ['/login/anything', '/login'] as const,
    ['/nowhere', '/'] as const,
    ['/', '/'] as const,
  ]) {
    await page.goto(from)
    await page.getByRole('button', { name: 'LOG IN', exact: true }).waitFor()
    assert.equal(new URL(page.url()).pathname, to, from)
  }
})

test('the login requires both fields, and sends them form-encoded without a token', async (t) => {
  const page = await stranger(t)
  const calls: string[] = []
  page.on('request', (request) => request.url().includes('/api/') && calls.push(request.url()))
  await page.goto('/')
  const username = page.getByPlaceholder('Username', { exact: true })
  const password = page.getByPlaceholder('Password', { exact: true })
  for (const field of [username, password]) assert.notEqual(await field.getAttribute('required'), null)
  assert.equal(await password.getAttribute('type'), 'password')
  const submit = page.getByRole('button', { name: 'LOG IN', exact: true })
  await submit.click()
  await username.fill('superadmin')
  await submit.click()
  assert.deepEqual(calls, [], 'nothing is sent while one is missing')
  await password.fill(PASSWORD)
  const asked = page.waitForRequest('**/api/login')
  await submit.click()
  const request = await asked
  assert.equal(request.method(), 'POST')
  assert.match((await request.allHeaders())['content-type'] ?? '', /^application\/x-www-form-urlencoded/)
  assert.deepEqual(Object.fromEntries(new URLSearchParams(request.postData() ?? '')), {
    username: 'superadmin',
    password: PASSWORD,
  })
  assert.equal((await request.allHeaders()).authorization, undefined)
  await page.waitForURL('**/devices')
})

test('a wrong name and a wrong password give the same answer', async (t) => {
  const page = await stranger(t)
  await page.goto('/login')
  for (const [username, password] of [
    ['superadmin', 'not the password'],
    ['nobody', PASSWORD],
  ]) {
    await page.reload()
    await page.getByPlaceholder('Username').fill(username!)
    await page.getByPlaceholder('Password').fill(password!)
    await page.getByRole('button', { name: 'LOG IN' }).click()
    const line = page.getByRole('alert')
    await line.waitFor()
    assert.equal((await line.innerText()).trim(), 'Usuario o contraseña incorrectos')
    assert.deepEqual(await stored(page), [null, null, null])
  }
})

test('signed-in users still see the login at / and /login, and unknown paths lead them there', async (t) => {
  const page = await visit(t, '/devices')
  for (const [from, to] of [
    ['/', '/'],
    ['/login', '/login'],
    ['/login/a/b', '/login'],
    ['/nowhere', '/'],
    ['/users/nowhere', '/'],
  ] as const) {
    await page.goto(from)
    await page.getByRole('button', { name: 'LOG IN', exact: true }).waitFor()
    assert.equal(new URL(page.url()).pathname, to, from)
  }
  await page.goto('/devices')
  await page.getByRole('heading', { name: 'LINKED DEVICES' }).waitFor()
})

test('each link of the menu leads to its screen under its title', async (t) => {
  const page = await visit(t, '/devices')
  const menu = page.getByRole('navigation')
  for (const [link, path, title] of screens) {
    await menu.getByRole('link', { name: link, exact: true }).click()
    await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
    assert.equal(new URL(page.url()).pathname, path)
    assert.equal(await page.title(), 'SMS DRONE DASH')
  }
  const [token, ...others] = await stored(page)
  assert.match(token!, /^\S{20,}$/)
  assert.deepEqual(others, ['superadmin', '1'])
})

test('the menu starts open from 768 px on and can be collapsed; on smaller screens it is an overlay that can be closed', async (t) => {
  const page = await visit(t)
  const toggle = page.getByRole('button', { name: 'Menu', exact: true })
  const menu = page.getByRole('navigation')
  for (const [width, open] of [
    [1440, true],
    [768, true],
    [767, false],
    [390, false],
  ] as const) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto('/devices')
    await toggle.waitFor()
    assert.equal(await menu.isVisible(), open, `${width} px`)
    assert.equal(await toggle.getAttribute('aria-expanded'), String(open), `${width} px`)
    await toggle.click()
    await eventually(async () => assert.equal(await menu.isVisible(), !open, `${width} px`))
    if (open) await toggle.click()
    else
      await page.getByRole('button', { name: 'Cerrar menú' }).click({ position: { x: width - 20, y: 400 } })
    await eventually(async () => assert.equal(await menu.isVisible(), open, `${width} px`))
  }
})

test('every call of every screen has the stored token', async (t) => {
  const page = await visit(t, '/login')
  const [token] = await stored(page)
  const calls = new Map<string, string | undefined>()
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/')) calls.set(pathname, request.headers().authorization)
  })
  for (const [, path] of screens) {
    await page.goto(path)
    await page.getByText('En vivo').waitFor()
    // The next navigation would cancel a call that is still to be made.
    const own = ownCalls[path]
    if (own) await eventually(() => assert.ok(calls.has(own), own))
  }
  await page.getByLabel('Spoof time (secs)').waitFor()
  await page.getByRole('tab', { name: 'Device settings' }).click()
  await page.getByRole('columnheader', { name: 'Max SMS daily' }).waitFor()
  for (const path of [...Object.values(ownCalls), '/api/device-list-settings'])
    assert.equal(calls.get(path), `Bearer ${token}`, path)
  assert.deepEqual([...new Set(calls.values())], [`Bearer ${token}`])
})

test('the console listens over one WebSocket, at /mqtt of its own host, to the two topics', async (t) => {
  const page = await visit(t)
  const opened: string[] = []
  const sent: string[] = []
  page.on('websocket', (socket) => {
    opened.push(socket.url())
    socket.on('framesent', ({ payload }) => sent.push(Buffer.from(payload).toString('latin1')))
  })
  await page.goto('/devices')
  await page.getByText('En vivo').waitFor()
  await page.getByRole('link', { name: 'Running Tasks' }).click()
  await page.getByText('Sin tareas').waitFor()
  assert.deepEqual(opened, [`${server.url.replace('http', 'ws')}/mqtt`])
  const subscribe = sent.find((packet) => packet.charCodeAt(0) === 0x82) ?? ''
  const [first, second] = ['devices/status', '/front/change'].map((topic) => subscribe.indexOf(topic))
  assert.ok(first! > 0 && second! > first!, 'it names both')
  assert.equal(subscribe.length, second! + '/front/change'.length + 1, 'and nothing else')
})

test('Logout ends the session in this tab, in the others and on the server', async (t) => {
  const page = await logIn(await stranger(t))
  const other = await page.context().newPage()
  await other.goto('/users')
  await other.getByRole('heading', { name: 'Usuarios' }).waitFor()
  const [token] = await stored(page)
  await page.getByRole('button', { name: 'Logout', exact: true }).click()
  await page.getByRole('button', { name: 'LOG IN' }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/')
  assert.equal((await stored(page))[0], null)
  await other.getByRole('button', { name: 'LOG IN' }).waitFor()
  await eventually(async () => {
    const headers = { authorization: `Bearer ${token}` }
    assert.equal((await fetch(`${server.url}/api/device-list`, { headers })).status, 401)
  })
  await page.goBack()
  await page.getByRole('button', { name: 'LOG IN' }).waitFor()
})

test('a Logout without a connection ends the session on the server when the connection is back, even after a reload', async (t) => {
  const page = await logIn(await stranger(t))
  const [token] = await stored(page)
  const headers = { authorization: `Bearer ${token}` }
  const status = async () => (await fetch(`${server.url}/api/device-list`, { headers })).status
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Logout', exact: true }).click()
  await page.getByText('se cerrará en cuanto haya conexión').waitFor()
  assert.deepEqual(await stored(page), [null, null, null])
  assert.equal(await status(), 200)
  await page.close({ runBeforeUnload: false })
  const later = await page.context().newPage()
  await page.context().setOffline(false)
  await later.goto(`${server.url}/login`)
  await later.getByText('ya está cerrada también en el servidor').waitFor()
  assert.equal(await status(), 401)
  assert.equal(await later.evaluate(() => localStorage.length), 0)
})

test('a 401 to the call of a screen removes the token and says Sesión expirada at /login', async (t) => {
  const page = await stranger(t)
  const authorization = `Bearer ${await endedToken()}`
  for (const [name, path] of [
    ['Users', '/api/my-users'],
    ['Logs', '/api/logs/devices'],
    ['Running Tasks', '/api/external-tasks'],
    ['Contactos', '/api/contacts'],
  ] as const) {
    await logIn(page)
    // Only this call is too late, so that no other one and no live connection can notice the end before it.
    const change = (route: Route) =>
      route.continue({ headers: { ...route.request().headers(), authorization } })
    await page.route(`**${path}*`, change, { times: 1 })
    const answer = page.waitForResponse((r) => r.url().includes(path) && r.status() === 401)
    await page.getByRole('link', { name, exact: true }).click()
    await answer
    await page.getByRole('alert').getByText('Sesión expirada', { exact: true }).waitFor()
    assert.equal(new URL(page.url()).pathname, '/login')
    assert.equal((await stored(page))[0], null)
  }
})
