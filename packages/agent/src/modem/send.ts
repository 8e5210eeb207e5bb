import { keptIccid } from '@sdd/contract/fleet/sims.ts'
import { PARTLY_SENT } from '@sdd/contract/fleet/device-protocol.ts'
import { encodeAddress } from '@sdd/sms/address.ts'
import { encodeSubmit, type WrittenPdu } from '@sdd/sms/pdu-submit.ts'
import type { Channel } from '#agent/at/channel.ts'
import { AtError } from '#agent/at/failure.ts'
import { type Clock, sleep } from '#agent/clock.ts'
import { failed, type Outcome, type Outgoing, type SendProgress, withoutSim } from '#agent/driver.ts'
import { messageOf } from '#agent/say.ts'
import type { Pace } from './pace.ts'
import { failureOf, isOdd, isOfSim, judge, type Verdict } from './verdict.ts'

/** The parts of the modem that sending needs. */
type SendNeeds = {
  clock: Clock
  pace: Pace
  /** Aborted when the agent stops: then nothing more is tried. */
  stopping: AbortSignal
  /** Undefined while the modem is not ready. */
  channel: () => Pick<Channel, 'submit'> | undefined
  /** Waits until the modem is ready; false if that takes longer. */
  ready: (within_ms: number) => Promise<boolean>
  /** Why it is not ready. */
  says: () => string
  /** The SIM's own number, if known. */
  number: () => string | undefined
  /** The SIM's ICCID, if known. */
  iccid: () => string | null
  /** The codes of +CMS ERROR by which the operator says that the SIM has no credit. */
  noCredit: () => readonly number[]
  /** Restarts the modem, which is ready again some time later. False if the last restart was too recent. */
  restart: () => Promise<boolean>
  /** Reads the inbox, which frees memory. */
  makeRoom: () => Promise<void>
  /** Sets the modem up again, because its SIM or its SMS centre changed. */
  setUpAgain: () => void
}

/** How long a message waits for a modem that is not ready, before it fails. */
const READY_MS = 120_000
const AGAIN_MS = 2_000
/**
 * Sent before each message. A modem that restarted silently may be in text mode; it would take the length for a number
 * and the PDU for a text.
 */
const PDU_MODE = 'AT+CMGF=0'
/** Pauses before the retries of a temporary refusal. */
const TRANSIENT_PAUSES_MS = [5_000, 20_000]
/** Sierra modems were seen to answer the prompt with ERROR 40 times. */
const PROMPT_TRIES = 40
const PROMPT_PAUSE_MS = [250, 500, 1_000, 2_000] as const
const ODD_IN_A_ROW = 3

