import assert from 'node:assert/strict'
import { instant } from '#server/core/clock.ts'
import { editDevice } from '#server/fleet/devices/changing.ts'
import { setEnabled } from '#server/fleet/devices/devices.ts'
import { saveDeviceLimit } from '#server/fleet/devices/daily-limits.ts'
import { unlinkDevice } from '#server/fleet/linking/unlinking.ts'
import { saveRoutes } from '#server/fleet/routes/saving.ts'
import { queueMessage } from '#server/messages/messages/messages.ts'
import { addOptOut } from '#server/messages/opt-outs/blocking.ts'
import { saveGlobalSettings } from '#server/accounts/settings/settings.ts'
import { submitTasks } from '#server/tasks/submission.ts'
import { discardTask } from '#server/tasks/tasks.ts'
import { HOUR } from '#test/clock.ts'
import { DEVICES, type Event } from './events.ts'
import { end, forget, latest, raise, reservedOn, ROUTED } from './model.ts'
import type { Play } from './playing.ts'
import { add, blockNumber, nth, refusable, report, withoutUrls } from './steps.ts'

const WEEK_MS = 7 * 24 * HOUR
const DAY_MS = 24 * HOUR

const numberOf = (recipient: number) => `+346000010${String(recipient).padStart(2, '0')}`
const simOf = (sim: number) => `+3469999000${sim}`
/** A text of this many segments. */
const textOf = (parts: number) => 'x'.repeat(parts === 1 ? 20 : 153 * parts)

type Acts = { [Kind in Event['kind']]: (play: Play, event: Extract<Event, { kind: Kind }>) => Promise<void> }

/** Applies the event to the real rules and to the model. */
export function act(play: Play, event: Event): Promise<void> {
  return acts[event.kind](play, event as never)
}

