import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'

export type Mail = { from: string; to: string[]; text: string; user: unknown }

/** A mail server. `take` says when an e-mail is accepted, by default at once. */
export async function startMailServer(
  options: SMTPServerOptions = {},
  take: (mail: Mail) => Promise<void> | void = () => {},
) {
  const received: Mail[] = []
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth({ username, password }, _, done) {
      if (password === 'pass word') return done(null, { user: username })
      return done(new Error(`not ${password}`))
    },
    async onData(stream, session, done) {
      await receive(stream, session)
      done()
    },
    ...options,
  })

  async function receive(stream: Readable, session: Pick<SMTPServerSession, 'envelope' | 'user'>) {
    const text = (await stream.toArray()).join('')
    const { mailFrom, rcptTo } = session.envelope
    const mail = {
      from: mailFrom === false ? '' : mailFrom.address,
      to: rcptTo.map(({ address }) => address),
      text,
      user: session.user,
    }
    received.push(mail)
    await take(mail)
  }

  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return {
    received: received as readonly Mail[],
    address: `127.0.0.1:${port}`,
    stop: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}
