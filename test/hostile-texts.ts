import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as apiKeys from '@sdd/contract/accounts/api-keys.ts'
import { createWebhook } from '@sdd/contract/outward/callbacks.ts'
import { createLinkCode, linkDevice } from '@sdd/contract/fleet/devices.ts'
import { sendSms } from '@sdd/contract/messages/messages.ts'
import { saveGlobalSettings } from '@sdd/contract/accounts/settings.ts'
import { createTasks } from '@sdd/contract/tasks/tasks.ts'
import { saveUser } from '@sdd/contract/accounts/users.ts'
import { connectDevice } from '../packages/server/test/device.ts'
import { enterFirst, FIRST_PASSWORD, PASSWORD } from '../packages/server/test/seeds.ts'
import { call } from '../packages/server/test/server.ts'

/** Markup that calls `hit` if anything interprets it, with a line break that would begin a header or a log line. */
export function hostile(source: string): string {
  return `<img src=x onerror=hit() title=${source}>\r\nX-Hit: 1`
}

/** The same for places that refuse a line break: names and headers. */
function inOneLine(source: string): string {
  return hostile(source).split('\r')[0]!
}

/** The same for addresses, which refuse blanks too. */
function withoutBlanks(source: string): string {
  return `<img/src=x/onerror=hit()/title=${source}>`
}

function shownOf(source: string): string {
  return `onerror=hit() title=${source}>`
}

const UID = 'drone-1'
export const NUMBERS = ['+34600111001', '+34600111002', '+34600111003']

export type Planted = Awaited<ReturnType<typeof plantHostileTexts>>

/**
 * Sends a hostile text to a running server through every entrance: devices, SMS, users, other systems and browsers.
 * Each text is named by its source.
 */
export async function plantHostileTexts(server: { url: string }, data_dir: string, token: string) {
  async function make<R extends Parameters<typeof call>[1]>(
    route: R,
    body: Record<string, unknown>,
    as = token,
  ) {
    const answer = await call(server, route, { token: as, body })
    assert.ok(answer.status < 300, `${route.path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  // Users.
  const name = inOneLine('user')
  const email = `${withoutBlanks('email')}@x.y`
  const person = await make(saveUser, { name, email, role: 'superadmin', password: FIRST_PASSWORD })
  await enterFirst(server, name)
  const login = await fetch(`${server.url}/api/login`, {
    method: 'POST',
    headers: { 'user-agent': inOneLine('browser') },
    body: new URLSearchParams({ username: name, password: PASSWORD }),
  })
  const { access_token } = (await login.json()) as { access_token: string }
  const stop_words = ['<b onclick=hit() title=word>w</b>']
  await make(saveGlobalSettings, { spoof_time_secs: 0, send_enabled: true, stop_words }, access_token)

  // A device: its own description and its networks.
  const { code } = await make(createLinkCode, {})
  const account = await make(linkDevice, { code, uid: UID, location: hostile('location') })
  const device = await connectDevice(account)
  const radio = { ready: false, says: hostile('radio'), last_sent_at: null }
  await device.publish('networks', { ...networks(), radio })
  const { session } = device
  await device.publish('status', { status: 'connected', session, agent: hostile('agent') })

  // Messages, their outcomes and replies.
  const send = (telefono_to: string, mensaje_sms: string) =>
    make(sendSms, { device_uid: UID, telefono_to, mensaje_sms })
  const sent = await send(NUMBERS[0]!, hostile('message'))
  await device.until(1)
  await device.report({ guid: sent.guid, state: 'sent' })
  const at = new Date().toISOString()
  await device.publish('inbox', { id: hostile('id'), from: NUMBERS[0], text: hostile('reply'), at })
  await device.publish('inbox', { id: '2', from: hostile('sender'), text: hostile('nobody'), at })
  await device.publish('inbox', { id: '3', from: NUMBERS[1], text: stop_words[0], at })
  let failed = ''
  for (let failures = 0; failures < 5; failures++) {
    const { guid } = await send(NUMBERS[2]!, 'one that fails')
    await device.until(2 + failures)
    const why = { code: hostile('code'), detail: hostile('detail'), sim: hostile('sim') }
    await device.report({ guid, state: 'failed', ...why })
    failed = guid
  }

  // Other systems.
  const key = await make(apiKeys.createApiKey, { name: inOneLine('key') })
  const url = `http://127.0.0.1:9/${withoutBlanks('webhook')}`
  await make(createWebhook, { url })
  const task = { guid: 'task-1', to_number: NUMBERS[2], from_number: '+34699999999', text: hostile('task') }
  const callback_url = `http://127.0.0.1:9/${withoutBlanks('address')}`
  await make(createTasks, { ...task, callback_url }, key.key)
  const callback = fillIn(data_dir)

  return {
    uid: UID,
    device,
    sent: sent.guid,
    failed,
    person: person.id,
    task: task.guid,
    callback,
    /** The user's name is one of these texts. */
    session: { token: access_token, role: 'superadmin', user_id: String(person.id) },
    /** By source: the part of the text that every screen shows, however it treats line breaks. */
    shown: {
      ...Object.fromEntries(SOURCES.map((source) => [source, shownOf(source)])),
      webhook: withoutBlanks('webhook'),
      address: withoutBlanks('address'),
      email,
      word: stop_words[0]!,
    } as Record<string, string>,
  }
}

/** Texts that enter the database in other ways: a company's name, and a dead callback. */
function fillIn(data_dir: string): number {
  const db = new DatabaseSync(join(data_dir, 'sms-drone-dash.db'), { timeout: 5_000 })
  db.prepare('update companies set name = ?').run(hostile('company'))
  const { lastInsertRowid } = db
    .prepare(
      `insert into callbacks (company_id, webhook_id, type, guid, url, host, body, state, created_at, last_error)
        values (1, 'msg_1', 'task.sent', 'task-1', ?, '192.0.2.1', '{}', 'dead', ?, ?)`,
    )
    .run(`http://192.0.2.1/${hostile('callback')}`, new Date().toISOString(), hostile('error'))
  db.close()
  return Number(lastInsertRowid)
}

const WIFI = ['ssid', 'band', 'frequency', 'link_speed', 'bssid', 'ip_address']
const SIM = ['carrier', 'operator_name', 'phone_number', 'iccid', 'network_type_label']

const PEOPLE = ['user', 'browser', 'company']
const DEVICE = ['location', 'radio', 'agent', 'message', 'reply', 'detail', 'code', 'sim']
const SYSTEMS = ['key', 'webhook', 'task', 'address', 'error', 'callback']
const SOURCES = [...PEOPLE, ...DEVICE, ...WIFI, ...SIM, ...SYSTEMS]

function networks() {
  const texts = (fields: string[]) => Object.fromEntries(fields.map((field) => [field, hostile(field)]))
  const captured_at = new Date().toISOString()
  const sims = [{ id: 1, slot: 0, roaming: false, ...texts(SIM) }]
  return {
    wifi: { intensity: -50, captured_at, ...texts(WIFI) },
    mobile: { intensity: -80, captured_at, sims },
  }
}
