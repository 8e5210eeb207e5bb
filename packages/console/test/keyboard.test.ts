import assert from 'node:assert/strict'
import { after, before, beforeEach, test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { copied, eventually, useBrowser } from './browser.ts'
import { openExampleServer, type ExampleServer } from './example-server.ts'

const open = useBrowser()
let server: ExampleServer

before(async () => {
  server = await openExampleServer()
})
beforeEach(() => {
  server.asked.length = 0
})
after(() => server.stop())

/** A page on which using the mouse fails the test. */
async function withoutMouse(t: TestContext, path: string, role?: 'none'): Promise<Page> {
  const page = await open(t, { url: server.url, ...(role && { role }) })
  await page.addInitScript(() => {
    const refuse = () => {
      throw new Error('the mouse was used')
    }
    for (const kind of ['pointerdown', 'mousedown']) addEventListener(kind, refuse, true)
  })
  await page.goto(path)
  return page
}

/** The focused element, as its role or tag and its name. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement as HTMLInputElement | null
    const name =
      element?.getAttribute('aria-label') ?? element?.labels?.[0]?.textContent ?? element?.textContent ?? ''
    return `${element?.getAttribute('role') ?? element?.tagName.toLowerCase()} ${name.trim().replace(/\s+/g, ' ')}`
  })
}

/** Presses the key until the wanted element has the focus. Fails if the focus comes round again or is lost. */
async function keyTo(page: Page, wanted: string | RegExp, key = 'Tab'): Promise<void> {
  const passed: string[] = []
  for (let n = 0; n < 80; n++) {
    await page.keyboard.press(key)
    const now = await focused(page)
    if (typeof wanted === 'string' ? now === wanted : wanted.test(now)) return
    passed.push(now)
  }
  assert.fail(`${wanted} never had the focus: ${passed.join(', ')}`)
}

async function focusIs(page: Page, wanted: string): Promise<void> {
  await eventually(async () => assert.equal(await focused(page), wanted))
}

const screens = [
  ['Dashboard', 'Dashboard'],
  ['Send SMS', 'Send SMS'],
  ['Contactos', 'Contactos'],
  ['Users', 'Usuarios'],
  ['Logs', 'Transaction Logs'],
  ['Running Tasks', 'RUNNING TASKS'],
  ['Settings', 'Settings'],
  ['Devices', 'LINKED DEVICES'],
] as const

test('Tab and Enter lead from the login through the menu to every screen, and log out', async (t) => {
  const page = await withoutMouse(t, '/login', 'none')
  await focusIs(page, 'input Username')
  await page.keyboard.type('mrojas')
  await page.keyboard.press('Tab')
  await page.keyboard.type('correct')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'LINKED DEVICES' }).waitFor()
  for (const [link, title] of screens) {
    await keyTo(page, `a ${link}`, 'Shift+Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
  }
  await keyTo(page, 'button Logout', 'Shift+Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'LOG IN' }).waitFor()
})

test('the first Tab offers to skip the menu, and the next stop is in the screen', async (t) => {
  const page = await withoutMouse(t, '/sms')
  await page.getByRole('option', { name: 'drone-0001' }).waitFor({ state: 'attached' })
  await page.keyboard.press('Tab')
  assert.equal(await focused(page), 'button Saltar al contenido')
  const box = await page.getByRole('button', { name: 'Saltar al contenido' }).boundingBox()
  assert.ok(box && box.height > 30, 'it shows')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  assert.equal(await focused(page), 'button Menu')
  await keyTo(page, 'select UID')
})

test('the keyboard searches, walks, opens, sends and links on the devices screen', async (t) => {
  const page = await withoutMouse(t, '/devices')
  await page.getByRole('cell', { name: 'drone-0001', exact: true }).waitFor()
  await page.keyboard.press('/')
  await focusIs(page, 'input UID')
  await page.keyboard.type('000')
  await page.waitForURL('**/devices?search=000')
  await page.keyboard.press('Tab')
  for (const key of ['j', 'j', 'k', 'j']) await page.keyboard.press(key)
  await focusIs(page, 'button Details')
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'Networks drone-0002' }).getByText('ops-norte-5g').waitFor()
  await keyTo(page, /^button Copiar IP/)
  await keyTo(page, 'button Details', 'Shift+Tab')
  await page.keyboard.press('Tab')
  assert.equal(await focused(page), 'button Send SMS')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Send SMS' }).waitFor()
  await focusIs(page, 'input Teléfono')
  await page.keyboard.type('600111222')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Hola')
  await keyTo(page, 'button SEND')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Envío correcto' }).waitFor()
  await focusIs(page, 'button Cerrar')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').first().waitFor({ state: 'detached' })
  await focusIs(page, 'button Send SMS')
  await keyTo(page, 'button Link device', 'Shift+Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Link device' }).waitFor()
  await keyTo(page, 'button Crear código')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByText('ABCDE-FGHJK', { exact: true }).waitFor()
  await keyTo(page, 'button Copiar orden')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await focusIs(page, 'button Link device')
})

