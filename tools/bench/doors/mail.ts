import { connect } from 'node:net'
import { createInterface } from 'node:readline'

export type MailConnection = {
  /** Resolves when the e-mail is answered with 250. */
  send(to_number: string, message: string): Promise<void>
  close(): void
}

/** A logged-in connection that sends e-mails one after the other. */
export async function openMailConnection(port: number, key: string): Promise<MailConnection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  socket.on('error', () => {})
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()

  async function expect(code: string): Promise<void> {
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error('The door for e-mail closed the connection')
      if (!value.startsWith(code)) throw new Error(`The door for e-mail answered ${value}`)
      // A line that does not end the answer has a dash after its code.
      if (value[3] !== '-') return
    }
  }
  async function say(line: string, code: string): Promise<void> {
    socket.write(`${line}\r\n`)
    await expect(code)
  }

  await expect('220')
  await say('EHLO bench', '250')
  await say(`AUTH PLAIN ${Buffer.from(`\0bench\0${key}`).toString('base64')}`, '235')
  return {
    async send(to_number, message) {
      await say('MAIL FROM:<bench@example.com>', '250')
      await say(`RCPT TO:<${to_number}@sms>`, '250')
      await say('DATA', '354')
      await say(`Content-Type: text/plain\r\n\r\n${message}\r\n.`, '250')
    },
    close: () => void socket.destroy(),
  }
}
