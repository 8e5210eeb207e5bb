import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAnnouncements } from '#server/app/announcing.ts'
import { ensureCompany } from '#server/accounts/companies/companies.ts'
import { instant } from '#server/core/clock.ts'
import { openFeatureMetrics } from '#server/core/feature-metrics.ts'
import { openMetrics } from '#server/core/metrics.ts'
import { openDatabase } from '#server/database/open.ts'
import { openDestinationRules } from '#server/messages/destinations/rules.ts'
import type { Outcome } from '#server/outward/callbacks/outcome.ts'
import { testClock } from '#test/clock.ts'
import { preparedDatabase } from '#test/engine.ts'
import { alertChannelStore, alertMessageStore } from './channels.store.ts'
import { openMailing } from './mailing.ts'
import { noteTelling } from './noting.ts'
import { alertRuleStore, alertStore } from './store.ts'
import { openAlertTelling } from './telling.ts'

test('an alert that another server resolves while its message is prepared is told in full or not at all', async (t) => {
  const url = await preparedDatabase()
  const [db, other] = await Promise.all([1, 2].map(() => openDatabase({ url, folder: '' })))
  t.after(() => Promise.all([db!.close(), other!.close()]))
  const clock = testClock('2026-06-10T08:00:00.000Z')
  const rule = await db!.write(async (tx) => {
    await ensureCompany(tx, 1, instant(clock.now()))
    const channel = {
      company_id: 1,
      kind: 'ntfy',
      name: 'x',
      url: 'https://ntfy.sh',
      recipient: 'x',
    } as const
    const channel_id = await alertChannelStore(tx, 'all').insert(channel)
    const made = {
      company_id: 1,
      condition: 'device_quarantined',
      value: null,
      rate_of: null,
      rate_over: null,
      tags: '[]',
      channels: JSON.stringify([channel_id]),
      enabled: 1,
    } as const
    return { ...made, id: await alertRuleStore(tx, 'all').insert(made) }
  })
  const open = (subject_id: string) =>
    db!.write(async (tx) => {
      const now = instant(clock.now())
      const { id: rule_id, company_id, condition, value } = rule
      const subject = { subject_kind: 'device', subject_id, subject_name: null } as const
      const times = { since: now, opened_at: now, facts: '{"reason":null}' }
      const id = await alertStore(tx, 'all').insert({
        company_id,
        rule_id,
        condition,
        value,
        ...subject,
        ...times,
      })
      await noteTelling(tx, rule, id, 'opened', clock.now())
      return id
    })
  const posts: string[] = []
  const OK: Outcome = { result: 'delivered', status: 200, error: null }
  const posting = { post: async ({ body }: { body: string | null }) => (posts.push(body!), OK) }
  const teller = openAlertTelling({
    db: db!,
    ...openAnnouncements(clock),
    live: { changed() {} },
    posting,
    mailing: openMailing({ SMTP_URL: undefined, SMTP_FROM: undefined }),
    destinations: await openDestinationRules({ db: db! }),
    featureMetrics: openFeatureMetrics(openMetrics()),
    wakeFor() {},
  })
  const log = {
    error(why: unknown) {
      throw why
    },
  }
  for (let n = 0; n < 40; n++) {
    const alert_id = await open(`device-${n}`)
    clock.advance(11_000)
    await Promise.all([
      teller.begin(log).then(() => teller.ended()),
      other!.write(async (tx) => {
        await alertRuleStore(tx, 'all').hold(rule.id)
        await alertStore(tx, 'all').update(alert_id, { resolved_at: instant(clock.now()) })
        await noteTelling(tx, rule, alert_id, 'resolved', clock.now())
      }),
    ])
    clock.advance(11_000)
    await teller.begin(log)
    await teller.ended()
    const events = (await alertMessageStore(db!.read).about([alert_id])).map(
      ({ event, state }) => `${event} ${state}`,
    )
    const said = posts.filter((text) => text.includes(`device-${n}.`) || text.endsWith(`device-${n}`)).length
    assert.equal(said, events.length, `${n}: ${events.join()}`)
    assert.ok(['', 'opened delivered,resolved delivered'].includes(events.join()), `${n}: ${events.join()}`)
  }
})
