import { freePort } from '../../../scripts/free-port.ts'
import { type Measure, openResult } from '../bench.ts'
import { openMailConnection } from '../doors/mail.ts'
import { openSmppBind } from '../doors/smpp.ts'
import { openHttpLoad } from '../http.ts'
import { gainAccess, startBenchServer } from '../server.ts'
import { nextTask, repeat } from '../work.ts'

/** Requests per message of a round. */
const REQUESTS = 2
/** A key may have ten binds at a server. */
const BINDS = 8
/** Connections for e-mail, which need several answers for each. */
const MAIL_CONNECTIONS = 32

/** SMS that a door has answered as accepted, and so are on disk, compared with one task a request through the API. */
export const doors: Measure = {
  ids: ['doors'],
  async run(bench) {
    const home = await bench.home('doors')
    const [kannel, smpp, smtp] = [await freePort(), await freePort(), await freePort()]
    const settings = { KANNEL_PORT: kannel, SMPP_PORT: smpp, SMTP_PORT: smtp, TWILIO: 'on' }
    const server = await startBenchServer({ ...home, settings: { ...home.settings, ...settings } })
    const { key } = await gainAccess(server)
    const { connections } = bench
    const json = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const form = {
      authorization: `Basic ${Buffer.from(`AC1:${key}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    }
    const loads = {
      api: openHttpLoad({ port: server.port, connections, headers: json }),
      kannel: openHttpLoad({ port: Number(kannel), connections }),
      twilio: openHttpLoad({ port: server.port, connections, headers: form }),
    }
    const binds = await Promise.all(Array.from({ length: BINDS }, () => openSmppBind(Number(smpp), key)))
    const mails = await Promise.all(
      Array.from({ length: MAIL_CONNECTIONS }, () => openMailConnection(Number(smtp), key)),
    )

    const http = async (load: keyof typeof loads, line: string, body?: string): Promise<void> => {
      const { status, body: answer } = await loads[load].request(line, body)
      if (status >= 300) throw new Error(`${load} answered ${status}: ${answer.slice(0, 300)}`)
    }
    let turn = 0
    const ways: Record<string, { at_once: number; hand(to_number: string, text: string): Promise<void> }> = {
      API: {
        at_once: connections,
        hand: (to_number, text) =>
          http('api', 'POST /api/external-tasks', JSON.stringify({ to_number, text })),
      },
      Kannel: {
        at_once: connections,
        hand: (to, text) =>
          http(
            'kannel',
            `GET /cgi-bin/sendsms?${String(new URLSearchParams({ username: 'bench', password: key, to, text }))}`,
          ),
      },
      SMPP: { at_once: connections, hand: (to, text) => binds[turn++ % BINDS]!.submit(to, text) },
      Twilio: {
        at_once: connections,
        hand: (To, Body) =>
          http(
            'twilio',
            'POST /2010-04-01/Accounts/AC1/Messages.json',
            String(new URLSearchParams({ To, Body, MessagingServiceSid: 'MG' })),
          ),
      },
      'e-mail': {
        at_once: MAIL_CONNECTIONS,
        async hand(to, text) {
          const mail = mails.pop()!
          await mail.send(to, text)
          mails.push(mail)
        },
      },
    }
    const messages = REQUESTS * bench.messages
    async function perSecond(name: string): Promise<number> {
      const { at_once, hand } = ways[name]!
      const began = performance.now()
      await repeat(messages, at_once, () => {
        const { to_number, text } = nextTask()
        return hand(to_number, text)
      })
      return (messages * 1_000) / (performance.now() - began)
    }

    const sheet = openResult('doors')
    const names = Object.keys(ways)
    for (const name of names) await perSecond(name)
    await bench.postgres?.settle('doors')
    for (let round = 1; round <= bench.rounds; round++) {
      const per_s: Record<string, number> = {}
      await sheet.watched(async () => {
        for (const name of names) per_s[name] = await perSecond(name)
      })
      for (const [name, value] of Object.entries(per_s)) sheet.figure(`${name} SMS/s`, value)
      sheet.value(Math.min(per_s.Kannel!, per_s.SMPP!) / per_s.API!)
      // Each is the first one in turn.
      names.push(names.shift()!)
      bench.say(`doors: round ${round} of ${bench.rounds}`)
    }

    for (const open of [...Object.values(loads), ...binds, ...mails]) open.close()
    await bench.close(server)
    return [sheet.end()]
  },
}
