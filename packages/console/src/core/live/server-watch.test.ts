import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LiveView } from '#console/core/live/live.ts'
import { watchServer } from '#console/core/live/server-watch.ts'

function openWatch(
  t: { after(run: () => void): void },
  answers: () => Promise<boolean>,
  view: LiveView = { state: 'live', changedAt: undefined, staleSince: undefined },
) {
  let look = () => {}
  const said: boolean[] = []
  const heard = Promise.withResolvers<boolean>()
  const live = {
    view: () => view,
    subscribe(listener: () => void) {
      look = listener
      return () => {}
    },
  }
  const stop = watchServer(live, {
    answers,
    patienceMs: 1,
    gone(now) {
      said.push(now)
      if (now) heard.resolve(now)
    },
  })
  t.after(stop)
  return {
    said,
    gone: heard.promise,
    move(staleSince: number | undefined) {
      view = { ...view, state: staleSince === undefined ? 'live' : 'reconnecting', staleSince }
      look()
    },
  }
}

test('a server is gone if neither the live connection nor a call gets an answer, until it is live again', async (t) => {
  const watch = openWatch(t, () => Promise.resolve(false))
  watch.move(1)
  assert.equal(await watch.gone, true)
  watch.move(undefined)
  assert.equal(watch.said.at(-1), false)
})

test('a server that went before the watch began is gone too', async (t) => {
  const stale = { state: 'reconnecting', changedAt: undefined, staleSince: 1 } as const
  const watch = openWatch(t, () => Promise.resolve(false), stale)
  assert.equal(await watch.gone, true)
})

test('a network that only refuses the live connection leaves the server in service', async (t) => {
  const asked = Promise.withResolvers<void>()
  let calls = 0
  const watch = openWatch(t, () => {
    if (++calls === 3) asked.resolve()
    return Promise.resolve(true)
  })
  watch.move(1)
  await asked.promise
  assert.deepEqual(new Set(watch.said), new Set([false]))
})

test('an answer that comes after the live connection is back changes nothing', async (t) => {
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<boolean>()
  const watch = openWatch(t, () => {
    asked.resolve()
    return answer.promise
  })
  watch.move(1)
  await asked.promise
  watch.move(undefined)
  answer.resolve(false)
  await answer.promise
  assert.equal(watch.said.includes(true), false)
})
