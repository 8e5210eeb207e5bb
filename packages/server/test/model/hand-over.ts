import assert from 'node:assert/strict'
import type { SendCommand } from '@sdd/contract/fleet/device-protocol.ts'
import { PATIENCE_MS } from '#server/dispatch/lanes/last-device.ts'
import {
  AGAIN_MS,
  type Company,
  type Device,
  latest,
  type Message,
  openOn,
  reservedOn,
  ROUTED,
} from './model.ts'

const WINDOW = 10
const MOST_ATTEMPTS = 3

type Facts = {
  messages: readonly Message[]
  devices: readonly Device[]
  company: Company
  now_ms: number
  day: string
}

/** Checks a sent command against the rules of the hand-over, and applies it to the model's message. */
export function takeCommand(message: Message, device: Device, command: SendCommand, facts: Facts): void {
  const { company, now_ms } = facts
  assert.ok(device.linked && device.connected, `${device.uid} is not connected`)
  assert.ok(device.enabled, `${device.uid} is disabled`)
  assert.ok(company.sending, 'sending is switched off')
  const attempt = latest(message)
  if (command.attempt === message.attempts.length) {
    assert.equal(attempt!.device, device, 'a repetition goes to the device that has it')
    assert.ok(!attempt!.over && attempt!.said.size === 0, 'an answered command is not repeated')
    assert.equal(attempt!.drop_ms, undefined, 'a message to drop is not sent again')
    assert.ok(attempt!.again_ms <= now_ms, 'it is sent again after 30 s, or when the device is back')
    attempt!.again_ms = now_ms + AGAIN_MS
    return
  }
  assert.equal(command.attempt, message.attempts.length + 1, 'attempts are counted up')
  assert.ok(command.attempt <= MOST_ATTEMPTS, 'there are at most three attempts')
  assert.ok(!attempt || message.task, 'only tasks are retried')
  assert.equal(message.step, 'waiting', 'only waiting messages are handed over')
  const why = whyNot(message, device, facts)
  assert.equal(why, undefined, `${message.guid} was given to ${device.uid}`)
  if (message.task) consoleGoesFirst(message, device, facts)
  message.attempts.push({
    device,
    parts: message.parts,
    day: facts.day,
    given_ms: now_ms,
    said: new Set(),
    over: false,
    again_ms: now_ms + AGAIN_MS,
    drop_ms: undefined,
  })
  message.step = 'given'
  message.device = device
  device.given_ms = now_ms
}

/** Why the waiting message may not be handed to the device now; `undefined` if it may. */
export function whyNot(message: Message, device: Device, facts: Facts): string | undefined {
  return whyNotIt(message, device, facts) ?? whyNotByRoute(message, device, facts)
}

function whyNotByRoute(message: Message, device: Device, facts: Facts): string | undefined {
  const { route } = facts.company
  if (route === 'none' || !message.task || !message.to.startsWith(ROUTED) || device.tagged) return undefined
  if (route === 'wait') return 'its route leaves it out'
  const first = facts.devices.filter((other) => other.tagged && other !== message.avoid)
  return first.some((other) => whyNotIt(message, other, facts) === undefined)
    ? 'devices of its route come first'
    : undefined
}

function whyNotIt(message: Message, device: Device, facts: Facts): string | undefined {
  const { messages, company, now_ms, day } = facts
  if (message.company !== device.company) return 'of another company'
  if (!device.linked || !device.connected || !device.enabled || !company.sending) return 'it can send nothing'
  if (company.blocked.has(message.to)) return 'its number is blocked'
  if (now_ms < message.due_ms || now_ms >= message.expires_ms) return 'not its time'
  if (!message.task && message.device !== device) return 'for another device'
  if (message.sim !== undefined && !device.sims.has(message.sim)) return 'for another SIM'
  if (openOn(messages, device) >= WINDOW) return 'it has ten'
  if (reservedOn(messages, device, day) + message.parts > device.limit) return 'past its daily limit'
  if (now_ms < device.given_ms + company.pace_ms) return 'its pacing slot is closed'
  if (
    message.avoid === device &&
    facts.devices.some((other) => other !== device && couldTake(message, other, facts))
  )
    return 'it failed on it, and another one could take it'
  return message.task ? whyNoTasks(device, facts) : undefined
}

function whyNoTasks(device: Device, { messages, now_ms }: Facts): string | undefined {
  if (device.quarantined_until_ms === undefined) return undefined
  if (now_ms < device.quarantined_until_ms) return 'it is in quarantine'
  const tasks = messages.filter(({ task }) => task)
  return openOn(tasks, device) > 0 ? 'after a quarantine it has one at a time' : undefined
}

/** Now or later today. A device whose window is full is waited for, but not for long. */
function couldTake(message: Message, device: Device, { messages, now_ms, day }: Facts): boolean {
  return (
    device.company === message.company &&
    device.linked &&
    device.connected &&
    device.enabled &&
    (message.sim === undefined || device.sims.has(message.sim)) &&
    reservedOn(messages, device, day) + message.parts <= device.limit &&
    (now_ms < message.due_ms + PATIENCE_MS || openOn(messages, device) < WINDOW) &&
    (device.quarantined_until_ms ?? 0) <= now_ms
  )
}

function consoleGoesFirst(task: Message, device: Device, facts: Facts): void {
  for (const other of facts.messages) {
    if (other.task || other.step !== 'waiting' || other.device !== device) continue
    if (whyNot(other, device, facts) === undefined)
      assert.fail(`the task ${task.guid} went to ${device.uid} before ${other.guid} of the console`)
  }
}
