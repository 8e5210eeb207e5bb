import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'
import type { Answer } from './stand-in.ts'

/** The list of the conversations. */
const open = useBrowser()
const server = await useExampleServer()

test('on a phone, closing a thread shows the list at the same place, with the focus on its row', async (t) => {
  const { conversations } = exampleList()
  const more = Array.from({ length: 60 }, (_, n) => ({
    ...conversations[1]!,
    number: `+346001110${n + 10}`,
    last_at: new Date(Date.parse(conversations[1]!.last_at) - n * 1000).toISOString(),
  }))
  server.answers['GET /api/conversations'] = { body: { conversations: more, next_cursor: null } }
  const page = await open(t, { url: server.url, size: 'phone' })
  await page.goto('/conversations')
  const row = page.locator('[data-row]').nth(40)
  await row.scrollIntoViewIfNeeded()
  const list = page.getByRole('list', { name: 'Lista de conversaciones' })
  const top = await list.evaluate((element) => element.scrollTop)
  assert.ok(top > 0)
  const back = page.getByRole('button', { name: 'Volver a la lista' })
  for (const leave of [() => back.click(), () => page.goBack()]) {
    await row.click()
    await back.waitFor()
    await leave()
    await row.and(page.locator(':focus')).waitFor()
    assert.equal(await list.evaluate((element) => element.scrollTop), top)
  }
})

test('while the pointer is in the list no row moves, and newer ones wait behind a button', async (t) => {
  const { conversations } = exampleList()
  server.answers['GET /api/conversations'] = () => ({ body: { conversations, next_cursor: null } })
  const page = await open(t, { url: server.url })
  await page.goto('/conversations')
  const rows = page.locator('[data-row] b')
  await eventually(async () => assert.equal(await rows.count(), conversations.length))
  const before = await rows.allInnerTexts()
  await page.locator('[data-row]').nth(1).hover()
  conversations.unshift({
    ...conversations[0]!,
    number: '+34600111999',
    name: 'Nuria Blanco',
    last_at: new Date().toISOString(),
  })
  await eventually(() => assert.ok(server.listeners() > 0))
  server.publish('/front/change', { changed: ['conversations'] })
  await page.getByRole('button', { name: '1 nueva' }).waitFor()
  assert.deepEqual(await rows.allInnerTexts(), before)
  await page.getByRole('button', { name: '1 nueva' }).click()
  await eventually(async () => assert.equal((await rows.allInnerTexts())[0], 'Nuria Blanco'))
})

test('at midnight, the time of a conversation of today becomes "ayer"', async (t) => {
  const { conversations } = exampleList()
  const [row] = conversations
  row!.last_at = '2026-11-20T23:50:00.000Z'
  server.answers['GET /api/conversations'] = { body: { conversations, next_cursor: null } }
  const page = await open(t, { url: server.url })
  await page.clock.install({ time: '2026-11-20T23:58:00Z' })
  await page.goto('/conversations')
  const time = page.locator('[data-row]', { hasText: row!.name! }).locator('time')
  await time.getByText('23:50').waitFor()
  await page.clock.fastForward('03:00')
  await time.getByText('ayer').waitFor()
})

test('the end of the list, reached while the list is loaded again, loads the next page', async (t) => {
  const usual = server.answers['GET /api/conversations'] as (asked: unknown) => Answer
  const [first, second, other] = exampleList().conversations
  const rows = Array.from({ length: 60 }, (_, n) => ({ ...second!, number: `+346001110${n + 10}` }))
  const reload = Promise.withResolvers<void>()
  let reloads: number | undefined
  server.answers['GET /api/conversations'] = async (asked) => {
    if (asked.query.has('unread') || asked.query.has('counts')) return usual(asked)
    if (asked.query.has('cursor')) return { body: { conversations: [other], next_cursor: null } }
    if (reloads !== undefined) {
      reloads++
      await reload.promise
    }
    return { body: { conversations: [first, ...rows], next_cursor: '2' } }
  }
  const page = await open(t, { url: server.url })
  await page.goto('/conversations')
  await page.locator('[data-row]').nth(60).waitFor()
  await eventually(() => assert.ok(server.listeners() > 0))
  reloads = 0
  server.publish('/front/change', { changed: ['conversations'] })
  await eventually(() => assert.ok(reloads! > 0))
  await page.getByRole('list', { name: 'Lista de conversaciones' }).evaluate(
    (list) =>
      new Promise((scrolled) => {
        list.addEventListener('scroll', scrolled, { once: true })
        list.scrollTop = list.scrollHeight
      }),
  )
  reload.resolve()
  await page.locator('[data-row]', { hasText: other!.name! }).waitFor()
})

function exampleList(): { conversations: Row[] } {
  const answer = server.answers['GET /api/conversations'] as (asked: unknown) => {
    body: { conversations: Row[] }
  }
  return structuredClone(answer({ query: new URLSearchParams() }).body)
}

type Row = { number: string; name: string | null; last_at: string }
