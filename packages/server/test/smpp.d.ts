/** The parts of the client `smpp` that the tests use. It comes without types. */
declare module 'smpp' {
  import type { EventEmitter } from 'node:events'
  import type { Socket } from 'node:net'

  export type Pdu = {
    command: string
    command_status: number
    sequence_number: number
    message_id?: string
    message_state?: number
    final_date?: Date | string
    short_message?: { message: string | Buffer }
    message_payload?: { message: string | Buffer }
    receipted_message_id?: string
    esm_class?: number
    data_coding?: number
    source_addr?: string
    destination_addr?: string
    sc_interface_version?: number
    response(options?: Record<string, unknown>): Pdu
  }
  type Ask = (fields: Record<string, unknown>, answered: (pdu: Pdu) => void) => boolean
  export interface Session extends EventEmitter {
    socket: Socket
    send(pdu: Pdu): boolean
    bind_transceiver: Ask
    bind_transmitter: Ask
    bind_receiver: Ask
    submit_sm: Ask
    query_sm: Ask
    cancel_sm: Ask
    replace_sm: Ask
    data_sm: Ask
    enquire_link: Ask
    unbind: Ask
    destroy(): void
  }
  const smpp: {
    connect(
      options: { host: string; port: number; tls?: boolean; servername?: string },
      ready: () => void,
    ): Session
  }
  export default smpp
}