const searched = {
  devices: '/devices',
  log: '/logs',
  tasks: '/running-tasks',
  users: '/users',
  contacts: '/contacts',
  templates: '/contacts?tab=templates',
  campaigns: '/campaigns',
  'rows of a campaign': '/campaigns/1',
  conversations: '/conversations',
  limits: '/settings?tab=devices',
  callbacks: '/settings?tab=callbacks',
  'opt-outs': '/settings?tab=opt-outs',
  'audit log': '/settings?tab=audit',
}

for (const [list, address] of Object.entries(searched)) {
  test(`the down arrow leads from the search field to the first row of the ${list}`, async (t) => {
    const page = await withoutMouse(t, address)
    const first = page.locator('[data-index="0"], ul > li:first-child [data-row]').first()
    await first.waitFor()
    // A row further down has had the focus.
    for (const key of ['j', 'j', '/']) await page.keyboard.press(key)
    assert.equal(await page.evaluate(() => document.activeElement?.matches('[type=search]')), true)
    await page.keyboard.press('ArrowDown')
    await eventually(async () =>
      assert.ok(await first.evaluate((row) => row.contains(document.activeElement)), await focused(page)),
    )
  })
}

test('Space and Enter enable and filter devices', async (t) => {
  const page = await withoutMouse(t, '/devices')
  await page.getByRole('cell', { name: 'drone-0001', exact: true }).waitFor()
  await keyTo(page, /^button Desconectados/)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/devices?show=disconnected')
  await keyTo(page, /^button Todos/, 'Shift+Tab')
  await page.keyboard.press('Space')
  await page.waitForURL('**/devices')
  await keyTo(page, 'input Enabled drone-0001')
  await page.keyboard.press('Space')
  await eventually(() =>
    assert.ok(server.asked.some(({ path }) => path === '/api/disable-device/drone-0001')),
  )
})

test('the keyboard filters, walks, opens, copies and closes log rows', async (t) => {
  const page = await withoutMouse(t, '/logs')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'Abrir mensaje 450', exact: true }).waitFor()
  await page.keyboard.press('/')
  await keyTo(page, 'button Filtros')
  await page.keyboard.press('Enter')
  await page.getByRole('checkbox', { name: 'Solo errores' }).waitFor()
  await keyTo(page, 'input Solo errores')
  await page.keyboard.press('Space')
  await page.waitForURL('**/logs?errors=true')
  await page.keyboard.press('Space')
  await page.waitForURL('**/logs')
  await page.getByRole('button', { name: 'Abrir mensaje 450', exact: true }).waitFor()
  for (const key of ['j', 'j', 'Enter']) await page.keyboard.press(key)
  const pane = page.getByRole('complementary', { name: 'Detalle del mensaje' })
  await pane.getByText('queue_timestamp').waitFor()
  await focusIs(page, 'button Abrir mensaje 449')
  await page.keyboard.press('c')
  await page.getByText('Copiado').waitFor()
  await copied(page, server.logs[1]!.guid, () => page.keyboard.press('c'))
  await page.keyboard.press('Tab')
  assert.equal(await focused(page), 'button Cerrar detalle')
  await page.keyboard.press('Shift+Tab')
  assert.equal(await focused(page), 'button Abrir mensaje 449')
  await page.keyboard.press('Tab')
  await keyTo(page, 'button Copiar JSON')
  await page.keyboard.press('Escape')
  await pane.waitFor({ state: 'detached' })
  await focusIs(page, 'button Abrir mensaje 449')
})

