import { createHash } from 'node:crypto'
import { callbackify } from 'node:util'
import type { SMTPServerAuthentication, SMTPServerDataStream, SMTPServerSession } from 'smtp-server'
import { SMTPServer } from 'smtp-server'
import type { Logger } from 'pino'
import type { AddressInfo, Socket } from 'node:net'
import type { Numbers } from '#server/accounts/settings/numbers.ts'
import { addressOf } from '#server/core/address.ts'
import type { Tls } from '#server/core/certificate.ts'
import { type Clock, DAY_MS, MINUTE_MS } from '#server/core/clock.ts'
import type { Config } from '#server/core/config.ts'
import type { KeyCaller } from '#server/core/context.ts'
import { listenAt } from '#server/core/listen-fault.ts'
import { errorCodeOf } from '#server/core/refusal.ts'
import type { Database } from '#server/database/open.ts'
import type { Entry } from '#server/outward/doors/entry.ts'
import { DoorFault, doorRefusalOf, doorRefusals, isUnexpected } from '#server/outward/doors/refusals.ts'
import { openPlaces } from '#server/outward/doors/places.ts'
import type { DoorSms, DoorSubmission, Recipient } from '#server/outward/doors/submitting.ts'
import { taskRowByGuid } from '#server/tasks/task.ts'
import { readMail, Undecodable } from './message.ts'

type Needs = {
  db: Database
  clock: Clock
  log: Logger
  numbers: Numbers
  tls: Pick<Tls, 'options' | 'onRenewed'> | undefined
  entry: Entry
  submission: DoorSubmission
  config: Pick<Config, 'HOST'>
}

/** A program that has authenticated itself. */
type Client = { caller: KeyCaller }

const MAIL_BYTES = 256 * 1024
/** A larger mail is refused at its end. One of this size ends its connection. */
const MOST_READ_BYTES = 4 * MAIL_BYTES
const MOST_RECIPIENTS = 100
const MOST_WRONG = 3
const IDLE_MS = MINUTE_MS
const STOP_MS = 2_000
/** The same mail again within this time is no second SMS. */
const AGAIN_MS = DAY_MS

/** Serves SMTP: an e-mail to `<number>@anything` is an SMS. */
export async function openMailDoor(needs: Needs, port: number) {
  const { tls, log, config, entry, numbers } = needs
  const wrong = new Map<string, number>()
  const watched = new Map<string, () => void>()
  const places = openPlaces(needs)
  const server = new SMTPServer({
    ...tls?.options(),
    disabledCommands: tls ? [] : ['STARTTLS'],
    allowInsecureAuth: tls === undefined,
    authMethods: ['PLAIN', 'LOGIN'],
    authRequiredMessage: '5.7.0 Log in with an API key as the password',
    hideENHANCEDSTATUSCODES: false,
    size: MAIL_BYTES,
    rejectOversized: true,
    socketTimeout: IDLE_MS,
    closeTimeout: STOP_MS,
    disableReverseLookup: true,
    logger: false,
    onConnect(session, done) {
      const connection = connectionOf(session)
      const send = connection?.send.bind(connection)
      // A text that begins with an enhanced status code keeps it, and may have several lines.
      if (connection && send)
        connection.send = (code, text, context) =>
          OWN_CODE.test(String(text))
            ? send(code, String(text).split('\n'), false)
            : send(code, text, context)
      done()
    },
    onAuth: callbackify(logIn),
    onRcptTo({ address }, session, done) {
      const { caller } = session.user as Client
      const number = localPart(address)
      if (session.envelope.rcptTo.length >= MOST_RECIPIENTS)
        return done(reply(452, '4.5.3 An e-mail may have 100 recipients at most'))
      done(
        numbers.kept(caller.company_id, number) === undefined ? replyTo(new DoorFault('bad_number')) : null,
      )
    },
    onData: callbackify(receive),
    onClose({ id }) {
      wrong.delete(id)
      watched.get(id)?.()
      watched.delete(id)
    },
  })

  async function logIn({ password }: SMTPServerAuthentication, session: SMTPServerSession) {
    const key = password ?? ''
    try {
      const caller = await entry.admit(
        key,
        addressOf({ remoteAddress: session.remoteAddress }),
        'tasks:write',
      )
      const end = () => connectionOf(session)?.send(421, '4.7.0 The API key has ended')
      // After `onClose`, nothing would end the watch.
      if (connectionOf(session)) {
        watched.set(session.id, entry.watch(key, end))
        places.admit(session)
      }
      return { user: { caller } satisfies Client }
    } catch (error) {
      const count = (wrong.get(session.id) ?? 0) + 1
      if (connectionOf(session)) wrong.set(session.id, count)
      // After the answer to this one.
      if (count >= MOST_WRONG)
        setImmediate(() => connectionOf(session)?.send(421, '4.7.0 Too many wrong keys'))
      throw replyTo(error)
    }
  }

  async function receive(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    try {
      const bytes = await readWithin(stream, () => endOversized(session))
      return linesOf(await deliver(needs, bytes, session))
    } catch (error) {
      if (isUnexpected(error) && !(error instanceof Undecodable))
        log.error({ err: error }, 'The door for e-mail failed')
      throw replyTo(error)
    }
  }

  function endOversized(session: SMTPServerSession): void {
    const connection = connectionOf(session)
    connection?.send(552, `5.3.4 An e-mail may have ${MAIL_BYTES} bytes at most`)
    connection?.close()
  }

  const connectionOf = ({ id }: SMTPServerSession) =>
    Array.from(server.connections).find((one) => one.id === id)
  /** Gives a connection its place once the library knows it. */
  function enter(socket: Socket): void {
    const { remotePort } = socket
    const address = addressOf(socket)
    const connection = Array.from(server.connections).find(
      (one) => one.remotePort === remotePort && addressOf(one) === address,
    )
    if (connection === undefined) return
    const end = () => connection.send(421, '4.7.0 Too many connections, try again later')
    if (!places.enter(socket, end)) end()
  }

  server.server.on('connection', (socket: Socket) => void setImmediate(enter, socket))
  tls?.onRenewed(() => server.updateSecureContext(tls.options()))
  await listenAt(server, { variable: 'SMTP_PORT', host: config.HOST, port })
  server.on('error', (error: Error) =>
    log.debug({ err: error }, 'A connection of the door for e-mail failed'),
  )
  return {
    port: (server.server.address() as AddressInfo).port,
    stop: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}

/** The bytes of a mail. Those beyond the limit are read but not kept. Calls `end` if there are many of them. */
async function readWithin(stream: AsyncIterable<Buffer>, end: () => void): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(MAIL_BYTES)
  let length = 0
  for await (const chunk of stream) {
    chunk.copy(bytes, Math.min(length, MAIL_BYTES))
    length += chunk.length
    if (length > MOST_READ_BYTES) {
      end()
      break
    }
  }
  if (length > MAIL_BYTES) throw new DoorFault('too_long')
  return bytes.subarray(0, length)
}

