import { once } from 'node:events'
import { connect } from 'node:net'
import type { TestContext } from 'node:test'
import { openFrames } from '#server/outward/doors/smpp/codec/frames.ts'
import { type Pdu as WirePdu, readPdu } from '#server/outward/doors/smpp/codec/pdus.ts'
import smpp, { type Pdu, type Session } from 'smpp'
import { openDoorCompany } from './door-company.ts'

/** The requests of the client that answer with a PDU. */
type Command =
  | 'bind_transceiver'
  | 'bind_transmitter'
  | 'bind_receiver'
  | 'submit_sm'
  | 'query_sm'
  | 'cancel_sm'
  | 'replace_sm'
  | 'data_sm'
  | 'enquire_link'
  | 'unbind'

export type Client = {
  session: Session
  ask(command: Command, fields?: Record<string, unknown>): Promise<Pdu>
  /** Sends one SMS. */
  submit(fields: Record<string, unknown>): Promise<Pdu>
  /** Resolves once the server has closed the connection. */
  closed: Promise<unknown>
}

/** A company with a key, a server with a door for SMPP, and clients that we did not write. */
export async function openSmppCompany(t: TestContext, settings: Record<string, string> = {}) {
  const company = await openDoorCompany(t, { SMPP_PORT: '0', ...settings })
  const port = company.server.smpp_port!

  async function open(options: { tls?: boolean; servername?: string } = {}): Promise<Client> {
    const session = await new Promise<Session>((resolve) => {
      const opened = smpp.connect({ host: '127.0.0.1', port, ...options }, () => resolve(opened))
      opened.on('error', () => {})
    })
    t.after(() => session.destroy())
    session.on('unbind', (pdu: Pdu) => session.send(pdu.response()))
    session.on('enquire_link', (pdu: Pdu) => session.send(pdu.response()))
    const ask: Client['ask'] = (command, fields = {}) =>
      new Promise((resolve) => void session[command](fields, resolve))
    return {
      session,
      ask,
      submit: (fields) =>
        ask('submit_sm', {
          destination_addr: '+34600111222',
          data_coding: 0,
          short_message: 'hello',
          ...fields,
        }),
      closed: once(session, 'close'),
    }
  }

  async function bind(
    command: Command = 'bind_transceiver',
    { system_id = 'shop', password = company.key.key, ...options } = {},
  ): Promise<Client> {
    const client = await open(options)
    const { command_status } = await client.ask(command, { system_id, password, interface_version: 0x34 })
    if (command_status !== 0) throw new Error(`${command} was answered with ${command_status}`)
    return client
  }

  /** Says each of these after an answer to the one before. Resolves to all answers until the server hangs up. */
  async function talk(...said: readonly Buffer[]): Promise<WirePdu[]> {
    const socket = connect(port, '127.0.0.1')
    t.after(() => socket.destroy())
    const frames = openFrames()
    const heard: WirePdu[] = []
    const left = [...said]
    const say = () => left.length > 0 && socket.write(left.shift()!)
    say()
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      for (const frame of frames.push(chunk)) heard.push(readPdu(frame))
      say()
    }
    return heard
  }

  return { ...company, port, open, bind, talk }
}