const acts: Acts = {
  async queue(play, { device: name, recipient, parts }) {
    const { world, clock, messages } = play
    const { device } = play.devices.get(name)!
    const [company, to, now_ms] = [play.companyOf(device), numberOf(recipient), clock.now()]
    const room = device.limit - reservedOn(messages, device, clock.day(now_ms)) >= parts
    const ready = device.linked && device.connected && device.enabled && company.sending
    const sms = { device_uid: name, telefono_to: to, mensaje_sms: textOf(parts) }
    const answer = await refusable(queueMessage(world.needs, world.superadmin, sms))
    assert.equal('guid' in answer, ready && room && !company.blocked.has(to), JSON.stringify(answer))
    if (!('guid' in answer)) return
    const task = { task: false, sim: undefined, due_ms: now_ms, expires_ms: now_ms + DAY_MS }
    add(play, { guid: answer.guid, company: device.company, to, parts, device, ...task })
  },

  async hand_in(play, { company, tasks }) {
    const { world, clock } = play
    const now_ms = clock.now()
    const drafts = tasks.map(({ recipient, parts, sim, wait_ms, lives_ms }) => ({
      guid: `task-${play.count()}`,
      to_number: numberOf(recipient),
      text: textOf(parts),
      ...(sim > 0 && { from_number: simOf(sim) }),
      ...(wait_ms > 0 && { not_before: instant(now_ms + wait_ms) }),
      expires_at: instant(now_ms + lives_ms),
    }))
    const results = await submitTasks(
      withoutUrls(world),
      { ...world.superadmin, company_id: company },
      drafts,
    )
    for (const [place, { guid, to_number: to }] of drafts.entries()) {
      const { parts, sim, wait_ms, lives_ms } = tasks[place]!
      const good = wait_ms < lives_ms && !play.companies[company].blocked.has(to)
      assert.equal(results[place]!.status, good ? 'received' : 'refused', JSON.stringify(results[place]))
      const times = { due_ms: now_ms + wait_ms, expires_ms: now_ms + lives_ms }
      if (!good) continue
      add(play, {
        guid,
        company,
        to,
        parts,
        task: true,
        sim: sim ? simOf(sim) : undefined,
        device: undefined,
        ...times,
      })
    }
  },

  async hand_in_again(play, { message: place, changed }) {
    const message = nth(play, place)
    if (!message?.task) return
    const known = {
      guid: message.guid,
      to_number: message.to,
      text: textOf(message.parts),
      ...(message.sim !== undefined && { from_number: message.sim }),
      ...(message.not_before_ms > message.queued_ms && { not_before: instant(message.not_before_ms) }),
      expires_at: instant(message.expires_ms),
    }
    const caller = { ...play.world.superadmin, company_id: message.company }
    const again = changed ? { ...known, silent: true } : known
    const [result] = await submitTasks(withoutUrls(play.world), caller, [again])
    assert.equal(result!.status, changed ? 'refused' : 'repeated', JSON.stringify(result))
  },

  async discard(play, { message: place }) {
    const message = nth(play, place)
    if (!message?.task) return
    const caller = { ...play.world.superadmin, scope: { company_id: message.company } }
    const answer = await refusable(discardTask(play.world.needs, caller, { guid: message.guid }))
    const { step, state, accepted, discarded } = message
    if (step === 'waiting') end(message, 'cancelled')
    else if (step === 'given' && !accepted && !discarded) {
      message.discarded = true
      latest(message)!.drop_ms = play.clock.now()
    } else {
      const same = (step === 'given' && discarded) || (step === 'finished' && state === 'cancelled')
      assert.equal('task' in answer, same, JSON.stringify(answer))
      return
    }
    assert.ok('task' in answer, JSON.stringify(answer))
  },

  async connect(play, { device: name, sims }) {
    if (!play.devices.get(name)!.device.linked) await play.link(name)
    const known = play.devices.get(name)!
    const { device } = known
    known.from = { ...known.from, connection: await play.world.db.connectionNumber() }
    known.session = `session-${play.count()}`
    await play.world.status(known.from, { status: 'connected', session: known.session })
    device.connected = true
    const now_ms = play.clock.now()
    for (const { attempts } of play.messages) {
      for (const attempt of attempts.filter((one) => one.device === device && !one.over)) {
        if (!attempt.said.has('accepted')) attempt.again_ms = now_ms
        if (attempt.drop_ms !== undefined) attempt.drop_ms = now_ms
      }
    }
    const numbers = [1, 2].filter((sim) => sims & sim).map(simOf)
    const mobile = { sims: numbers.map((phone_number) => ({ phone_number })) }
    await play.world.networks(known.from, { wifi: null, mobile })
    device.sims = new Set(numbers)
  },

  async leave(play, { device: name, how }) {
    const { device, from, session } = play.devices.get(name)!
    if (how === 'is cut') await play.world.cut(from)
    else {
      const said = how === 'late will' ? 'an earlier session' : session || 'none'
      await play.world.status(from, { status: 'disconnected', session: said })
    }
    if (how !== 'late will') device.connected = false
  },

  round: (play) => play.round(false),
  settle: (play) => play.round(true),

  async answer(play, { device: name, states, ...how }) {
    const { device } = play.devices.get(name)!
    const open = play.messages.find((one) => latest(one)?.device === device && !latest(one)!.over)
    if (open) await report(play, name, open, open.attempts.length, states, { ...how, age_ms: 0 })
  },

  async report(play, { device: name, message: place, attempt, state, ...how }) {
    const message = nth(play, place)
    if (message) await report(play, name, message, attempt, [state], how)
  },

  async late_word(play, { message: place, states }) {
    const tried = play.messages.filter(({ step, attempts }) => attempts.length > (step === 'waiting' ? 0 : 1))
    const message = tried[place % tried.length]
    const name = DEVICES.find((name) => play.devices.get(name)!.device === message?.attempts[0]!.device)
    const how = { code: 'timeout', block: false, parts: 0, age_ms: 0 }
    if (message && name) await report(play, name, message, 1, states, how)
  },

  async mishap(play, { device: name, code }) {
    const { device } = play.devices.get(name)!
    const how = { code, block: false, parts: 0, age_ms: 0 }
    for (const message of play.messages)
      if (message.step === 'given' && message.device === device)
        await report(play, name, message, message.attempts.length, ['failed'], how)
  },

  async reply(play, { device: name, recipient, text }) {
    const { device, from } = play.devices.get(name)!
    // Usually one that the device was handed.
    const known = play.messages.filter(({ attempts }) => attempts.some((one) => one.device === device))
    const [to, now_ms] = [known[recipient % (known.length + 1)]?.to ?? numberOf(recipient), play.clock.now()]
    const sms = { id: `sms-${play.count()}`, from: to, text, at: instant(now_ms) }
    const answered = play.messages.findLast(
      (one) =>
        one.device === device && one.to === to && one.heard.size > 0 && one.queued_ms >= now_ms - WEEK_MS,
    )
    await play.world.inbox(from, sms)
    device.inbox.push({ from: to, at_ms: now_ms, received_ms: now_ms, answers: answered !== undefined })
    if (answered) {
      answered.replied = true
      raise(answered, 'replied')
    }
    if (text === 'STOP') blockNumber(play, device.company, to)
  },

  async block(play, { recipient }) {
    const number = numberOf(recipient)
    await addOptOut(play.world.needs, play.world.superadmin, number, 1)
    blockNumber(play, 1, number)
  },

  async pass({ clock }, { ms }) {
    clock.advance(ms)
  },

  async set({ world, companies }, { company, spoof_time_secs, send_enabled }) {
    await saveGlobalSettings(world.needs, world.superadmin, { spoof_time_secs, send_enabled }, company)
    Object.assign(companies[company], { sending: send_enabled, pace_ms: spoof_time_secs * 1000 })
  },

  async limit({ world, devices }, { device: uid, max_sms_dayly }) {
    const { device } = devices.get(uid)!
    const saved = await refusable(saveDeviceLimit(world.needs, world.superadmin, { uid, max_sms_dayly }))
    assert.equal('uid' in saved, device.linked)
    device.limit = max_sms_dayly
  },

  async enable({ world, devices }, { device: uid, enabled }) {
    const { device } = devices.get(uid)!
    const saved = await refusable(setEnabled(world.needs, world.superadmin, uid, enabled))
    assert.equal('uid' in saved, device.linked)
    if (enabled && !device.enabled) forget(device)
    device.enabled = enabled
  },

  async unlink({ world, devices, messages }, { device: uid }) {
    const { device } = devices.get(uid)!
    const done = await refusable(
      unlinkDevice(world.needs, world.superadmin, uid).then(() => ({ done: true })),
    )
    assert.equal('done' in done, device.linked)
    Object.assign(device, { linked: false, connected: false })
    for (const message of messages)
      if (message.device === device && message.step !== 'finished')
        end(message, message.step === 'waiting' ? 'failed' : 'uncertain')
  },

  async route({ world, companies }, { company, route }) {
    const rule = { match: { prefix: ROUTED }, via: 'north', fallback_after_secs: 0, enabled: true }
    const routes = route === 'none' ? [] : [{ ...rule, fallback: route }]
    await saveRoutes(world.needs, world.superadmin, { routes }, company)
    companies[company].route = route
  },

  async tag({ world, devices }, { device: uid, tagged }) {
    const { device } = devices.get(uid)!
    const change = { tags: tagged ? ['north'] : [] }
    const saved = await refusable(editDevice(world.needs, world.superadmin, uid, change))
    assert.equal('uid' in saved, device.linked)
    if (device.linked) device.tagged = tagged
  },

  async restart({ world, allDevices }) {
    await world.restart()
    for (const device of allDevices) device.connected = false
  },
}
