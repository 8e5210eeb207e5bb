import { createTransport } from 'nodemailer'
import type { Config } from '#server/core/config.ts'
import { channelFaults } from './channel-faults.ts'

/** `id` is the same for each try of one e-mail. */
export type AlertMail = { id: string; to: readonly string[]; subject: string; text: string }

/** Delivered if the mail server took it for a recipient. `detail` is what it said about those that it refused. */
export type Mailed = { delivered: boolean; detail: string | null }

export type Mailing = {
  /** Sends it once. Resolves within 15 s, or to `undefined` if `close` came first. */
  send(mail: AlertMail): Promise<Mailed | undefined>
  /** Waits no longer for the mail server. */
  close(): void
}

/** A mail server that never answers is given up after this long. */
const TIMEOUT_MS = 15_000

/** Sends e-mail through the mail server of `SMTP_URL`. Without one, each e-mail fails and says so. */
export function openMailing({ SMTP_URL, SMTP_FROM }: Pick<Config, 'SMTP_URL' | 'SMTP_FROM'>): Mailing {
  if (SMTP_URL === undefined) return { send: async () => failed(channelFaults.no_smtp.write({})), close() {} }
  const { password, hostname } = new URL(SMTP_URL)
  const secrets = [password, decodeURIComponent(password)].filter((secret) => secret !== '')
  const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS }
  const transport = createTransport({
    url: SMTP_URL,
    ...timeouts,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const domain = /@([^\s@<>]+)>?$/.exec(SMTP_FROM!)?.[1] ?? hostname
  const withoutSecrets = (said: string) =>
    secrets.reduce((text, secret) => text.replaceAll(secret, '[password]'), said)
  const underWay = new Set<(mailed: undefined) => void>()

  return {
    async send({ id, to, subject, text }) {
      const mail = { from: SMTP_FROM!, to: [...to], subject, text, messageId: `<${id}@${domain}>` }
      const { promise: given_up, resolve } = Promise.withResolvers<Mailed | undefined>()
      const timer = setTimeout(
        resolve,
        TIMEOUT_MS,
        failed(channelFaults.late.write({ secs: TIMEOUT_MS / 1_000 })),
      )
      underWay.add(resolve)
      try {
        return await Promise.race([transport.sendMail(mail).then(mailedOf, sayWhy), given_up])
      } finally {
        clearTimeout(timer)
        underWay.delete(resolve)
      }
    },
    close() {
      for (const giveUp of underWay) giveUp(undefined)
      transport.close()
    },
  }

  /** The mail server took it for some recipients at least: to repeat it would send it to them again. */
  function mailedOf({ rejected, rejectedErrors = [] }: Taken): Mailed {
    if (rejected.length === 0) return { delivered: true, detail: null }
    const said = [...new Set(rejectedErrors.map(({ response, message }) => response ?? message))].join(' ')
    return { delivered: true, detail: withoutSecrets(`Refused for ${rejected.join(', ')}. ${said}`.trim()) }
  }

  function sayWhy(error: unknown): Mailed {
    const { response, message } = error as { response?: string; message: string }
    return failed(withoutSecrets(response ?? message))
  }
}

type Taken = {
  rejected: readonly unknown[]
  rejectedErrors?: readonly { response?: string; message: string }[]
}

function failed(detail: string): Mailed {
  return { delivered: false, detail }
}