test('the keyboard walks, opens and closes tasks and users, and the focus returns to the row', async (t) => {
  const page = await withoutMouse(t, '/running-tasks')
  await page.getByRole('button', { name: 'Ver task-000700' }).waitFor()
  for (const key of ['j', 'j', 'Enter']) await page.keyboard.press(key)
  await page.getByRole('dialog', { name: 'Detalles de la tarea' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await focusIs(page, 'button Ver task-000699')
  await keyTo(page, 'a Users', 'Shift+Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('cell', { name: 'Ana Ruiz', exact: true }).waitFor()
  for (const key of ['j', 'j', 'Enter']) await page.keyboard.press(key)
  await page.getByRole('dialog', { name: 'Editar usuario' }).waitFor()
  await focusIs(page, 'input Name')
  for (const stop of [
    'input Email',
    'select Role',
    'button Acceso y empresa',
    'button Cancel',
    'button Save',
  ]) {
    await page.keyboard.press('Tab')
    assert.equal(await focused(page), stop)
  }
  await page.keyboard.press('Tab')
  assert.equal(await focused(page), 'input Name', 'the focus stays in the modal')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await focusIs(page, 'button Edit')
})

test('in the settings, arrows switch tabs, Enter saves, and a limit is edited in its row', async (t) => {
  const page = await withoutMouse(t, '/settings')
  await page.getByLabel('Spoof time (secs)').waitFor()
  await keyTo(page, 'tab Global settings')
  await keyTo(page, 'input Spoof time (secs)')
  await page.keyboard.type('5')
  await page.keyboard.press('Enter')
  await page.getByText('¡Properly saved!').waitFor()
  await keyTo(page, 'tab Global settings', 'Shift+Tab')
  await page.keyboard.press('ArrowRight')
  await page.getByRole('cell', { name: 'drone-0001', exact: true }).waitFor()
  for (const key of ['j', 'j', 'Enter']) await page.keyboard.press(key)
  await focusIs(page, 'input Max SMS daily drone-0002')
  await page.keyboard.press('Escape')
  await focusIs(page, 'button Edit')
  await page.keyboard.press('Enter')
  await focusIs(page, 'input Max SMS daily drone-0002')
  await page.keyboard.type('12')
  await page.keyboard.press('Enter')
  await page.getByRole('cell', { name: '12', exact: true }).waitFor()
  await focusIs(page, 'button Edit')
})

test('the palette and the shortcut sheet take the focus and give it back', async (t) => {
  const page = await withoutMouse(t, '/logs')
  await page.getByRole('button', { name: 'Abrir mensaje 450', exact: true }).waitFor()
  await page.keyboard.press('j')
  await focusIs(page, 'button Abrir mensaje 450')
  for (const [key, name] of [
    ['ControlOrMeta+k', 'Ir a cualquier parte'],
    ['?', 'Atajos de teclado'],
  ] as const) {
    await page.keyboard.press(key)
    await page.getByRole('dialog', { name }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await focusIs(page, 'button Abrir mensaje 450')
  }
})

test('the focus is visible on every kind of control', async (t) => {
  const page = await withoutMouse(t, '/devices')
  await page.getByRole('cell', { name: 'drone-0001', exact: true }).waitFor()
  for (let n = 0; n < 30; n++) {
    await page.keyboard.press('Tab')
    const marked = await page.evaluate(() => {
      const outlined = (element: Element | null): boolean => {
        if (!element) return false
        const { outlineStyle, outlineWidth } = getComputedStyle(element)
        return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2
      }
      const element = document.activeElement
      // For an input, the box around it shows the outline.
      return outlined(element) || outlined(element?.parentElement ?? null)
    })
    assert.ok(marked, await focused(page))
  }
})

test('Enter right after j opens the row that j leads to, even if it was scrolled away', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await page.getByRole('cell', { name: 'drone-0001', exact: true }).waitFor()
  await page.keyboard.press('j')
  await eventually(async () => assert.equal(await focused(page), 'button Details'))
  await page.locator('[data-index="1"]').hover()
  await page.mouse.wheel(0, 100_000)
  await page.locator('[data-index="1"]').waitFor({ state: 'detached' })
  await page.evaluate(() => {
    for (const key of ['j', 'Enter']) document.dispatchEvent(new KeyboardEvent('keydown', { key }))
  })
  await page.getByRole('region', { name: 'Networks drone-0002', exact: true }).waitFor()
})
