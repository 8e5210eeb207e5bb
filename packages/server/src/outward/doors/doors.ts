import type { Config } from '#server/core/config.ts'
import type { NeedsOf } from '#server/core/context.ts'
import { once } from '#server/core/once.ts'
import type { OtherHttp, OtherRoutes } from '#server/core/http/http.ts'
import type { Logger } from 'pino'
import type { openEntry } from './entry.ts'
import type { openMailDoor } from './mail/door.ts'
import type { openDoorSubmission } from './submitting.ts'
import type { serveTwilioDoor } from './twilio/door.ts'
import type { openReplies } from './twilio/replies.ts'

type Needs = NeedsOf<typeof openEntry | typeof openDoorSubmission> &
  Omit<Parameters<typeof serveTwilioDoor>[0], 'others' | 'entry' | 'submission'> & {
    config: Pick<Config, 'HOST' | 'KANNEL_PORT' | 'SMPP_PORT' | 'SMTP_PORT' | 'TWILIO' | 'DOORS_RATE'>
    log: Logger
    tls: Parameters<typeof openMailDoor>[0]['tls']
    http: { others: OtherRoutes; openOther(): OtherHttp }
  }

export type Doors = {
  /** The ports of the doors that are open. */
  kannel_port: number | undefined
  smpp_port: number | undefined
  smtp_port: number | undefined
  /** Acts on the answer to a callback about a received SMS. */
  answered: ReturnType<typeof openReplies>
  stop(): Promise<void>
}

/**
 * Opens the doors that are switched on: interfaces of other gateways, which translate to the tasks API. The code of
 * a closed door is not loaded. Rejects with a `ConfigError` about a port that cannot be used.
 */
export async function openDoors(needs: Needs): Promise<Doors> {
  const { config, log, http } = needs
  const shared = once(() => openShared(needs))
  const replies = once(async () => {
    const { openReplies } = await import('./twilio/replies.ts')
    return openReplies(await shared())
  })
  const open: { stop(): Promise<void> }[] = []
  const doors: Doors = {
    kannel_port: undefined,
    smpp_port: undefined,
    smtp_port: undefined,
    answered: async (...said) => (await replies())(...said),
    async stop() {
      await Promise.all(open.map((door) => door.stop()))
    },
  }
  /** Returns its port. */
  const opened = (name: string, door: { port: number; stop(): Promise<void> }): number => {
    open.push(door)
    log.info(`The door for ${name} is at port ${door.port}`)
    return door.port
  }
  if (config.TWILIO === 'on') {
    const { serveTwilioDoor } = await import('./twilio/door.ts')
    serveTwilioDoor({ ...(await shared()), others: http.others })
  }
  if (config.KANNEL_PORT !== 'off') {
    const { openKannelDoor } = await import('./kannel/door.ts')
    const door = await openKannelDoor({ ...(await shared()), http: http.openOther() }, config.KANNEL_PORT)
    doors.kannel_port = opened("Kannel's HTTP interface", door)
  }
  if (config.SMTP_PORT !== 'off') {
    const { openMailDoor } = await import('./mail/door.ts')
    doors.smtp_port = opened('e-mail', await openMailDoor(await shared(), config.SMTP_PORT))
  }
  if (config.SMPP_PORT !== 'off') {
    const { openSmppDoor } = await import('./smpp/door.ts')
    doors.smpp_port = opened('SMPP', await openSmppDoor(await shared(), config.SMPP_PORT))
  }
  return doors
}

/** What all doors use together. */
async function openShared(needs: Needs) {
  const [{ openEntry }, { openDoorSubmission }] = await Promise.all([
    import('./entry.ts'),
    import('./submitting.ts'),
  ])
  const entry = openEntry(needs)
  return { ...needs, entry, submission: openDoorSubmission(needs, entry) }
}
