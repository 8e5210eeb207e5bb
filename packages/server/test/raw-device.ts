import type { TestContext } from 'node:test'
import { connect, type NewConnect } from '@sdd/mqtt/codec/from-client.ts'
import { admittedClient, type RawClient } from '@sdd/mqtt/test/raw-client.ts'

/** A device's CONNECT as the contract wants it, with a wrong secret unless `but` replaces it. */
export function connectPacket(uid: string, but: Partial<NewConnect> = {}): Uint8Array {
  return connect({ client_id: uid, username: uid, password: 'a wrong secret', keep_alive_secs: 30, ...but })
}

/** An admitted device that sends raw packets. */
export function rawDevice(
  test: TestContext,
  port: number,
  uid: string,
  but: Partial<NewConnect> = {},
): Promise<RawClient> {
  return admittedClient(test, port, connectPacket(uid, but))
}