/** Stores one task for each recipient, or none. Resolves to their guids. */
async function deliver(
  { db, clock, numbers, submission }: Needs,
  bytes: Buffer,
  { envelope, user }: SMTPServerSession,
): Promise<string[]> {
  const { caller } = user as Client
  const { company_id, api_key_id } = caller
  const { message_id, text: written, subject, html_alone } = readMail(bytes)
  if (html_alone) throw new DoorFault('bad_text')
  const text = written || subject
  const from_number = await submission.simOf(
    company_id,
    localPart(envelope.mailFrom ? envelope.mailFrom.address : ''),
  )

  async function handIn(): Promise<string[]> {
    const recipients: MailRecipient[] = []
    for (const { address } of envelope.rcptTo) {
      const to = numbers.kept(company_id, localPart(address)) ?? ''
      const name = [api_key_id, message_id, to, text].join('\n')
      recipients.push({ to, ...(message_id !== '' && (await guidFor({ db, clock }, company_id, name))) })
    }
    return submitFresh({ db, submission }, caller, recipients, { text, ...(from_number && { from_number }) })
  }

  return handIn().catch((error: unknown) => {
    // The same mail with another sender was stored in between.
    if (errorCodeOf(error) === 'guid_taken') return handIn()
    throw error
  })
}

/** A recipient, and whether the same mail has made a task for it already. */
type MailRecipient = Recipient & { known?: boolean }

/**
 * Stores the tasks that do not exist yet. The others are not compared: the sender of a mail may change when it is sent
 * again, and a refusal would make the mailer try for days.
 */
async function submitFresh(
  { db, submission }: Pick<Needs, 'db' | 'submission'>,
  caller: KeyCaller,
  recipients: readonly MailRecipient[],
  sms: DoorSms,
): Promise<string[]> {
  const fresh = recipients.filter(({ known }) => !known).map(({ known: _, ...recipient }) => recipient)
  const stored = fresh.length > 0 ? await submission.whole(caller, fresh, sms) : []
  // What the same mail has stored may be committed but not on disk yet: an empty write waits for that.
  if (fresh.length === 0) await db.write(async () => {})
  const guids = stored.values()
  return recipients.map(({ known, guid }) => (known ? guid! : guids.next().value!))
}

/** The guid of an SMS, the same for a mail that is sent again. An SMS that is older than a day does not count. */
async function guidFor(
  { db, clock }: Pick<Needs, 'db' | 'clock'>,
  company_id: number,
  name: string,
): Promise<{ guid: string; known: boolean }> {
  for (let round = 0; ; round++) {
    const guid = `mail:${createHash('sha256').update(`${round}\n${name}`).digest('hex').slice(0, 40)}`
    const earlier = await taskRowByGuid(db.read, company_id, guid)
    if (earlier === undefined) return { guid, known: false }
    if (clock.now() - Date.parse(earlier.queue_timestamp) < AGAIN_MS) return { guid, known: true }
  }
}

function localPart(address: string): string {
  return address.slice(0, Math.max(0, address.lastIndexOf('@')))
}

/** The lines of an answer that names these tasks. A line has 512 octets at most (RFC 5321, 4.5.3.1.5). */
function linesOf(guids: readonly string[]): string {
  const lines = Array.from({ length: Math.ceil(guids.length / GUIDS_IN_LINE) }, (_, n) =>
    guids.slice(n * GUIDS_IN_LINE, (n + 1) * GUIDS_IN_LINE),
  )
  return lines.map((line) => `2.0.0 ${line.join(' ')}`).join('\n')
}

/** A guid has 45 characters at most. */
const GUIDS_IN_LINE = 10

const OWN_CODE = /^[245]\.\d\.\d /

function replyTo(error: unknown): Error {
  const refused = error instanceof Undecodable ? 'bad_text' : doorRefusalOf(error)
  const [code, text] = doorRefusals[refused].mail
  return reply(code, text)
}

function reply(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode })
}
