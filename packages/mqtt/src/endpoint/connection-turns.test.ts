import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pingreq } from '#mqtt/codec/from-client.ts'
import { openConnection, type Connection, type WireEvents } from './connection.ts'
import { SMALL_PACKETS } from './headers.ts'
import { LIMITS } from './limits.ts'
import { connectPacket } from '#test/endpoint.ts'

test('the first chunk of a connection is read in its turn, and further chunks at once', () => {
  const { open, works } = openUnread()
  const [one, other] = [open(), open()]
  const packet = Buffer.from(connectPacket('pub-1'))
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

test('chunks after the admission are read in turn too, and before the end is handled', () => {
  const { open, works } = openUnread()
  const one = open()
  const packet = Buffer.from(pingreq())
  one.admit()
  one.bytes(packet)
  assert.deepEqual([one.read.length, works.length], [0, 1])
  works[0]!()
  assert.deepEqual(one.read, [packet])
  one.bytes(packet)
  one.closed()
  works[2]!()
  assert.deepEqual([one.read, one.causes], [[packet, packet], ['closed']])
})

test('the end of a connection is handled in its turn', () => {
  const { open, works, told } = openUnread()
  const [one, other] = [open(), open()]
  one.closed()
  other.closed()
  assert.deepEqual([one.causes, told, works.length], [[], [], 2])
  works[0]!()
  assert.deepEqual([one.causes, other.causes, told], [['closed'], [], ['closed']])
  works[1]!()
  assert.deepEqual([other.causes, told], [['closed'], ['closed', 'closed']])
})

/**
 * Connections that are not admitted, the `works` queued for a later turn, and the causes `told` when connections end.
 */
function openUnread() {
  const works: (() => void)[] = []
  const told: string[] = []
  const nothing = () => {}
  const later = (work: () => void) => void works.push(work)
  const ways = {
    unsent: () => 0,
    send: nothing,
    pause: nothing,
    resume: nothing,
    ping: nothing,
    end: nothing,
    destroy: nothing,
  }
  /** Opens a connection: `read` has its packets, and `causes` the reasons that its role got for its end. */
  function open() {
    const read: Uint8Array[] = []
    const causes: string[] = []
    let events: WireEvents | undefined
    let connection: Connection | undefined
    const role = {
      frame: (frame: Uint8Array) => void read.push(Buffer.from(frame)),
      ended: (cause: string) => void causes.push(cause),
    }
    openConnection(
      { ...ways, address: '', websocket: false, start: (its) => void (events = its) },
      LIMITS,
      (its) => {
        connection = its
        return role
      },
      { slowed: nothing, closed: (_, cause) => void told.push(cause) },
      { opening: later, reading: later, closing: later },
    )
    const admit = () => connection!.become(role, { silence_ms: 0, judge: SMALL_PACKETS, pinged: false })
    return { read, causes, admit, bytes: events!.bytes, closed: events!.closed }
  }
  return { open, works, told }
}
