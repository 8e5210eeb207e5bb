import { typedSentence } from '#console/core/said.ts'
import type { WaitingFacts, WaitingFields, WaitingSentences } from './waiting.ts'

export const sentences: WaitingSentences = {
  sending_off: ({ since, expires_at }) =>
    `Sending has been switched off in the settings since ${since}. It goes out once it is on again, ${orExpires(expires_at)}`,
  sending_hours: ({ until, class: kind }) =>
    `It is outside the sending hours of ${kind === 'marketing' ? 'marketing' : 'transactional messages'}. It goes out from ${until} on.`,
  campaign_paused: () => 'Its campaign is paused.',
  usual_device: ({ device, until }) =>
    `Until ${until} it waits for ${device}, the last one that wrote to this number. Then others may send it.`,
  not_before: ({ at }) => `It must not go out before ${at}: that was requested.`,
  retry: ({ attempt, device, at }) =>
    `Attempt ${attempt} failed${device === null ? '' : ` on ${device}`}. It is tried again at ${at}, on another device if there is one.`,
  no_device: ({ expires_at }) => `No device is linked. It goes out once one is, ${orExpires(expires_at)}`,
  no_sim: ({ number, expires_at }) =>
    `No device has the SIM ${number}. It goes out once one has it, ${orExpires(expires_at)}`,
  route: ({ tag, number, expires_at }) =>
    tag === null
      ? `Its route refuses such messages. It goes out once the routes change, ${orExpires(expires_at)}`
      : `No device has the tag ${tag}${number ? ` and the SIM ${number}` : ''}. It goes out once one has, ${orExpires(expires_at)}`,
  none_can: sayNoneCan,
  maintenance: ({ device, at }) => `${device} is in maintenance until ${at}. It goes out then.`,
  plan_used: ({ iccid, at, valid_until }) =>
    valid_until === undefined
      ? `The plan of the SIM ${iccid} is used up. It renews at ${at}, and the message goes out then or once the plan is extended.`
      : `The SIM ${iccid} was valid until ${valid_until}. It goes out once that date is changed, or by another SIM.`,
  over_limits: ({ parts, most }) =>
    `It takes ${parts} SMS, and no device may send more than ${most} a day. Raise a limit in the settings.`,
  no_room: ({ parts, at }) =>
    `It takes ${parts} SMS, and no device has that many left of its daily limit. ${goesOn(at)}`,
  window_full: ({ window, waiting }) =>
    `Every device that could send it already has ${window} messages in progress. It goes out when one of them ends; ${inLine(waiting)}`,
  pacing: ({ every_secs, at, waiting }) =>
    `Each device gets one message every ${every_secs} s. The next turn is at ${at}; ${inLine(waiting)}`,
  next: ({ since, waiting }) => `It has been next since ${since}; ${inLine(waiting)}`,

  device_unlinked: () => 'Its device is no longer linked.',
  device_offline: ({ device, since, expires_at }) =>
    `${device} has been disconnected since ${since}. It goes out once the device is back, ${orExpires(expires_at)}`,
  device_disabled: ({ device, since, expires_at }) =>
    `${device} has been disabled since ${since}. It goes out once the device is enabled, ${orExpires(expires_at)}`,
  device_limit: ({ device, sent, limit, at }) =>
    `${device} has reached its daily limit: it has sent ${sent} of ${limit} SMS. It goes on at ${at}.`,
  over_device_limit: ({ device, parts, limit }) =>
    `It takes ${parts} SMS, and ${device} may send ${limit} a day. Raise its limit in the settings.`,
  retry_at: ({ at }) => `It is tried again at ${at}.`,
  device_window: ({ device, window }) =>
    `${device} already has ${window} messages in progress. It goes out when one of them ends.`,
  device_pacing: ({ device, every_secs, at, waiting }) =>
    `${device} gets one message every ${every_secs} s. The next turn is at ${at}; ${inLine(waiting)}`,
  device_next: ({ device, since }) => `It has been next in the queue of ${device} since ${since}.`,

  unconfirmed: sayUnconfirmed,
  accepted: ({ device, since, offline_since }) =>
    `${device} accepted it at ${since} and has not reported the outcome yet.${isAway(offline_since)}`,
  discarding: ({ device, since, offline_since }) =>
    `Since ${since} it must not go out any more, but ${device} already had it. Until it answers, the device is told again not to send it.${isAway(offline_since)}`,
}

