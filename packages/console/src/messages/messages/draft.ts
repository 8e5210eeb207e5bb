import * as z from 'zod/mini'
import { keepDraft, readDraft } from '#console/core/drafts.ts'
import type { SendSearch } from './search.ts'

const Kept = z.object({
  /** Empty if none was chosen. */
  device: z.string(),
  to: z.string(),
  message: z.string(),
  /** The fields of the inserted templates. */
  fields: z.optional(z.array(z.string())),
  /** The numbers, if the form is that for several. */
  several: z.optional(z.string()),
})

/** A message that was typed but not sent. */
export type SmsDraft = z.infer<typeof Kept>
const Sent = z.array(z.string())

/** The most messages that the send screen shows next to its form. */
const MOST_SENT = 5

/** Each device has a draft of its own, for its dialog. The send screen's, where the user chooses, has no `uid`. */
export function readSmsDraft(uid?: string): SmsDraft {
  return Kept.safeParse(readDraft(nameOf(uid))).data ?? { device: '', to: '', message: '' }
}

export function keepSmsDraft(draft: SmsDraft, uid?: string): void {
  const { device, to, message, several } = draft
  const empty = device === '' && to === '' && message === '' && several === undefined
  keepDraft(nameOf(uid), empty ? undefined : draft)
}

/** Puts what an address asks for into the send screen's draft. */
export function fillDraft({ to, text: message, device }: SendSearch): void {
  const now = readSmsDraft()
  keepSmsDraft({ device: device ?? now.device, to: to ?? now.to, message: message ?? now.message })
}

/** The guids of the user's last messages from this tab, newest first. */
export function readSent(): string[] {
  return Sent.safeParse(readDraft('sent')).data ?? []
}

export function noteSent(guid: string): string[] {
  const sent = [guid, ...readSent()].slice(0, MOST_SENT)
  keepDraft('sent', sent)
  return sent
}

function nameOf(uid: string | undefined): string {
  return uid === undefined ? 'sms' : `sms ${uid}`
}
