import type { TestContext } from 'node:test'
import type { AlertChannelChange } from '@sdd/contract/outward/alert-channels.ts'
import type { AlertRuleChange } from '@sdd/contract/outward/alerts.ts'
import { instant } from '#server/core/clock.ts'
import { editDevice } from '#server/fleet/devices/changing.ts'
import { listAlerts } from '#server/outward/alerts/alerts.ts'
import { saveAlertChannel } from '#server/outward/alerts/channels.ts'
import { openAlertChecks } from '#server/outward/alerts/checking.ts'
import type { AlertMail, Mailed } from '#server/outward/alerts/mailing.ts'
import { saveAlertRule } from '#server/outward/alerts/rules.ts'
import { openAlertTelling } from '#server/outward/alerts/telling.ts'
import { openAddresses } from '#server/outward/callbacks/addresses.ts'
import type { Outcome } from '#server/outward/callbacks/outcome.ts'
import type { Posted } from '#server/outward/callbacks/posting.ts'
import { MINUTE, testClock } from './clock.ts'
import { openWorld, type Published, SUPERADMIN } from './model/world.ts'

export type Post = Posted & { headers: Readonly<Record<string, string>> }

export const OK: Outcome = { result: 'delivered', status: 200, error: null, answer: '{}' }
export const WRONG: Outcome = {
  result: 'failed',
  status: 401,
  error: null,
  answer: '{"description":"bad token-1"}',
}

/** The product without its sockets, whose channels post to `receiver`. */
export async function openAlertWorld(t: TestContext) {
  const clock = testClock('2026-06-10T08:00:00.000Z')
  const commands: Published[] = []
  const world = await openWorld(clock, (published) => void commands.push(published))
  t.after(() => world.close())
  const posts: Post[] = []
  const receiver = { answer: (_post: Post): Outcome | undefined | Promise<Outcome> => OK }
  const posting = {
    async post(posted: Posted, headers: Readonly<Record<string, string>>) {
      const post = { ...posted, headers }
      posts.push(post)
      return receiver.answer(post)
    },
  }
  const addresses = openAddresses({ CALLBACK_ADDRESSES: 'any' }, async () => ['192.0.2.1'])
  const installation = {
    backup_folder: undefined,
    freeBytes: () => undefined,
    certificateExpires: () => undefined,
  }
  const mails: AlertMail[] = []
  const mailing = {
    async send(mail: AlertMail) {
      mails.push(mail)
      return mailServer.answer
    },
  }
  const mailServer: { answer: Mailed } = { answer: { delivered: true, detail: null } }
  const needs = () => ({ ...world.needs, addresses, posting, mailing, config: {} })
  const open = () => ({
    check: openAlertChecks({ ...needs(), rules: world.needs.numbers.rules, installation }),
    teller: openAlertTelling(needs()),
  })
  let running = open()
  clock.advance(2 * MINUTE)
  const admin = () => ({ ...SUPERADMIN, proved_at: instant(clock.now()) })
  const log = {
    error(why: unknown) {
      throw why
    },
  }
  return {
    clock,
    world,
    posts,
    receiver,
    mails,
    commands,
    mailServer,
    needs,
    admin,
    async channel(change: AlertChannelChange, company = 1) {
      return (await saveAlertChannel(needs(), admin(), change, company)).channel
    },
    rule: async (channels: number[], company = 1, more: AlertRuleChange = {}) => {
      const change = { condition: 'device_away', value: 0, channels, ...more } as const
      return (await saveAlertRule(needs(), SUPERADMIN, change, company)).rule
    },
    /** Lets this time pass, and checks. */
    async check(ms: number) {
      clock.advance(ms)
      await running.check()
    },
    /** Begins to send the due messages. */
    send: () => running.teller.begin(log),
    ended: () => running.teller.ended(),
    /** Lets this time pass, checks, and sends the due messages. */
    async after(ms: number) {
      clock.advance(ms)
      await running.check()
      await running.teller.begin(log)
      await running.teller.ended()
    },
    restart: async () => {
      await world.restart()
      running = open()
      // Devices have 60 s to come back.
      clock.advance(MINUTE)
    },
    /** A device that is away. */
    async away(uid: string, company_id = 1) {
      const device_id = await world.link(company_id, uid)
      let connection = 0
      return async () => {
        const from = { connection_id: uid, connection: ++connection, uid, device_id, company_id }
        await world.status(from, { status: 'connected', session: `s${connection}`, agent: 'test/1' })
        return from
      }
    },
    alerts: async () => (await listAlerts(world.needs, SUPERADMIN, { limit: 100 })).alerts,
    edit: (uid: string, change: Parameters<typeof editDevice>[3]) =>
      editDevice(world.needs, SUPERADMIN, uid, change),
  }
}

export const textOf = ({ body }: Post) => (JSON.parse(body!) as { text: string }).text
export const WEBHOOK = {
  kind: 'webhook',
  name: 'Desk',
  settings: { url: 'https://desk.example/in' },
} as const
