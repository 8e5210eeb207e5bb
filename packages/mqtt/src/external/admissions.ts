import type { Called } from '#mqtt/endpoint/rules.ts'
import type { Log } from '#mqtt/log.ts'
import type { BrokerAddress } from './address.ts'
import { CONTROL_ANSWERS, type ListRules, openDynamicSecurity } from './dynamic-security.ts'
import { startLink } from './link.ts'
import { openSession } from './session.ts'

/** How the broker knows which clients may connect, and how a connection is ended there. */
export type Admissions = {
  /** Resolves once the broker has accepted the server. Rejects with the reason if that takes too long. */
  ready(): Promise<void>
  /** Throws if the broker cannot be reached, since no client could be admitted now. */
  require(): void
  /** Lets the client connect with this secret only. */
  admit(name: string, secret: string): Promise<void>
  /** Forbids the client to connect and ends its connection. If the broker cannot be reached, that happens later. */
  expel(name: string): void
  stop(): Promise<void>
}

type Needs = { address: BrokerAddress; client_id: string; log: Log }

const READY_MS = 10_000
const AGAIN_MS = 5_000

/**
 * For Mosquitto, which keeps its own list of clients that this server maintains. Changes missed while the broker was
 * away are made at the next connection. `expelled` returns the names that may no longer connect. Names on the list that
 * are unknown here stay: a server started with the wrong database must not lock out all clients.
 */
export function admitByList(
  needs: Needs & {
    rules: ListRules
    expelled: () => Promise<readonly string[]>
    /** The error that `require` throws. */
    notConnected: () => Error
  },
): Admissions {
  const { log, rules, expelled, notConnected } = needs
  const { kind, field } = rules.called
  const security = openDynamicSecurity(rules, (topic, payload) => link.tell(topic, payload))
  const link = startLink({
    ...needs,
    client_id: `${needs.client_id}-control`,
    keep_secs: 0,
    subscriptions: [CONTROL_ANSWERS],
    take: async (_topic, payload) => security.answered(payload),
    async opened() {
      await security.prepare()
      const gone = new Set(await security.admitted()).intersection(new Set(await expelled()))
      for (const name of gone) await security.expel(name)
    },
    lost: security.lost,
  })
  return {
    ready: () => link.ready(READY_MS),
    require() {
      if (!link.connected()) throw notConnected()
    },
    admit: security.admit,
    expel(name) {
      security
        .expel(name)
        .catch((error: Error) =>
          log.warn({ [field]: name, why: error.message }, `A ${kind} will be removed from the broker later`),
        )
    },
    stop: () => link.stop(0),
  }
}

/**
 * For a broker that asks this server who may connect. A connection is ended by connecting with the same client id,
 * which MQTT allows (MQTT 5, 3.1.4).
 */
export function admitOnRequest({ address, log, called }: Needs & { called: Called }): Admissions {
  const timers = new Set<NodeJS.Timeout>()

  function cut(name: string): void {
    const session = openSession({
      address,
      client_id: name,
      keep_secs: 0,
      subscriptions: [],
      take: () => Promise.resolve(),
      ended: () => {},
    })
    session.opened.then(
      () => session.leave(0),
      (error: Error) => {
        const what = { [called.field]: name, why: error.message }
        log.warn(what, `The connection of a ${called.kind} will be ended later`)
        const timer = setTimeout(() => {
          timers.delete(timer)
          cut(name)
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
