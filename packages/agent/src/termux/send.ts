import { UNKNOWN_OUTCOME } from '@sdd/contract/fleet/device-protocol.ts'
import { keptIccid } from '@sdd/contract/fleet/sims.ts'
import { measureText } from '@sdd/sms/segments.ts'
import { type Clock, sleep } from '#agent/clock.ts'
import { failed, type Outcome, type Outgoing, type SendProgress, withoutSim } from '#agent/driver.ts'
import { sameNumber } from '#agent/ledger/numbers.ts'
import { type Termux, TermuxError } from './commands.ts'
import { readPhone } from './networks.ts'
import { listSms, type PhoneSms } from './sms.ts'

type Needs = { termux: Termux; clock: Clock; slot: string | undefined; closing: AbortSignal }

const LOOK_EVERY_MS = 2_000
/** Android tries for about a minute; after that it waits for a person, or for a network. */
const OUTCOME_WITHIN_MS = 120_000
/** How many of the newest SMS to check: others may arrive or go out at the same time. */
const LOOK_AT = 30

/**
 * Sends with `termux-sms-send`, which does not report the outcome. But when an app's SMS is finished, Android lists it
 * among the phone's own SMS, as sent or as failed. The outcome is read from that list.
 */
export async function sendSms(needs: Needs, message: Outgoing, progress: SendProgress): Promise<Outcome> {
  const { termux, slot } = needs
  const { to, text, iccid } = message
  if (iccid !== undefined && (await hasOther(termux, iccid))) return withoutSim(iccid)
  if (!/^\+?\d{3,15}$/.test(to))
    return failed('invalid_number', `${to} is not a number that can be dialled`, true)
  let last_id: number
  try {
    last_id = Math.max(0, ...(await listSms(termux, 'all', LOOK_AT)).map(({ id }) => id))
  } catch (error) {
    return failed(
      'modem_error',
      `Not sent, because its outcome could not be read: ${(error as Error).message}`,
    )
  }
  try {
    await progress.onAir()
  } catch (error) {
    return failed('modem_error', `Not sent: ${(error as Error).message}`)
  }
  try {
    await termux.run('termux-sms-send', ['-n', to, ...(slot === undefined ? [] : ['-s', slot])], text)
  } catch (error) {
    if (error instanceof TermuxError && error.undone) return failed('modem_error', error.message)
    return failed(UNKNOWN_OUTCOME, `It is unknown whether Android took it: ${(error as Error).message}`)
  }
  return watchOutcome(needs, message, last_id, progress)
}

/** Whether the phone says the ICCID of its SIM, and it is not this one. Nothing here can choose another SIM. */
async function hasOther(termux: Termux, iccid: string): Promise<boolean> {
  const phone = await readPhone(termux).catch(() => undefined)
  const own = keptIccid(phone?.sim_serial_number ?? '')
  return own !== undefined && own !== iccid
}

async function watchOutcome(
  { termux, clock, closing }: Needs,
  { to, text }: Outgoing,
  last_id: number,
  progress: SendProgress,
): Promise<Outcome> {
  const until = clock.uptime() + OUTCOME_WITHIN_MS
  const parts = measureText(text).segments
  const isIt = ({ id, number, body }: PhoneSms) =>
    id > last_id && sameNumber(number, to) && body.trimEnd() === text.trimEnd()
  while (clock.uptime() < until && !closing.aborted) {
    const listed = await listSms(termux, 'all', LOOK_AT).catch(() => [])
    const found = listed.find((sms) => isIt(sms) && (sms.type === 'sent' || sms.type === 'failed'))
    if (found?.type === 'sent') {
      for (let n = 1; n <= parts; n++) await progress.partSent({ n, of: parts, reference: null })
      return { state: 'sent', parts }
    }
    // Some parts of a long message may have gone out, and Android does not list which.
    if (found && parts > 1)
      return failed(UNKNOWN_OUTCOME, 'Android could not send all of its parts, and does not say which')
    if (found) return failed('modem_error', 'Android could not send it, and does not say why')
    await sleep(clock, LOOK_EVERY_MS, closing)
  }
  const detail = closing.aborted
    ? 'The agent stopped before Android reported an outcome'
    : `Android took it, and in ${OUTCOME_WITHIN_MS / 1_000} s listed it neither as sent nor as failed`
  return failed(UNKNOWN_OUTCOME, detail)
}
