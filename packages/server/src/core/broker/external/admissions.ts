import type { Logger } from 'pino'
import { Refusal } from '#server/core/refusal.ts'
import type { BrokerAddress } from '#server/core/broker-address.ts'
import { CONTROL_ANSWERS, openDynamicSecurity } from './dynamic-security.ts'
import { startLink } from './link.ts'
import { openSession } from './session.ts'

/** How the broker knows which devices may connect, and what ends a connection there. */
export type Admissions = {
  /** Resolves once the broker lets us in; rejects with the reason where it does not for a while. */
  ready(): Promise<void>
  /** Throws where a device could not be admitted now, as the broker cannot be reached. */
  require(): void
  /** The device may connect with this secret and no other. */
  admit(uid: string, secret: string): Promise<void>
  /** The device may connect no more, and its connection is ended: soon, where the broker cannot be reached now. */
  expel(uid: string): void
  stop(): Promise<void>
}

type Needs = { address: BrokerAddress; client_id: string; log: Logger }

const READY_MS = 10_000
const AGAIN_MS = 5_000

/**
 * Mosquitto has its own list, which we keep. What was missed while it could not be reached is made up for at the next
 * connection: `unlinked` are devices that may connect no more. Who is on the list and unknown here stays: a server that was
 * given the wrong database shall not send a whole fleet away.
 */
export function keepList(
  needs: Needs & { username: string; unlinked: () => Promise<readonly string[]> },
): Admissions {
  const { log, username, unlinked } = needs
  const security = openDynamicSecurity({ username, tell: (topic, payload) => link.tell(topic, payload) })
  const link = startLink({
    ...needs,
    client_id: `${needs.client_id}-control`,
    keep_secs: 0,
    subscriptions: [CONTROL_ANSWERS],
    take: async (_topic, payload) => security.answered(payload),
    async opened() {
      await security.prepare()
      const gone = new Set(await security.admitted()).intersection(new Set(await unlinked()))
      for (const uid of gone) await security.expel(uid)
    },
    lost: security.lost,
  })
  return {
    ready: () => link.ready(READY_MS),
    require() {
      if (link.connected()) return
      throw new Refusal('not_ready', 'The broker of the devices cannot be reached. Try again soon.')
    },
    admit: security.admit,
    expel(uid) {
      security
        .expel(uid)
        .catch((error: Error) =>
          log.warn({ uid, why: error.message }, 'A device is taken off the broker later'),
        )
    },
    stop: () => link.stop(0),
  }
}

/**
 * The broker asks us who may connect. A connection is ended as any client may end another: by connecting under its name
 * (MQTT 5, 3.1.4).
 */
export function beAsked({ address, log }: Needs): Admissions {
  const timers = new Set<NodeJS.Timeout>()

  function cut(uid: string): void {
    const session = openSession({
      address,
      client_id: uid,
      keep_secs: 0,
      subscriptions: [],
      take: () => Promise.resolve(),
      ended: () => {},
    })
    session.opened.then(
      () => session.leave(0),
      (error: Error) => {
        log.warn({ uid, why: error.message }, 'The connection of a device is ended later')
        const timer = setTimeout(() => {
          timers.delete(timer)
          cut(uid)
        }, AGAIN_MS)
        timers.add(timer)
      },
    )
  }

  return {
    ready: () => Promise.resolve(),
    require: () => {},
    admit: () => Promise.resolve(),
    expel: cut,
    async stop() {
      for (const timer of timers) clearTimeout(timer)
    },
  }
}
