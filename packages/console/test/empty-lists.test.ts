import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { eventually, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'

const open = useBrowser()
const server = await useExampleServer()

const WIDTHS = [390, 768, 1024, 1440, 1920]
const HEIGHT = 720

type EmptyCase = {
  path: string
  call: string
  body: unknown
  said: string
  /** The button that clears the filter. */
  clear?: string
}

const CLEAR = 'Quitar filtros'

const lists: Record<string, EmptyCase> = {
  devices: { path: '/devices', call: 'GET /api/device-list', body: [], said: 'No devices found.' },
  'filtered devices': {
    path: '/devices?search=nobody',
    call: '',
    body: undefined,
    said: 'No devices found.',
    clear: CLEAR,
  },
  log: { path: '/logs', call: 'GET /api/logs/devices', body: [], said: 'Todavía no hay mensajes.' },
  'filtered log': {
    path: '/logs?search=99999999&state=failed',
    call: 'GET /api/logs/devices',
    body: [],
    said: 'Ningún mensaje cumple el filtro.',
    clear: CLEAR,
  },
  tasks: { path: '/running-tasks', call: 'GET /api/external-tasks', body: [], said: 'Sin tareas' },
  'filtered tasks': {
    path: '/running-tasks?status=completed',
    call: 'GET /api/external-tasks',
    body: [],
    said: 'Sin tareas',
    clear: 'Ver todas',
  },
  campaigns: {
    path: '/campaigns',
    call: 'GET /api/campaigns',
    body: {
      campaigns: [],
      next_cursor: null,
      totals: { draft: 0, scheduled: 0, running: 0, paused: 0, stopped: 0, finished: 0 },
    },
    said: 'Todavía no hay campañas.',
  },
  contacts: {
    path: '/contacts',
    call: 'GET /api/contacts',
    body: { contacts: [], next_cursor: null },
    said: 'Todavía no hay contactos.',
  },
  'filtered contacts': {
    path: '/contacts?search=nobody&list=vip',
    call: '',
    body: undefined,
    said: 'Ningún contacto cumple el filtro.',
    clear: CLEAR,
  },
  'filtered users': {
    path: '/users?search=nobody',
    call: '',
    body: undefined,
    said: 'No users found matching the search.',
    clear: CLEAR,
  },
  'device settings': {
    path: '/settings?tab=devices',
    call: 'GET /api/device-list-settings',
    body: [],
    said: 'Todavía no hay dispositivos.',
  },
  'filtered device settings': {
    path: '/settings?tab=devices&search=nobody',
    call: '',
    body: undefined,
    said: 'Ningún dispositivo cumple la búsqueda.',
    clear: CLEAR,
  },
  'API keys': {
    path: '/settings?tab=api-keys',
    call: 'GET /api/api-keys',
    body: { api_keys: [] },
    said: 'Todavía no hay claves de API.',
  },
  'filtered callbacks': {
    path: '/settings?tab=callbacks&search=nobody',
    call: '',
    body: undefined,
    said: 'Ninguna entrega cumple los filtros.',
    clear: CLEAR,
  },
  'filtered opt-outs': {
    path: '/settings?tab=opt-outs&search=%2B99999999',
    call: '',
    body: undefined,
    said: 'Ninguna baja tiene ese número.',
    clear: CLEAR,
  },
  'filtered audit log': {
    path: '/settings?tab=audit&search=nobody',
    call: '',
    body: undefined,
    said: 'Ningún cambio cumple los filtros.',
    clear: CLEAR,
  },
}

for (const [name, { path, call, body, said, clear }] of Object.entries(lists)) {
  const offers = clear === undefined ? '' : ', and offers to clear the filter'
  test(`an empty list of ${name} says so in the middle of its sheet at each width${offers}`, async (t) => {
    const usual = server.answers[call]
    if (call) server.answers[call] = { body }
    const page = await open(t, { url: server.url })
    await page.goto(path)
    const shown = page.locator('tfoot').getByText(said, { exact: true })
    const button = page.locator('tfoot').getByRole('button', { name: clear, exact: true })
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: HEIGHT })
      await eventually(async () => assert.deepEqual(await misplaced(shown), [], `${width}`))
      if (clear) await eventually(async () => assert.deepEqual(await misplaced(button), [], `${width}`))
    }
    if (!clear) return
    if (usual) server.answers[call] = usual
    await button.click()
    await page.locator('tr[data-index]').first().waitFor()
  })
}

test('the log says that it is loading in the middle of its sheet at each width', async (t) => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const usual = server.answers['GET /api/logs/devices']!
  server.answers['GET /api/logs/devices'] = async (asked) => {
    await held
    return typeof usual === 'function' ? usual(asked) : usual
  }
  t.after(() => release())
  const page = await open(t, { url: server.url })
  await page.goto('/logs')
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT })
    const shown = page.getByText('Loading logs...', { exact: true })
    await eventually(async () => assert.deepEqual(await misplaced(shown), [], `${width}`))
  }
})

/** Describes the faults in the place of an element as a person sees it: outside the window or its sheet, covered, not centred. */
async function misplaced(shown: Locator): Promise<string[]> {
  await shown.waitFor()
  return shown.evaluate((element) => {
    const range = document.createRange()
    range.selectNodeContents(element)
    const box = element.matches('button') ? element.getBoundingClientRect() : range.getBoundingClientRect()
    const table = element.closest('table')!
    let scroller = table.parentElement!
    while (!/auto|scroll/.test(getComputedStyle(scroller).overflowY)) scroller = scroller.parentElement!
    const around = scroller.getBoundingClientRect()
    const style = getComputedStyle(scroller)
    const left = around.left + scroller.clientLeft + Number.parseFloat(style.paddingLeft)
    const right =
      around.left + scroller.clientLeft + scroller.clientWidth - Number.parseFloat(style.paddingRight)
    const middle = (box.left + box.right) / 2
    const found: string[] = []
    if (box.left < Math.max(0, left) || box.right > Math.min(innerWidth, right))
      found.push(`from ${box.left} to ${box.right} of ${left} to ${right}`)
    if (box.top < Math.max(0, around.top) || box.bottom > Math.min(innerHeight, around.bottom))
      found.push(`from ${box.top} down to ${box.bottom} of ${around.top} to ${around.bottom}`)
    if (Math.abs(middle - (left + right) / 2) > 2)
      found.push(`its middle is at ${middle}, not ${(left + right) / 2}`)
    const over = document.elementFromPoint(middle, (box.top + box.bottom) / 2)
    if (!over || !element.contains(over)) found.push(`covered by ${over?.outerHTML.slice(0, 80)}`)
    const head = table.tHead!.getBoundingClientRect()
    if (head.height > 1 && box.top < head.bottom + 8)
      found.push(`${box.top - head.bottom} px below the header`)
    return found
  })
}
