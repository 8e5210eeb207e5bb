import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { instant } from '#server/core/clock.ts'
import { openDatabase } from '#server/database/open.ts'
import { repeatCallback } from '#server/outward/callbacks/callbacks.ts'
import type { Outcome } from '#server/outward/callbacks/outcome.ts'
import { settleDelivery } from '#server/outward/callbacks/result.ts'
import { openBench } from '#test/callback-bench.ts'
import { preparedDatabase, runIn } from '#test/engine.ts'
import { SUPERADMIN } from '#test/model/world.ts'
import { noteTelling } from './noting.ts'
import { alertRuleStore, alertStore } from './store.ts'

const DELIVERED: Outcome = { result: 'delivered', status: 204, error: null }
const GONE: Outcome = { result: 'dead', status: 410, error: null }

/** Two servers over one PostgreSQL, and an open alert that a webhook is being told about. */
async function begin(t: TestContext) {
  const url = await preparedDatabase()
  const bench = await openBench(t, { url })
  const other = await openDatabase({ url, folder: '' })
  t.after(() => other.close())
  const { db, clock, company_id, callbacks } = bench
  await bench.webhook('http://192.0.2.1/', ['alert.opened', 'alert.resolved'])
  const now = instant(clock.now())
  const about = { company_id, condition: 'device_quarantined', value: null } as const
  const rule = { ...about, rate_of: null, rate_over: null, tags: '[]', channels: '[]', enabled: 1 } as const
  const rule_id = await db.write((tx) => alertRuleStore(tx, 'all').insert(rule))
  const told = { ...rule, id: rule_id }
  const alert_id = await db.write(async (tx) => {
    const subject = { subject_kind: 'device', subject_id: 'roof', subject_name: null } as const
    const times = { since: now, opened_at: now, facts: '{"reason":null}' }
    const id = await alertStore(tx, 'all').insert({ ...about, rule_id, ...subject, ...times })
    await noteTelling(tx, told, id, 'opened', clock.now())
    return id
  })

  return {
    ...bench,
    resolve: () =>
      db.write(async (tx) => {
        await alertRuleStore(tx, 'all').hold(rule_id)
        await alertStore(tx, 'all').update(alert_id, { resolved_at: now })
        await noteTelling(tx, told, alert_id, 'resolved', clock.now())
      }),

    /** The other server claims the callback at this place and settles it. */
    async settle(place: number, outcome: Outcome, beforeCommit = async () => {}) {
      const { id } = (await callbacks())[place]!
      await runIn(
        url,
        `insert into callback_claims (callback, server, until) values (${id}, 'other', clock_timestamp())`,
      )
      await other.write(
        async (tx) => {
          await settleDelivery(tx, { id, server: 'other', outcome, tried_at: now }, clock.now())
          await beforeCommit()
        },
        { ownCommit: true },
      )
    },

    standing: async () =>
      (await callbacks()).map(({ type, state, due_at }) => [type, state, due_at !== null] as const),
  }
}

type Begun = Awaited<ReturnType<typeof begin>>

/** Runs `work` once the other server has settled `alert.opened`. That commits once `work` has ended or waits for it. */
async function whileSettled({ settle, db }: Begun, work: () => Promise<unknown>): Promise<void> {
  let working: Promise<unknown> | undefined
  let ended = false
  await settle(0, DELIVERED, async () => {
    working = work().finally(() => (ended = true))
    while (!ended && !(await waitsForLock())) continue
  })
  await working

  async function waitsForLock(): Promise<boolean> {
    const text = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return (await db.read.query(text)).length > 0
  }
}

test('an alert that one server resolves while another settles its opening is told without delay', async (t) => {
  const begun = await begin(t)
  await whileSettled(begun, begun.resolve)
  assert.deepEqual(await begun.standing(), [
    ['alert.opened', 'delivered', false],
    ['alert.resolved', 'waiting', true],
  ])
})

test('a callback that is sent again while another server settles the one before it is sent without delay', async (t) => {
  const begun = await begin(t)
  await begun.resolve()
  await begun.settle(1, GONE)
  assert.deepEqual(await begun.standing(), [
    ['alert.opened', 'waiting', true],
    ['alert.resolved', 'dead', false],
  ])
  const { id } = (await begun.callbacks())[1]!
  await whileSettled(begun, () => repeatCallback(begun, SUPERADMIN, id))
  assert.deepEqual(await begun.standing(), [
    ['alert.opened', 'delivered', false],
    ['alert.resolved', 'waiting', true],
  ])
})