export const waiting = {
  sentence: ({ waiting_for, waiting_code, waiting_params }: WaitingFields): string | undefined =>
    typedSentence(sentences, waiting_code, waiting_params) ?? (waiting_for ? `“${waiting_for}”` : undefined),
  reasons: {
    sending_off: 'Sending switched off',
    later: 'For later',
    no_device: 'No device, or none with that SIM',
    maintenance: 'Device in maintenance',
    device_offline: 'Device disconnected',
    device_disabled: 'Device disabled',
    daily_limit: 'Daily limit reached',
    plan_used: 'Plan of the SIM used up',
    quarantined: 'Device in quarantine',
    window_full: 'Already 10 in progress',
    pacing: 'Pause between messages',
    next: 'About to go out',
  },
}

function sayNoneCan(facts: WaitingFacts<'none_can'>): string {
  const { devices, offline, disabled, at_limit, maintenance = 0, at, since, expires_at } = facts
  const why = obstacles(facts)
  const expires = orExpires(expires_at)
  if (offline === devices) {
    const last = since === null ? '' : `${devices > 1 ? ', the last one' : ''} since ${since}`
    return `${why}${last}. It goes out once ${devices > 1 ? 'one is' : 'it is'} back, ${expires}`
  }
  if (offline + disabled === devices)
    return `${why}. It goes out once ${devices > 1 ? 'one is' : 'it is'} enabled, ${expires}`
  if (offline + disabled + at_limit + maintenance === devices) return `${why}. ${goesOn(at)}`
  return `${why}, because too many messages failed in a row.${at === null ? ' One is being tried.' : ` The next trial is at ${at}.`}`
}

/** How many devices have which obstacle. */
function obstacles(facts: WaitingFacts<'none_can'>): string {
  const { devices, offline, disabled, at_limit, quarantined, device, number, tag } = facts
  const { plan_used = 0, maintenance = 0 } = facts
  const sim = tag ? ` with the tag ${tag}` : number === null ? '' : ` with the SIM ${number}`
  const found = (
    [
      [offline, 'disconnected'],
      [disabled, 'disabled'],
      [at_limit, 'at the daily limit'],
      [plan_used, 'at the end of the plan'],
      [quarantined, 'in quarantine'],
      [maintenance, 'in maintenance'],
    ] as const
  ).filter(([count]) => count > 0)
  const [first] = found
  if (first && found.length === 1) {
    return device === null
      ? `All ${devices} devices${sim} are ${first[1]}`
      : `${device}, the only device${sim}, is ${first[1]}`
  }
  const each = found.map(([count, how]) => `${count} ${count === 1 ? 'is' : 'are'} ${how}`)
  return `None of the ${devices} devices${sim} can send it: ${each.join(', ')}`
}

function sayUnconfirmed(facts: WaitingFacts<'unconfirmed'>): string {
  const { device, since, again_at, offline_since, off_since, disabled_since, maintenance_until, expires_at } =
    facts
  const given = `${device} was given it at ${since} and has not confirmed it.`
  const until = expires_at === undefined ? '' : `, until ${expires_at}`
  if (offline_since)
    return `${given} The device has been disconnected since ${offline_since}: the command is repeated once it is back${until}.`
  if (off_since)
    return `${given} Sending has been switched off in the settings since ${off_since}: the command is repeated once it is on${until}.`
  if (disabled_since)
    return `${given} The device has been disabled since ${disabled_since}: the command is repeated once it is enabled${until}.`
  if (maintenance_until)
    return `${given} The device is in maintenance until ${maintenance_until}: the command is repeated then${until}.`
  return again_at === null ? given : `${given} The command is repeated at ${again_at}.`
}

function isAway(offline_since: string | undefined): string {
  return offline_since === undefined ? '' : ` The device has been disconnected since ${offline_since}.`
}

function orExpires(expires_at: string): string {
  return `or expires at ${expires_at}.`
}

function goesOn(at: string | null): string {
  return at === null
    ? 'It goes on once a limit is raised in the settings.'
    : `It goes on at ${at}, or once a limit is raised in the settings.`
}

function inLine(waiting: number): string {
  return waiting === 1 ? 'no other message is in the queue.' : `${waiting} messages are in the queue.`
}
