import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generate } from 'mqtt-packet'
import { openConnection, type WireEvents } from './connection.ts'
import { LIMITS } from './limits.ts'
import { connectPacket } from './testing.ts'

test('the first piece of a connection is read in its turn, and one that sends more has it read at once', () => {
  const works: (() => void)[] = []
  const [one, other] = [openUnread(works), openUnread(works)]
  const packet = generate(connectPacket('dev-1'))
  one.bytes(packet)
  other.bytes(packet.subarray(0, 9))
  assert.deepEqual([one.read.length, other.read.length, works.length], [0, 0, 2])
  other.bytes(packet.subarray(9))
  assert.deepEqual(other.read, [packet])
  for (const work of works) work()
  assert.deepEqual([one.read, other.read], [[packet], [packet]])
  one.bytes(Buffer.alloc(5_000, packet))
  assert.ok(one.read.length > 2, 'so much is not kept')
  assert.equal(works.length, 2)
})

/** Of a connection that is not admitted: what comes over it, and the packets that were read. */
function openUnread(works: (() => void)[]) {
  const read: Buffer[] = []
  let events: WireEvents | undefined
  const nothing = () => {}
  const wire = {
    address: '',
    websocket: false,
    start: (its: WireEvents) => void (events = its),
    send: nothing,
  }
  const ways = {
    unsent: () => 0,
    pause: nothing,
    resume: nothing,
    ping: nothing,
    end: nothing,
    destroy: nothing,
  }
  const role = { frame: (frame: Buffer) => void read.push(frame), ended: nothing }
  const told = { closed: nothing, slowed: nothing }
  openConnection(
    { ...wire, ...ways },
    LIMITS,
    () => role,
    told,
    (work) => works.push(work),
  )
  return { read, bytes: events!.bytes }
}
