import type { Topic } from '@sdd/contract/core/topic.ts'
import type { Scope } from '#server/core/context.ts'

/** One admitted connection of a device. Compared by identity. */
export type DeviceConnection = {
  readonly connection_id: string
  /** Its number, as the rules gave it. */
  readonly connection: number
  readonly uid: string
  readonly device_id: number
  readonly company_id: number
}

/** A device that may come in, and the number of its connection: a later one has a higher number. */
export type KnownDevice = Pick<DeviceConnection, 'device_id' | 'company_id' | 'connection'>

/** One admitted connection of a browser. Compared by identity. */
export type BrowserConnection = {
  readonly connection_id: string
  readonly session_id: number
  readonly user_id: number
  readonly company_id: number
  readonly scope: Scope
}

/** A browser that may come in, and how many its company may have open at once. */
export type KnownBrowser = Omit<BrowserConnection, 'connection_id'> & { readonly most_of_company: number }

/** What the product decides; the broker knows the protocol only. */
export type BrokerRules = {
  /** `undefined` for an unknown uid and for a wrong secret. */
  admitDevice(uid: string, secret: string): Promise<KnownDevice | undefined>
  /** `undefined` for a token that opens no session. */
  admitBrowser(token: string): Promise<KnownBrowser | undefined>
  /**
   * What a device published. The packets of one uid come one at a time and in order, those of an earlier
   * connection, its will and its `gone` before the first of the next. The PUBACK leaves after it resolves. When it
   * rejects, the connection ends without one and the rest of what it sent is dropped: the device keeps it and sends
   * it again.
   */
  received(from: DeviceConnection, topic: Topic, payload: Buffer): Promise<void>
  /**
   * How many ms a packet has to wait before it is taken; 0: not at all. Asked again when they are over. Packets of other
   * topics go by those that wait; when the connection ends, those are dropped without a PUBACK.
   */
  delay?(from: DeviceConnection, topic: Topic): Promise<number> | number
  /** Exactly once for each admitted connection, after its last `received` settled, that of its will included. */
  gone(from: DeviceConnection): Promise<void>
}
