import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { doorRefusalOf, doorRefusals, isUnexpected } from '#server/outward/doors/refusals.ts'
import type { Binds, Bound } from './binds.ts'
import { COMMAND, GENERIC_NACK, RESPONSE, SmppFault, STATUS } from './codec/commands.ts'
import { openFrames } from './codec/frames.ts'
import type { Receiver } from './deliveries.ts'
import { type Pdu, readBind, readPdu, writeBindResponse, writePdu } from './codec/pdus.ts'

type Needs = {
  log: Logger
  binds: Binds
  /** The answers to requests of a bound program: the body of the response, or a refusal. */
  requests: Requests
}

/** The answers by command, for binds that transmit. */
export type Requests = ReadonlyMap<number, Answer>
type Answer = (caller: Bound['caller'], body: Buffer) => Promise<Buffer>

export type Connection = {
  /** Answers the pending requests, asks the program to go, and closes the connection. Resolves once it is closed. */
  unbind(): Promise<void>
}

/** How the server names itself in the response to a bind. */
const SYSTEM_ID = 'sdd'
const BIND_WITHIN_MS = 5_000
const SILENCE_MS = 60_000
const ANSWER_WITHIN_MS = 30_000
/** How long a program may take to agree to its unbinding, and to close the connection. */
const LEAVE_WITHIN_MS = 2_000
/** Requests of a bind without an answer. */
const WINDOW = 100
/** Requests of the server without an answer, and how long it waits for one. */
const OWN_WINDOW = 10
const OWN_ANSWER_MS = 60_000
const NOTHING: Buffer = Buffer.alloc(0)

type State = {
  bound: Bound | undefined
  binding: boolean
  /** It ends: nothing more is taken. */
  leaving: boolean
  /** The rest of the stream cannot be read. */
  broken: boolean
  /** The `sequence_number` of the server's last request. */
  sequence: number
  readonly answering: Set<Promise<void>>
  /** By the `sequence_number` of a `deliver_sm`: takes the status of its response, or nothing if there will be none. */
  readonly delivering: Map<number, (status?: number) => void>
}

