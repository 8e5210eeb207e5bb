import { createTransport } from 'nodemailer'
import type { Config } from '#server/core/config.ts'

/** `id` is the same for each try of one e-mail. */
export type AlertMail = { id: string; to: readonly string[]; subject: string; text: string }

export type Mailing = {
  /** Sends it once. Resolves to why it was not taken, or to `undefined` if it was. */
  send(mail: AlertMail): Promise<string | undefined>
  close(): void
}

/** A mail server that never answers is given up after this long. */
const TIMEOUT_MS = 15_000

/** Sends e-mail through the mail server of `SMTP_URL`. Without one, each e-mail fails and says so. */
export function openMailing({ SMTP_URL, SMTP_FROM }: Pick<Config, 'SMTP_URL' | 'SMTP_FROM'>): Mailing {
  if (SMTP_URL === undefined)
    return { send: async () => 'The server has no SMTP_URL, so it sends no e-mail.', close() {} }
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

  return {
    async send({ id, to, subject, text }) {
      const mail = { from: SMTP_FROM!, to: [...to], subject, text, messageId: `<${id}@${domain}>` }
      const { promise: late, resolve } = Promise.withResolvers<string>()
      const timer = setTimeout(resolve, TIMEOUT_MS, 'The mail server did not answer in 15 s.')
      try {
        return await Promise.race([transport.sendMail(mail).then(refusedOf, sayWhy), late])
      } finally {
        clearTimeout(timer)
      }
    },
    close: () => transport.close(),
  }

  /** The mail server may take it for some of the recipients only. */
  function refusedOf({ rejected, response }: { rejected: readonly unknown[]; response: string }) {
    return rejected.length === 0 ? undefined : `Refused for ${rejected.join(', ')}. ${response}`
  }

  function sayWhy(error: unknown): string {
    const { response, message } = error as { response?: string; message: string }
    return withoutSecrets(response ?? message)
  }
}
