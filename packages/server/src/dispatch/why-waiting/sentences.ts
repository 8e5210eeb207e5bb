import type { Waiting } from '@sdd/contract/dispatch/waiting.ts'

type Params<Code extends Waiting['code']> = Extract<Waiting, { code: Code }>['params']

/** The fields of a log entry or a task that say why it waits. */
export function waitingFieldsOf(waiting: Waiting | undefined) {
  if (waiting === undefined) return { waiting_for: null, waiting_code: null, waiting_params: null }
  const { code, params } = waiting
  return { waiting_for: explainWaiting(waiting), waiting_code: code, waiting_params: params }
}

/** `waiting_for`: an English sentence, made from nothing but the code and its facts. */
export function explainWaiting({ code, params }: Waiting): string {
  switch (code) {
    case 'sending_off':
      return `Sending has been switched off in Settings since ${params.since}: it waits until that is on again, or expires at ${params.expires_at}.`
    case 'sending_hours':
      return `Sending hours: it waits until ${params.until}, when ${params.class} messages may go to this number.`
    case 'campaign_paused':
      return 'Its campaign is paused.'
    case 'usual_device':
      return `It waits for ${params.device}, which wrote to this number last, until ${params.until}; then others may take it.`
    case 'not_before':
      return `Not before ${params.at}, as it was handed in.`
    case 'retry':
      return `Attempt ${params.attempt} failed${params.device === null ? '' : ` on ${params.device}`}: it is tried again at ${params.at}, on another device where there is one.`
    case 'no_device':
      return `No device is linked: it goes out once one is, or expires at ${params.expires_at}.`
    case 'no_sim':
      return `No device has a SIM of ${params.number}: it goes out once one has, or expires at ${params.expires_at}.`
    case 'route':
      if (params.tag === null)
        return `Its route refuses such messages: it goes out once the routes are changed, or expires at ${params.expires_at}.`
      if (params.number !== undefined)
        return `No device with the tag ${params.tag} has a SIM of ${params.number}: it goes out once one has, or expires at ${params.expires_at}.`
      return `No device has the tag ${params.tag}: it goes out once one has, or expires at ${params.expires_at}.`
    case 'none_can':
      return explainNoneCan(params)
    case 'maintenance':
      return `Maintenance: ${params.device} is in maintenance until ${params.at}; it goes out then.`
    case 'plan_used':
      return params.valid_until === undefined
        ? `Plan used up: that of the SIM ${params.iccid} renews at ${params.at}; it goes on then, or once the plan is changed.`
        : `Plan over: the SIM ${params.iccid} was valid until ${params.valid_until}; it goes on once its plan is changed.`
    case 'over_limits':
      return `Daily limit: it takes ${params.parts} SMS, and no device may send more than ${params.most} a day; raise a limit in Settings.`
    case 'no_room':
      return `Daily limit: no device has room for its ${params.parts} SMS today; ${tomorrow(params.at)}.`
    case 'window_full':
      return `Every device that could take it has ${params.window} unfinished messages; one is handed over when one of them ends, ${line(params)}.`
    case 'pacing':
      return `Pacing: each device is handed one message every ${params.every_secs} s; the next slot opens at ${params.at}, ${line(params)}.`
    case 'next':
      return `Next in line since ${params.since}: ${line(params)}.`
    case 'device_unlinked':
      return 'Its device is no longer linked.'
    case 'device_offline':
      return `Device offline: ${disconnected(params.device, params.since)}; once it is back ${goesOut(params)}.`
    case 'device_disabled':
      return `Device disabled: ${params.device} has been disabled since ${params.since}; once it is enabled ${goesOut(params)}.`
    case 'device_limit':
      return `Daily limit reached: ${params.device} has sent ${params.sent} of ${params.limit} SMS today; it goes on at ${params.at}.`
    case 'over_device_limit':
      return `Daily limit: it takes ${params.parts} SMS and ${params.device} may send ${params.limit} a day; raise the limit in Settings.`
    case 'retry_at':
      return `It is tried again at ${params.at}.`
    case 'device_window':
      return `${params.device} has ${params.window} unfinished messages; it is handed over when one of them ends.`
    case 'device_pacing':
      return `Pacing: ${params.device} is handed one message every ${params.every_secs} s; the next slot opens at ${params.at}, ${params.waiting} wait for it.`
    case 'device_next':
      return `Next in the queue of ${params.device} since ${params.since}.`
    case 'unconfirmed':
      return explainUnconfirmed(params)
    case 'accepted':
      return `${params.device} accepted it at ${params.since} and has not said yet what became of it${orOffline(params)}.`
    case 'discarding':
      return `It is to be discarded: since ${params.since}, ${params.device}, which already had it, is told to drop it until it answers${orOffline(params)}.`
  }
}