/** Speaks SMPP on a connection, from its bind to its end. */
export function serveConnection(
  { log, binds, requests }: Needs,
  socket: Duplex,
  address: string,
): Connection {
  const frames = openFrames()
  const state: State = {
    bound: undefined,
    binding: false,
    leaving: false,
    broken: false,
    sequence: 0,
    answering: new Set(),
    delivering: new Map(),
  }
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()))
  let timer = setTimeout(() => socket.destroy(), BIND_WITHIN_MS)

  function respond({ command, sequence }: Pdu, status: number, body = NOTHING): void {
    if (socket.writable)
      socket.write(writePdu({ command: (command | RESPONSE) >>> 0, status, sequence, body }))
  }

  function ask(command: number, body = NOTHING): void {
    state.sequence = (state.sequence % 0x7fff_ffff) + 1
    if (socket.writable)
      socket.write(writePdu({ command, status: STATUS.ok, sequence: state.sequence, body }))
  }

  /** Any PDU shows that the program is there. */
  function watchSilence(): void {
    if (state.bound === undefined || state.leaving) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      ask(COMMAND.enquire_link)
      timer = setTimeout(() => socket.destroy(), ANSWER_WITHIN_MS)
    }, SILENCE_MS)
  }

  /** Answers with the result of `work`. Until then, the request counts for the window. */
  function answer(pdu: Pdu, work: () => Promise<Buffer>): void {
    const done = Promise.try(work)
      .then(
        (body) => respond(pdu, STATUS.ok, body),
        (error: unknown) => respond(pdu, statusOf(error, log)),
      )
      .finally(() => state.answering.delete(done))
    state.answering.add(done)
  }

  async function bind({ command, body }: Pdu): Promise<Buffer> {
    const asked = readBind(body)
    const bound = await binds.bind(command, asked, address, () => void unbind())
    if (socket.destroyed || state.leaving) {
      bound.leave()
      throw new SmppFault(STATUS.bind_failed)
    }
    state.bound = bound
    watchSilence()
    return writeBindResponse(SYSTEM_ID, asked.interface_version)
  }

  const receiver: Receiver = {
    free: () => (state.leaving || !socket.writable ? 0 : OWN_WINDOW - state.delivering.size),
    deliver(body) {
      ask(COMMAND.deliver_sm, body)
      const { sequence } = state
      return new Promise((resolve) => {
        const late = setTimeout(() => settle(), OWN_ANSWER_MS)
        function settle(status?: number): void {
          clearTimeout(late)
          state.delivering.delete(sequence)
          resolve(status)
        }
        state.delivering.set(sequence, settle)
      })
    },
  }

  function takeBind(pdu: Pdu): void {
    if (state.binding) return respond(pdu, STATUS.already_bound)
    state.binding = true
    answer(pdu, () => bind(pdu))
    // A program that was refused connects again. So guesses are limited by the connections.
    void Promise.all(state.answering).then(() => {
      if (state.bound === undefined) leave()
      else if (!state.leaving) state.bound.ready(receiver)
    })
  }

  function take(pdu: Pdu): void {
    const { command } = pdu
    if (BINDS.has(command)) return takeBind(pdu)
    switch (command) {
      case COMMAND.enquire_link:
        return respond(pdu, STATUS.ok)
      case COMMAND.unbind:
        if (state.bound === undefined) return respond(pdu, STATUS.wrong_state)
        return leave(writePdu({ ...pdu, command: UNBIND_RESPONSE, body: NOTHING }))
      case UNBIND_RESPONSE:
        if (state.leaving) socket.end()
        return
    }
    // A `generic_nack` must not be answered.
    if (command >= RESPONSE) return state.delivering.get(pdu.sequence)?.(pdu.status)
    const answerTo = requests.get(command)
    if (answerTo === undefined)
      return void socket.write(
        writePdu({ ...pdu, command: GENERIC_NACK, status: STATUS.bad_command, body: NOTHING }),
      )
    const { bound, leaving, answering } = state
    if (bound?.transmits !== true) return respond(pdu, STATUS.wrong_state)
    if (leaving) return respond(pdu, STATUS.system_error)
    if (answering.size >= WINDOW) return respond(pdu, STATUS.throttled)
    answer(pdu, () => answerTo(bound.caller, pdu.body))
  }

  /** Answers the pending requests, says the last word, and closes the connection. */
  function leave(last = NOTHING): void {
    if (state.leaving) return
    state.leaving = true
    void Promise.all(state.answering).then(() => {
      socket.end(last)
      destroySoon()
    })
  }

  async function unbind(): Promise<void> {
    if (state.bound === undefined) leave()
    if (!state.leaving) {
      state.leaving = true
      await Promise.all(state.answering)
      ask(COMMAND.unbind)
      destroySoon()
    }
    await closed
  }

  function destroySoon(): void {
    clearTimeout(timer)
    if (!socket.destroyed) timer = setTimeout(() => socket.destroy(), LEAVE_WITHIN_MS)
  }

  socket.on('data', (chunk: Buffer) => {
    watchSilence()
    if (state.broken) return
    try {
      for (const frame of frames.push(chunk)) take(readPdu(frame))
    } catch (error) {
      if (!(error instanceof SmppFault)) throw error
      const { status } = error
      state.broken = true
      leave(writePdu({ command: GENERIC_NACK, status, sequence: 0, body: NOTHING }))
    }
    // A program that does not read its answers is not read either.
    if (socket.writableNeedDrain && !socket.writableEnded) {
      socket.pause()
      socket.once('drain', () => socket.resume())
    }
  })
  socket.on('error', (error) => log.debug({ err: error }, 'A connection of the door for SMPP failed'))
  socket.once('end', () => leave())
  socket.once('close', () => {
    clearTimeout(timer)
    state.leaving = true
    state.bound?.leave()
    for (const settle of state.delivering.values()) settle()
  })
  return { unbind }
}

const UNBIND_RESPONSE = (COMMAND.unbind | RESPONSE) >>> 0
const BINDS: ReadonlySet<number> = new Set([
  COMMAND.bind_receiver,
  COMMAND.bind_transmitter,
  COMMAND.bind_transceiver,
])

function statusOf(error: unknown, log: Logger): number {
  if (error instanceof SmppFault) return error.status
  if (isUnexpected(error)) log.error({ err: error }, 'The door for SMPP failed')
  return doorRefusals[doorRefusalOf(error)].smpp
}
