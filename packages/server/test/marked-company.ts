import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as apiKeys from '@sdd/contract/api-keys.ts'
import * as callbacks from '@sdd/contract/callbacks.ts'
import type { Networks } from '@sdd/contract/devices.ts'
import * as messages from '@sdd/contract/messages.ts'
import * as optOuts from '@sdd/contract/opt-outs.ts'
import * as settings from '@sdd/contract/settings.ts'
import { createTasks } from '@sdd/contract/tasks.ts'
import { addDeadCallback } from './callback-rows.ts'
import { connectDevice, linkTestDevice } from './device.ts'
import { newUser } from './seeds.ts'
import { call, type TestServer } from './server.ts'

export type MarkedCompany = Awaited<ReturnType<typeof newMarkedCompany>>

/**
 * A company every text of which has `mark` in it, and every phone number `digits`: where either turns up, a row of it
 * did. It has something of everything: users, devices, messages in several states, replies, tasks, keys, webhooks,
 * callbacks, blocks, and an audit log of all that.
 */
export async function newMarkedCompany(
  server: TestServer,
  superadmin: string,
  { id, mark, digits }: { id: number; mark: string; digits: string },
) {
  let count = 0
  const next = () => ++count
  const number = () => `+${digits}${String(next()).padStart(4, '0')}`
  const person = (role: string) => {
    const name = `${mark} ${role} ${next()}`
    const email = `${name.replaceAll(' ', '.')}@example.com`
    return newUser(server, superadmin, { name, email, role, companyId: id })
  }

  const [admin, user, member] = [await person('admin'), await person('user'), await person('user')]
  const token = admin.token
  withDatabase(server, (db) =>
    db.prepare('update companies set name = ? where id = ?').run(`${mark} Ltd`, id),
  )

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
  const newOptOut = () => make(optOuts.addOptOut, { number: number() })
  const newCallback = () => {
    const row = addDeadCallback(server, id)
    withDatabase(server, (db) =>
      db
        .prepare('update callbacks set guid = ?, url = ?, last_error = ? where id = ?')
        .run(`${mark}-task`, `http://192.0.2.1/${mark}`, `${mark} failed`, row),
    )
    return row
  }

  const word = `${mark}stop`
  await make(settings.saveGlobalSettings, { spoof_time_secs: 0, send_enabled: true, stop_words: [word] })
  const device = await connectDevice(await newDevice())
  await device.publish('networks', networksOf(mark, number()))
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
    /** Matches what may come from this company alone. */
    marked: new RegExp(`${mark}|${digits}`, 'i'),
    admin,
    user,
    /** Who is asked about, and asks nothing. */
    member,
    /** A connected one, with messages that wait for it. */
    device,
    /** Of a message; a task's would do as well. */
    guid: sms.guid,
    task: await newTask(),
    key: await newKey(),
    webhook: await newWebhook(),
    callback: newCallback(),
    optOut: await newOptOut(),
    newDevice,
    newTask,
    newKey,
    newWebhook,
    newCallback,
    newOptOut,
    stop: () => device.stop(),
  }
}

function networksOf(mark: string, phone_number: string): Networks {
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
      sims: [{ ...sim, iccid: `${mark} iccid`, roaming: false, network_type_label: `${mark} LTE` }],
    },
    radio: { ready: true, says: `${mark} radio`, last_sent_at: null },
  }
}

/** The database of a running server, for what no route can make. */
export function withDatabase<T>(server: { folder: string }, work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(join(server.folder, 'sms-drone-dash.db'))
  try {
    return work(db)
  } finally {
    db.close()
  }
}

/** The ids of every row of a company, of whatever table: what an id in a path could mean. */
export function idsOf(server: { folder: string }, company_id: number): Set<number> {
  return withDatabase(server, (db) => {
    const tables = db.prepare(`select name from sqlite_schema where type = 'table'`).all() as {
      name: string
    }[]
    const ids = tables.flatMap(({ name }) => {
      const columns = db.prepare(`select name from pragma_table_info(?)`).all(name) as { name: string }[]
      const has = (column: string) => columns.some((one) => one.name === column)
      if (!has('id')) return []
      const where = has('company_id')
        ? `company_id = ?`
        : has('companyId')
          ? `"companyId" = ?`
          : has('user_id') && `user_id in (select id from users where "companyId" = ?)`
      if (!where) return []
      return db.prepare(`select id from "${name}" where ${where}`).all(company_id) as { id: number }[]
    })
    return new Set(ids.map(({ id }) => id))
  })
}