export function openSender(
  needs: SendNeeds,
): (message: Outgoing, progress: SendProgress) => Promise<Outcome> {
  const { clock, pace, stopping } = needs
  /** The concatenation reference, which ties the parts of one long message together. */
  let reference = Math.floor(Math.random() * 256)
  let odd = 0

  async function send(message: Outgoing, progress: SendProgress): Promise<Outcome> {
    const fail = (...why: Parameters<typeof failed>) => ({ ...failed(...why), ...ownSim() })
    const parts = written(message)
    if ('detail' in parts) return fail(parts.code, parts.detail, true)
    const pause = pace.pause()
    if (pause) return fail('no_network', pause.says)
    if (!(await needs.ready(READY_MS))) return fail('no_network', `The modem is not ready: ${needs.says()}`)
    // Only now: the SIM may have been replaced while the modem was not ready.
    const sim = ownSim()
    const isNamed = message.iccid !== undefined && message.iccid === keptIccid(needs.iccid() ?? '')
    if (message.iccid !== undefined && !isNamed && needs.iccid() !== null)
      return { ...withoutSim(message.iccid), ...sim }
    if (message.from !== undefined && !isNamed && !isSameNumber(message.from, sim.sim))
      return fail('no_sim', `This modem has no SIM of the number ${message.from}`)
    try {
      await progress.onAir()
    } catch (error) {
      return fail('not_kept', `Not sent, as it could not be stored first: ${messageOf(error)}`)
    }

    const expires_at = message.expires_at === undefined ? Infinity : Date.parse(message.expires_at)
    let counted = false
    /** A message that is refused at each try is one refusal. */
    const refused: Pace['refused'] = (...refusal) => {
      if (!counted) pace.refused(...refusal)
      counted = true
    }
    for (const [i, part] of parts.entries()) {
      // Once a part is on air, the others follow it also later.
      const taken = await sendPart(part, i === 0 ? expires_at : Infinity, refused)
      if (typeof taken === 'object' && taken !== null) return abandoned(taken, i, parts.length, sim)
      const known = message.silent || taken === null ? null : String(taken)
      // The part is on air even if the disk fails, so the remaining parts follow.
      await progress.partSent({ n: i + 1, of: parts.length, reference: known }).catch(() => {})
    }
    return { state: 'sent', parts: parts.length, ...sim }
  }

  function ownSim(): { sim?: string } {
    const number = needs.number()
    return number === undefined ? {} : { sim: number }
  }

  function written(message: Outgoing): WrittenPdu[] | { code: string; detail: string } {
    const { to, text, silent } = message
    try {
      encodeAddress(to)
    } catch (error) {
      return { code: 'invalid_number', detail: messageOf(error) }
    }
    try {
      reference = (reference + 1) & 0xff
      return encodeSubmit({ to, text, reference, report: !silent })
    } catch (error) {
      return { code: 'invalid_text', detail: messageOf(error) }
    }
  }

  /** The part's reference, or the verdict on which it was abandoned. It is not tried again from `until` on. */
  async function sendPart(
    part: WrittenPdu,
    until: number,
    refused: Pace['refused'],
  ): Promise<number | null | Verdict> {
    const seen = new Map<Verdict['kind'], number>()
    for (;;) {
      const channel = needs.channel()
      try {
        if (!channel) throw new AtError({ command: 'AT+CMGS', reason: 'gone', why: needs.says() })
        const taken = await channel.submit(part.pdu, part.atLength, PDU_MODE)
        pace.worked()
        odd = 0
        return taken
      } catch (error) {
        if (!(error instanceof AtError)) throw error
        const verdict = judge(error, needs.noCredit())
        const times = (seen.get(verdict.kind) ?? 0) + 1
        seen.set(verdict.kind, times)
        const { kind, code, detail } = verdict
        if (kind === 'no_credit' || (kind === 'permanent' && isOfSim(code))) refused('barred', detail)
        if (kind === 'transient' && verdict.by_network) refused('for_now', detail)
        const again = await mend(verdict, times)
        if (!again || stopping.aborted || pace.pause() || clock.now() >= until) return verdict
      }
    }
  }

  /** Tries to repair the cause, and returns whether to try again. `times`: how often this part met this verdict. */
  async function mend({ kind, code }: Verdict, times: number): Promise<boolean> {
    odd = isOdd(code) ? odd + 1 : 0
    if (kind !== 'unknown_outcome' && odd >= ODD_IN_A_ROW) return restarted()
    switch (kind) {
      case 'unknown_outcome':
      case 'permanent':
      case 'no_credit':
        return false
      case 'transient': {
        const pause_ms = TRANSIENT_PAUSES_MS[times - 1]
        if (pause_ms === undefined || pace.pause()) return false
        await sleep(clock, pause_ms, stopping)
        return needs.ready(READY_MS)
      }
      case 'once_more':
        await sleep(clock, AGAIN_MS, stopping)
        return times === 1
      case 'error_at_prompt':
        await sleep(clock, PROMPT_PAUSE_MS[times - 1] ?? PROMPT_PAUSE_MS[3], stopping)
        return times < PROMPT_TRIES
      case 'no_prompt':
        if (times > 1) await needs.restart()
        return times === 1
      case 'interrupted':
        return times < 3 && (await needs.ready(READY_MS))
      case 'restart':
        return times === 1 && (await restarted())
      case 'memory_full':
        await needs.makeRoom()
        return times === 1
      case 'sim':
      case 'no_smsc':
        needs.setUpAgain()
        return times === 1 && (await needs.ready(READY_MS))
    }
  }

  async function restarted(): Promise<boolean> {
    odd = 0
    return (await needs.restart()) && needs.ready(READY_MS)
  }

  return send
}

/** The outcome of a message that was abandoned at a part, after `out` parts went on air. */
function abandoned(verdict: Verdict, out: number, parts: number, sim: { sim?: string }): Outcome {
  const { code, block } = failureOf(verdict)
  if (out === 0) return { ...failed(code, verdict.detail, block), ...sim }
  const detail = `${out} of ${parts} parts went out. Then: ${verdict.detail}`
  // A separate code: with the code of the refusal the server would send the whole message again, these parts too.
  const reported = code === 'unknown_outcome' ? code : PARTLY_SENT
  return { state: 'failed', code: reported, detail, block, parts: out, ...sim }
}

/** Compares the last nine digits, because prefixes are written in many ways. */
function isSameNumber(wanted: string, own: string | undefined): boolean {
  const tail = (number: string): string => number.replaceAll(/\D/g, '').slice(-9)
  return own !== undefined && tail(own) === tail(wanted)
}
