import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { eventually } from '#test/device.ts'
import { openTime } from './time.ts'

const TEN_MINUTES_MS = 600_000

/** A server whose database has a separate clock, which can be read unless the database is away. */
async function begin(t: TestContext, aheadOfMachine: () => number) {
  const said: string[] = []
  const database = { away: false, asked: 0 }
  const { clock, stop } = await openTime({
    given: undefined,
    zone: 'Europe/Madrid',
    ticks: undefined,
    log: pino(
      { level: 'info' },
      { write: (line) => void said.push((JSON.parse(line) as { msg: string }).msg) },
    ),
    channel: {
      async ask<Row>() {
        database.asked++
        if (database.away) throw new Error('away')
        return [{ ms: Date.now() + aheadOfMachine() } as Row]
      },
      tell() {},
      listen() {},
      close: async () => {},
    },
  })
  t.after(stop)
  return { clock, said, database }
}

test('a server uses its database’s clock, and logs when its own clock is off and when it agrees again', async (t) => {
  let ahead_ms = -TEN_MINUTES_MS
  const { clock, said } = await begin(t, () => ahead_ms)
  assert.ok(Math.abs(clock.now() - (Date.now() - TEN_MINUTES_MS)) < 1_000)
  await eventually(() => said.length > 0)
  assert.deepEqual(said, [
    "This machine's clock is 600 s ahead of the database's, which the server uses. Correct this machine's clock",
  ])
  ahead_ms = 0
  await eventually(() => said.length > 1, 10_000)
  assert.equal(said[1], "This machine's clock agrees with the database's again")
  assert.ok(Math.abs(clock.now() - Date.now()) < 1_000)
})

test('while the database is away, its time keeps running', async (t) => {
  const { clock, database } = await begin(t, () => TEN_MINUTES_MS)
  database.away = true
  const asked = database.asked
  await eventually(() => database.asked > asked, 10_000)
  assert.ok(Math.abs(clock.now() - (Date.now() + TEN_MINUTES_MS)) < 1_000)
})

test('days are those of the time zone, by the database’s clock', async (t) => {
  const { clock } = await begin(t, () => Date.parse('2026-06-10T22:30:00Z') - Date.now())
  assert.equal(clock.day(clock.now()), '2026-06-11')
})
