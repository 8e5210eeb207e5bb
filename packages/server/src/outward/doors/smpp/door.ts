import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { Logger } from 'pino'
import { addressOf } from '#server/core/address.ts'
import type { Tls } from '#server/core/certificate.ts'
import type { Clock } from '#server/core/clock.ts'
import type { Config } from '#server/core/config.ts'
import type { NeedsOf } from '#server/core/context.ts'
import { listenAt } from '#server/core/listen-fault.ts'
import type { Database } from '#server/database/open.ts'
import type { Entry } from '#server/outward/doors/entry.ts'
import { openPlaces } from '#server/outward/doors/places.ts'
import type { DoorSubmission } from '#server/outward/doors/submitting.ts'
import { type Binds, openBinds } from './binds.ts'
import { COMMAND } from './codec/commands.ts'
import { text } from './codec/octets.ts'
import { readCancel, readQuery, readSubmit } from './codec/pdus.ts'
import { type Connection, type Requests, serveConnection } from './connection.ts'
import { startDeliveries } from './deliveries.ts'
import { cancel, query } from './query.ts'
import { submit } from './submit.ts'

type Needs = NeedsOf<typeof cancel | typeof submit> & {
  db: Database
  clock: Clock
  log: Logger
  tls: Pick<Tls, 'options' | 'onRenewed'> | undefined
  entry: Entry
  submission: DoorSubmission
  config: Pick<Config, 'HOST'>
}

const HANDSHAKE_WITHIN_MS = 5_000

/** Serves SMPP 3.4: a `submit_sm` is an SMS, or a part of one. */
export async function openSmppDoor(needs: Needs, port: number) {
  const { tls, log, config, entry } = needs
  const connections = new Set<Connection>()
  const deliveries = startDeliveries(needs)
  const allBinds = openBinds(entry, deliveries)
  const places = openPlaces(needs)
  const requests = requestsOf(needs)

  function serve(socket: Socket): void {
    socket.setNoDelay()
    const binds: Binds = {
      async bind(...asked) {
        const bound = await allBinds.bind(...asked)
        places.admit(socket)
        return bound
      },
    }
    const connection = serveConnection({ log, binds, requests }, socket, addressOf(socket))
    connections.add(connection)
    socket.once('close', () => connections.delete(connection))
  }

  const server = listenerFor(tls, serve)
  server.on('connection', (socket: Socket) => {
    const end = () => void socket.destroy()
    if (!places.enter(socket, end)) end()
  })
  await listenAt(server, { variable: 'SMPP_PORT', host: config.HOST, port }).catch(async (error: unknown) => {
    await deliveries.stop()
    throw error
  })
  server.on('error', (error) => log.debug({ err: error }, 'The listener of the door for SMPP failed'))
  return {
    port: (server.address() as AddressInfo).port,
    async stop(): Promise<void> {
      const gone = new Promise<void>((resolve) => server.close(() => resolve()))
      await Promise.all([...connections].map((connection) => connection.unbind()))
      await gone
      await deliveries.stop()
    },
  }
}

function listenerFor(tls: Needs['tls'], serve: (socket: Socket) => void): Server {
  if (tls === undefined) return createServer({ allowHalfOpen: true }, serve)
  const server = createTlsServer(
    { ...tls.options(), allowHalfOpen: true, handshakeTimeout: HANDSHAKE_WITHIN_MS },
    serve,
  )
  // Node leaves open what does not finish its handshake.
  server.on('tlsClientError', (_error, socket) => void socket.destroy())
  tls.onRenewed(() => server.setSecureContext(tls.options()))
  return server
}

function requestsOf(needs: Needs): Requests {
  return new Map([
    [COMMAND.submit_sm, async (caller, body) => text(await submit(needs, caller, readSubmit(body)))],
    [COMMAND.query_sm, (caller, body) => query(needs, caller, readQuery(body))],
    [
      COMMAND.cancel_sm,
      async (caller, body) => {
        await cancel(needs, caller, readCancel(body))
        return Buffer.alloc(0)
      },
    ],
  ])
}
