import assert from 'node:assert/strict'
import * as apiKeys from '@sdd/contract/accounts/api-keys.ts'
import { keyPermissions } from '@sdd/contract/core/roles.ts'
import * as callbacks from '@sdd/contract/outward/callbacks.ts'
import type { Networks } from '@sdd/contract/fleet/devices.ts'
import * as messages from '@sdd/contract/messages/messages.ts'
import { saveAlertChannel } from '@sdd/contract/outward/alert-channels.ts'
import { saveAlertRule } from '@sdd/contract/outward/alerts.ts'
import { saveKeyword } from '@sdd/contract/messages/keywords.ts'
import { uploadRows } from '@sdd/contract/people/campaign-rows.ts'
import { createCampaign } from '@sdd/contract/people/campaigns.ts'
import { saveContact } from '@sdd/contract/people/contacts.ts'
import { saveTemplate } from '@sdd/contract/people/templates.ts'
import * as optOuts from '@sdd/contract/messages/opt-outs.ts'
import { listSessions } from '@sdd/contract/accounts/sessions.ts'
import * as settings from '@sdd/contract/accounts/settings.ts'
import { createTasks } from '@sdd/contract/tasks/tasks.ts'
import { addDeadCallback } from './callback-rows.ts'
import { withTables } from './engine.ts'
import { connectDevice, linkTestDevice } from './device.ts'
import { newUser } from './seeds.ts'
import { call, type TestServer } from './server.ts'

export type MarkedCompany = Awaited<ReturnType<typeof newMarkedCompany>>

/**
 * A company with `mark` in every text and `digits` in every phone number, so that any row of it is recognisable. It has
 * some of everything: users, devices, messages in several states, replies, tasks, keys, webhooks, callbacks, blocks,
 * and an audit log of all that.
 */
