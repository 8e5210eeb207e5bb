import assert from 'node:assert/strict'
import type { Command } from '@sdd/contract/fleet/device-protocol.ts'
import { instant } from '#server/core/clock.ts'
import { testClock } from '#test/clock.ts'
import { act } from './acts.ts'
import { compare, openWatch } from './compare.ts'
import { DEVICES, type DeviceName, type Event } from './events.ts'
import { takeCommand } from './hand-over.ts'
import { AGAIN_MS, latest } from './model.ts'
import { begin, type Play } from './playing.ts'
import { nothingIsStuck } from './stuck.ts'
import { openWorld } from './world.ts'

/** Plays the events on the real rules and on the model, and compares the two after each one. */
export async function play(events: readonly Event[]): Promise<{ states: Set<string> }> {
  // In Madrid one hour of the day is left.
  const clock = testClock('2026-06-09T21:00:00Z')
  const heard: { uid: string; command: Command }[] = []
  const world = await openWorld(clock, (published) => heard.push(published))
  const states = new Set<string>()
  try {
    const playing = begin(world, clock)
    for (const name of DEVICES) await playing.link(name)
    const watch = openWatch()
    for (const [place, event] of events.entries()) {
      try {
        await act(playing, event)
        for (const published of heard.splice(0)) hearCommand(playing, published)
        if (event.kind === 'settle') await nothingIsStuck(playing)
        await compare(playing, watch)
      } catch (error) {
        const where = `after event ${place}, ${JSON.stringify(event)}, at ${instant(clock.now())}`
        throw new Error(`${where}: ${error instanceof Error ? error.message : String(error)}`, {
          cause: error,
        })
      }
    }
    for (const { state } of playing.messages) states.add(state)
  } finally {
    await world.close()
  }
  return { states }
}

/** Checks by the model's rules whether this command may go to that device now. */
function hearCommand(playing: Play, { uid, command }: { uid: string; command: Command }): void {
  const { devices, messages, clock } = playing
  const { device } = devices.get(uid as DeviceName)!
  const now_ms = clock.now()
  assert.ok(command.type === 'send' || command.type === 'cancel')
  const message = playing.find(device.company, command.guid)
  assert.ok(message, `${command.guid} does not belong to the company`)
  if (command.type === 'send') {
    assert.deepEqual([command.to, command.from !== undefined], [message.to, message.sim !== undefined])
    const facts = { messages, devices: playing.allDevices, company: playing.companyOf(device), now_ms }
    return takeCommand(message, device, command, { ...facts, day: clock.day(now_ms) })
  }
  const told = message.attempts.find((attempt) => attempt.device === device && attempt.drop_ms !== undefined)
  if (told) {
    assert.ok(!told.over && told.drop_ms! <= now_ms, 'it is told to drop the message until it answers')
    told.drop_ms = now_ms + AGAIN_MS
  } else {
    assert.equal(latest(message)?.device, device, 'only the device that has the message is told to drop it')
    assert.equal(message.step, 'finished', 'only ended messages are dropped')
  }
}
