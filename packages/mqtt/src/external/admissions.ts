import type { Called } from '#mqtt/endpoint/rules.ts'
import type { Log } from '#mqtt/log.ts'
import type { BrokerAddress } from './address.ts'
import { CONTROL_ANSWERS, type ListRules, openDynamicSecurity } from './dynamic-security.ts'
import { startLink } from './link.ts'
import { openSession } from './session.ts'

/** How the broker knows which clients may connect, and what ends a connection there. */
export type Admissions = {
  /** Resolves once the broker lets us in; rejects with the reason if it does not for a while. */
  ready(): Promise<void>
  /** Throws if no client could be admitted now, as the broker cannot be reached. */
  require(): void
  /** The client may connect with this secret and no other. */
  admit(name: string, secret: string): Promise<void>
  /** The client may connect no more, and its connection is ended: soon, if the broker cannot be reached now. */
  expel(name: string): void
  stop(): Promise<void>
}

type Needs = { address: BrokerAddress; client_id: string; log: Log }

const READY_MS = 10_000
const AGAIN_MS = 5_000

/**
 * Mosquitto has its own list, which we keep. What was missed while it could not be reached is made up for at the next
 * connection: `expelled` are names that may connect no more. A name on the list that is unknown here stays: a server that
 * was given the wrong database must not send everybody away.
 */
export function admitByList(
  needs: Needs & {
    rules: ListRules
    expelled: () => Promise<readonly string[]>
    /** What `require` throws. */
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
          log.warn({ [field]: name, why: error.message }, `A ${kind} is taken off the broker later`),
        )
    },
    stop: () => link.stop(0),
  }
}

/**
 * The broker asks us who may connect. A connection is ended as any client may end another: by connecting under its name
 * (MQTT 5, 3.1.4).
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
        log.warn(what, `The connection of a ${called.kind} is ended later`)
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