export async function newMarkedCompany(
  server: TestServer,
  superadmin: string,
  { id, mark, digits }: { id: number; mark: string; digits: string },
) {
  let count = 0
  const next = () => ++count
  const iccid = digits.padEnd(19, '0')
  const number = () => `+${digits}${String(next()).padStart(4, '0')}`
  const person = (role: string) => {
    const name = `${mark} ${role} ${next()}`
    const email = `${name.replaceAll(' ', '.')}@example.com`
    return newUser(server, superadmin, { name, email, role, companyId: id })
  }

  const [admin, user, member] = [await person('admin'), await person('user'), await person('user')]
  const token = admin.token
  // No route can set this.
  await withTables(server, ({ all }) => all('update companies set name = ? where id = ?', `${mark} Ltd`, id))

  async function make<R extends Parameters<typeof call>[1]>(route: R, body: Record<string, unknown>) {
    const answer = await call(server, route, { token, body })
    assert.ok(answer.status < 300, `${route.path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const newDevice = () => linkTestDevice(server, token, `${mark}-${next()}`)
  const newTask = async () => {
    const task = { guid: `${mark}-task-${next()}`, to_number: number(), from_number: number() }
    await make(createTasks, { ...task, text: `${mark} task` })
    return task.guid
  }
  const newKey = (may?: string[]) =>
    make(apiKeys.createApiKey, { name: `${mark} key ${next()}`, ...(may && { may }) })
  const newWebhook = () => make(callbacks.createWebhook, { url: `http://127.0.0.1:9/${mark}/${next()}` })
  const newContact = async () => {
    const one = number()
    const change = { name: `${mark} person`, fields: { city: mark }, lists: [`${mark} list`] }
    const consent = { how: `${mark} form` }
    const { status } = await call(server, saveContact, {
      token,
      params: { number: one },
      body: { ...change, consent },
    })
    assert.equal(status, 200)
    return one
  }
  const newKeyword = () =>
    make(saveKeyword, { word: `${mark} word ${next()}`, answer: `${mark} answer`, action: 'answer' })
  const newAlertChannel = () =>
    make(saveAlertChannel, {
      kind: 'ntfy',
      name: `${mark} channel ${next()}`,
      settings: { url: 'http://127.0.0.1:9/', topic: mark },
    })
  const newAlertRule = () =>
    make(saveAlertRule, { condition: 'device_away', value: 10_080, tags: [mark.toLowerCase()] })
  const newAlert = () =>
    withTables(server, async ({ all }) => {
      const now = new Date().toISOString()
      const [row] = await all(
        `insert into alerts (company_id, rule_id, condition, subject_kind, subject_id, subject_name, since, opened_at, facts)
          values (?, 0, 'device_quarantined', 'device', ?, ?, ?, ?, '{"reason":null}') returning id`,
        id,
        `${mark}-drone`,
        `${mark} drone`,
        now,
        now,
      )
      return Number(row!['id'])
    })
  const newTemplate = () =>
    make(saveTemplate, { name: `${mark} template ${next()}`, text: `${mark} {{name}}` })
  const newCampaign = async () => {
    const campaign = await make(createCampaign, {
      name: `${mark} campaign ${next()}`,
      text: `${mark} {{city}}`,
      class: 'transactional',
      lists: [`${mark} list`],
    })
    const rows = [{ number: number(), fields: { name: `${mark} person`, city: mark } }]
    const { id } = campaign
    const { status } = await call(server, uploadRows, { token, params: { id }, body: { first_row: 1, rows } })
    assert.equal(status, 200)
    return campaign
  }
  const newOptOut = () => make(optOuts.addOptOut, { number: number() })
  const newCallback = async () => {
    const row = await addDeadCallback(server, id)
    const as = [`${mark}-task`, `http://192.0.2.1/${mark}`, `${mark} failed`]
    await withTables(server, ({ all }) =>
      all('update callbacks set guid = ?, url = ?, last_error = ? where id = ?', ...as, row),
    )
    return row
  }

  const sessionOf = async (token: string) =>
    (await call(server, listSessions, { token })).body.sessions.find(({ current }) => current)!.id
  const newSession = async () => sessionOf((await person('user')).token)

  const word = `${mark}stop`
  await make(settings.saveGlobalSettings, { spoof_time_secs: 0, send_enabled: true, stop_words: [word] })
  const device = await connectDevice(await newDevice())
  await device.publish('networks', networksOf(mark, number(), iccid))
  await device.publish('status', { status: 'connected', session: device.session, agent: `${mark}/1` })
  const send = async () => {
    const sms = { device_uid: device.uid, telefono_to: number(), mensaje_sms: `${mark} text` }
    return { ...sms, guid: (await make(messages.sendSms, sms)).guid }
  }
  const sms = await send()
  await device.report({ guid: sms.guid, state: 'sent', detail: `${mark} detail` })
  const at = new Date().toISOString()
  await device.publish('inbox', { id: 'reply', from: sms.telefono_to, text: `${mark} reply`, at })
  await device.publish('inbox', { id: 'stop', from: number(), text: word, at })
  await device.report({ guid: (await send()).guid, state: 'failed', code: `${mark}-1`, detail: mark })
  await send()

  return {
    id,
    mark,
    /** Matches text that only this company has. */
    marked: new RegExp(`${mark}|${digits}`, 'i'),
    admin,
    user,
    /** A user that tests ask about, who makes no calls. */
    member,
    /** A connected device with waiting messages. */
    device,
    /** Of a message; that of a task would work too. */
    guid: sms.guid,
    /** Of a conversation. */
    number: sms.telefono_to,
    iccid,
    task: await newTask(),
    key: await newKey([...keyPermissions]),
    webhook: await newWebhook(),
    callback: await newCallback(),
    optOut: await newOptOut(),
    contact: await newContact(),
    template: await newTemplate(),
    keyword: await newKeyword(),
    campaign: await newCampaign(),
    alertRule: await newAlertRule(),
    alertChannel: await newAlertChannel(),
    alert: await newAlert(),
    session: await sessionOf(member.token),
    newDevice,
    newTask,
    newKey,
    newWebhook,
    newCallback,
    newOptOut,
    newContact,
    newTemplate,
    newKeyword,
    newCampaign,
    newAlertRule,
    newAlertChannel,
    newAlert,
    newSession,
    stop: () => device.stop(),
  }
}

function networksOf(mark: string, phone_number: string, iccid: string): Networks {
  const captured_at = `${mark} time`
  const sim = { id: 1, slot: 0, carrier: `${mark} carrier`, operator_name: `${mark} operator`, phone_number }
  return {
    wifi: {
      ssid: `${mark} wifi`,
      intensity: -50,
      band: mark,
      frequency: mark,
      link_speed: mark,
      bssid: mark,
      ip_address: mark,
      captured_at,
    },
    mobile: {
      intensity: -80,
      captured_at,
      sims: [{ ...sim, iccid, roaming: false, network_type_label: `${mark} LTE` }],
    },
    radio: { ready: true, says: `${mark} radio`, last_sent_at: null },
  }
}

/** The ids of every row of a company in any table: everything that an id in a path could mean. */
export function idsOf(server: { folder: string }, company_id: number): Promise<Set<number>> {
  return withTables(server, async ({ all, columns }) => {
    const ids = new Set<number>()
    for (const [table, names] of await columns()) {
      if (!names.includes('id')) continue
      const where = names.includes('company_id')
        ? `company_id = ?`
        : names.includes('companyId')
          ? `"companyId" = ?`
          : names.includes('user_id') && `user_id in (select id from users where "companyId" = ?)`
      if (!where) continue
      for (const { id } of await all(`select id from ${table} where ${where}`, company_id))
        ids.add(Number(id))
    }
    return ids
  })
}