function explainNoneCan(params: Params<'none_can'>): string {
  const { devices, offline, disabled, at_limit, maintenance = 0, at, since, expires_at } = params
  const orExpires = `or expires at ${expires_at}`
  const why = obstacles(params)
  if (offline === devices)
    return `${why}${devices === 1 ? '' : ', the last one'} since ${since}: it goes out once one is back, ${orExpires}.`
  if (offline + disabled === devices) return `${why}: it goes out once one is enabled, ${orExpires}.`
  if (offline + disabled + at_limit + maintenance === devices)
    return `Daily limit reached: ${why}; ${tomorrow(at)}.`
  return `${why}, as too many messages failed in a row: ${at === null ? 'one is being tried' : `one is tried again at ${at}`}.`
}

/** Why none of the devices can take it: `All 3 devices are offline`, or how many have which obstacle. */
function obstacles(params: Params<'none_can'>): string {
  const { devices, offline, disabled, at_limit, quarantined, device, number, tag } = params
  const { plan_used = 0, maintenance = 0 } = params
  const sim = tag ? ` with the tag ${tag}` : number === null ? '' : ` with a SIM of ${number}`
  const found = (
    [
      [offline, 'offline'],
      [disabled, 'disabled'],
      [at_limit, 'at the daily limit'],
      [plan_used, 'at the end of its plan'],
      [quarantined, 'in quarantine'],
      [maintenance, 'in maintenance'],
    ] as const
  ).filter(([count]) => count > 0)
  const [first] = found
  if (found.length === 1 && first) {
    return device === null
      ? `All ${devices} devices${sim} are ${first[1]}`
      : `${device}, the only device${sim}, is ${first[1]}`
  }
  const each = found.map(([count, how]) => `${count} ${count === 1 ? 'is' : 'are'} ${how}`)
  return `None of the ${devices} devices${sim} can take it: ${each.join(', ')}`
}

/** What holds it up is named in the order in which a person would have to remove it. */
function explainUnconfirmed(params: Params<'unconfirmed'>): string {
  const { device, since, again_at, offline_since, off_since, disabled_since, maintenance_until, expires_at } =
    params
  const given = `${device} was given it at ${since} and has not confirmed it`
  const again = (when: string) => `the command goes out again ${when}, until ${expires_at}`
  if (offline_since) return `${given}; ${disconnected(device, offline_since)}; ${again('when it is back')}.`
  if (off_since)
    return `${given}; sending has been switched off in Settings since ${off_since}; ${again('once it is on')}.`
  if (disabled_since)
    return `${given}; it has been disabled since ${disabled_since}; ${again('once it is enabled')}.`
  if (maintenance_until) return `${given}; it is in maintenance until ${maintenance_until}; ${again('then')}.`
  return `${given}; the command goes out again at ${again_at}.`
}

function orOffline({
  device,
  offline_since,
}: {
  device: string
  offline_since?: string | undefined
}): string {
  return offline_since === undefined ? '' : `; ${disconnected(device, offline_since)}`
}

function disconnected(device: string, since: string): string {
  return `${device} has been disconnected since ${since}`
}

function goesOut({ expires_at }: { expires_at: string }): string {
  return `it goes out then, or expires at ${expires_at}`
}

function tomorrow(at: string | null): string {
  return `it goes on at ${at}, or once a limit is raised in Settings`
}

function line({ waiting }: { waiting: number }): string {
  return waiting === 1 ? 'no other task waits with it' : `${waiting} tasks wait in this line`
}
