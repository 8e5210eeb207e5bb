import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RouteList } from '@sdd/contract/fleet/routes.ts'
import { eventually, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'
import type { Answer, ReceivedCall } from './stand-in.ts'

const open = useBrowser()
const server = await useExampleServer()

const DETAIL = 'Somebody has changed the routes.'
const LIST = 'GET /api/routes'
const SAVE = 'POST /api/routes'

const saved = () =>
  server.asked
    .filter(({ method, path }) => `${method} ${path}` === SAVE)
    .map(({ body }) => JSON.parse(body) as RouteList)
    .map(({ version, routes }) => ({ version, ids: routes.map(({ id }) => id) }))

/** Each save makes the next version, and one of another version is refused. Returns a change by somebody else, who may remove a rule. */
function keepVersions(): (note: string, removed?: number) => void {
  let list = (server.answers[LIST] as { body: RouteList }).body
  server.answers[LIST] = () => ({ body: list })
  server.answers[SAVE] = ({ body }): Answer => {
    const { routes, version } = JSON.parse(body) as RouteList
    if (version !== list.version) return { status: 409, body: { detail: DETAIL, code: 'routes_changed' } }
    const named = routes.map((one, n) => ({ ...one, id: one.id ?? 90 + n }))
    return { body: (list = { ...list, version: version + 1, routes: named }) }
  }
  return (note, removed) => {
    const [first, ...rest] = list.routes.filter(({ id }) => id !== removed)
    list = { ...list, version: list.version + 10, routes: [{ ...first!, note }, ...rest] }
    server.publish('/front/change', { changed: ['routes'] })
  }
}

test('quick moves follow each other and outlast a load of the list, and the last can be undone', async (t) => {
  keepVersions()
  const answer = server.answers[SAVE] as (asked: ReceivedCall) => Answer
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  server.answers[SAVE] = async (asked) => (await released, answer(asked))
  const page = await open(t, { url: server.url })
  await page.goto('/routes')
  await page.getByText('En vivo').waitFor()
  const rules = page
    .getByRole('listitem')
    .filter({ has: page.getByRole('button', { name: /^Mover la regla/ }) })
  await page.getByRole('button', { name: 'Mover la regla 1' }).press('Alt+ArrowDown')
  await rules.nth(1).getByText('Tarificación especial').waitFor()
  const listed = server.answers[LIST] as () => { body: RouteList }
  server.answers[LIST] = () => ({ body: { ...listed().body, saved_by: 'Pilar Gil' } })
  server.publish('/front/change', { changed: ['routes'] })
  await page.getByText(/Pilar Gil/).waitFor()
  await rules.nth(1).getByText('Tarificación especial').waitFor()
  await page.getByRole('button', { name: 'Mover la regla 2' }).press('Alt+ArrowDown')
  release()
  await page.getByText('La regla 2 es ahora la 3').waitFor()
  const [first, second] = saved()
  assert.deepEqual([first!.version, second!.version], [7, 8])
  await page.getByRole('button', { name: 'Deshacer' }).last().click()
  await page.getByText('Orden anterior restaurado').waitFor()
  assert.deepEqual(saved()[2], { version: 9, ids: first!.ids })
})

test('the undo of a move is refused once somebody else has changed the routes, and theirs are shown', async (t) => {
  const change = keepVersions()
  const page = await open(t, { url: server.url })
  await page.goto('/routes')
  await page.getByRole('button', { name: 'Mover la regla 1' }).press('Alt+ArrowDown')
  const undo = page.getByRole('button', { name: 'Deshacer' })
  // A message under the pointer stays.
  await undo.hover()
  change('Nota de otra persona')
  await page.getByText('Nota de otra persona').waitFor()
  await undo.click()
  await page.getByText(DETAIL).waitFor()
  assert.deepEqual(
    saved().map(({ version }) => version),
    [7, 8],
  )
  await page.getByText('Nota de otra persona').waitFor()
})

test('the form of a rule replaces no change by somebody else unseen', async (t) => {
  const change = keepVersions()
  const page = await open(t, { url: server.url })
  await page.goto('/routes?rule=3')
  const form = page.getByRole('dialog', { name: 'Regla 3' })
  await form.getByLabel('Nota').fill('La mía')
  change('Nota de otra persona')
  await page.getByText('Nota de otra persona').waitFor()
  const save = form.getByRole('button', { name: 'Guardar' })
  await save.click()
  await form.getByText(DETAIL).waitFor()
  await save.click()
  await page.getByText('Regla guardada').waitFor()
  assert.deepEqual(
    saved().map(({ version }) => version),
    [7, 17],
  )
  await page.getByText('Nota de otra persona').waitFor()
})

test('a delay that could be 1 or 1000 seconds is refused', async (t) => {
  keepVersions()
  const page = await open(t, { url: server.url })
  await page.goto('/routes?rule=2')
  const form = page.getByRole('dialog', { name: 'Regla 2' })
  const delay = form.getByLabel('Tras cuántos segundos')
  await delay.fill('1.000')
  await form.getByRole('button', { name: 'Guardar' }).click()
  await form.getByText('Escriba un número de 0 a 86 400.').waitFor()
  await delay.fill('1 000')
  await form.getByRole('button', { name: 'Guardar' }).click()
  await page.getByText('Regla guardada').waitFor()
  const { body } = server.asked.find(({ method, path }) => `${method} ${path}` === SAVE)!
  const { routes } = JSON.parse(body) as RouteList
  assert.equal(routes.find(({ id }) => id === 2)?.fallback_after_secs, 1_000)
})

test('a superadmin chooses the company whose routes are shown, tried and saved', async (t) => {
  keepVersions()
  const page = await open(t, { url: server.url })
  await page.goto('/routes?try=%2B34600111222')
  await page.getByRole('combobox', { name: 'Empresa' }).selectOption({ label: 'Norte Mensajería (2)' })
  await page.waitForURL('**/routes?*company=2')
  await page.getByRole('button', { name: 'Mover la regla 1' }).press('Alt+ArrowDown')
  await page.getByText('La regla 1 es ahora la 2').waitFor()
  for (const call of [LIST, SAVE, 'POST /api/routes/test'])
    await eventually(() => {
      const companies = server.asked
        .filter(({ method, path }) => `${method} ${path}` === call)
        .map(({ query }) => query.get('company'))
      assert.equal(companies.at(-1), '2', call)
    })
})

test('a trial says that the rule fits but its group cannot, if the device is not in the group', async (t) => {
  const page = await open(t, { url: server.url })
  const withTags = (tags: string[]) => {
    server.devices = server.devices.map((one) => (one.uid === 'drone-0001' ? { ...one, tags } : one))
  }
  withTags([])
  await page.goto('/routes?try=%2B34612000000')
  await page.getByText('Sí, pero nadie de norte puede ahora').waitFor()
  withTags(['norte'])
  await page.reload()
  await page.getByText('Sí: sale por norte').waitFor()
})

test('a dragged rule is moved even if its place changes meanwhile, and no other', async (t) => {
  keepVersions()
  const page = await open(t, { url: server.url })
  await page.goto('/routes')
  await page.getByText('En vivo').waitFor()
  const { body } = (server.answers[LIST] as () => { body: RouteList })()
  const ids = body.routes.map(({ id }) => id)
  const handle = (place: number) => page.getByRole('button', { name: `Mover la regla ${place}` })
  await handle(2).hover()
  await page.mouse.down()
  const added = { ...body.routes[0]!, id: 77, note: 'Añadida por otra persona' }
  const list = { ...body, version: body.version + 1, routes: [added, ...body.routes] }
  server.answers[LIST] = { body: list }
  server.answers[SAVE] = ({ body: sent }) => ({ body: { ...list, ...(JSON.parse(sent) as RouteList) } })
  server.publish('/front/change', { changed: ['routes'] })
  await page.getByText('Añadida por otra persona').waitFor()
  const last = (await handle(list.routes.length).boundingBox())!
  await page.mouse.move(last.x + 5, last.y + 5)
  await page.mouse.up()
  await eventually(() => assert.equal(saved().length, 1))
  const [moved, ...others] = [ids[1], 77, ids[0], ...ids.slice(2)]
  assert.deepEqual(saved()[0]!.ids, [...others, moved])
})

test('a rule that is dropped before its last move is drawn gets the place under the pointer', async (t) => {
  keepVersions()
  const page = await open(t, { url: server.url })
  await page.goto('/routes')
  const handle = (place: number) => page.getByRole('button', { name: `Mover la regla ${place}` })
  await handle(1).hover()
  const { x, y } = (await handle(3).boundingBox())!
  await page.mouse.down()
  await handle(1).evaluate(
    (element, at) => {
      for (const kind of ['pointermove', 'pointerup'])
        element.dispatchEvent(new PointerEvent(kind, { ...at, bubbles: true }))
    },
    { clientX: x + 5, clientY: y + 5 },
  )
  await page.getByText('La regla 1 es ahora la 3').waitFor()
})

test('a load that began before a move does not bring the former order back', async (t) => {
  keepVersions()
  const page = await open(t, { url: server.url })
  await page.goto('/routes')
  await page.getByText('En vivo').waitFor()
  const handle = (place: number) => page.getByRole('button', { name: `Mover la regla ${place}` })
  await handle(1).waitFor()
  const list = server.answers[LIST] as () => Answer
  const [before, held] = [list(), Promise.withResolvers<void>()]
  let loads = 0
  server.answers[LIST] = async () => {
    if (++loads > 1) return list()
    await held.promise
    return before
  }
  server.publish('/front/change', { changed: ['routes'] })
  await eventually(() => assert.ok(loads > 0, 'it is loaded'))
  await handle(1).press('Alt+ArrowDown')
  await page.getByText('La regla 1 es ahora la 2').waitFor()
  held.resolve()
  await eventually(() => assert.ok(loads > 1, 'it is loaded again'))
  await handle(2).press('Alt+ArrowDown')
  await page.getByText('La regla 2 es ahora la 3').waitFor()
})

test('a rule that somebody else removed meanwhile is saved as it was edited, in its place', async (t) => {
  const change = keepVersions()
  const page = await open(t, { url: server.url })
  await page.goto('/routes?rule=3')
  await page.getByText('En vivo').waitFor()
  const form = page.getByRole('dialog', { name: 'Regla 3' })
  await form.getByLabel('Nota').fill('La mía')
  change('Nota de otra persona', 3)
  await page.getByText('Nota de otra persona').waitFor()
  const save = form.getByRole('button', { name: 'Guardar' })
  await save.click()
  await form.getByText(DETAIL).waitFor()
  await save.click()
  await page.getByText('Regla guardada').waitFor()
  assert.deepEqual(saved().at(-1)!.ids, [1, 2, undefined, 4, 5, 6])
  await page.getByText('La mía').waitFor()
})

test('a digit in the middle of the tried number is corrected where the caret is, and the address follows', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/routes?try=%2B34600111222')
  const number = page.getByLabel('Número', { exact: true })
  await number.waitFor()
  await number.evaluate((field: HTMLInputElement) => {
    field.focus()
    field.setSelectionRange(4, 4)
  })
  await page.keyboard.type('12')
  assert.equal(await number.inputValue(), '+3461200111222')
  await page.waitForURL('**/routes?try=%2B3461200111222')
  await page.keyboard.press('End')
  await page.keyboard.type('9'.repeat(30))
  assert.equal(await number.inputValue(), `+3461200111222${'9'.repeat(16)}`)
})
