import * as z from 'zod/mini'
import { keepDraft, readDraft, useKeptDraft } from '#console/core/drafts.ts'
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

/** The name of the send screen's draft. */
const SCREEN = 'sms'

/** The most messages that the send screen shows next to its form. */
const MOST_SENT = 5

/** Each device has a draft of its own, for its dialog. The send screen's, where the user chooses, has no `uid`. */
export function useSmsDraft(uid?: string) {
  return useKeptDraft(uid === undefined ? SCREEN : `sms ${uid}`, { read, kept })
}

/** Puts what an address asks for into the send screen's draft. */
export function fillDraft({ to, text: message, device }: SendSearch): void {
  const now = read(readDraft(SCREEN))
  const filled = { device: device ?? now.device, to: to ?? now.to, message: message ?? now.message }
  keepDraft(SCREEN, kept(filled))
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

function read(stored: unknown): SmsDraft {
  return Kept.safeParse(stored).data ?? { device: '', to: '', message: '' }
}

function kept(draft: SmsDraft): SmsDraft | undefined {
  const { device, to, message, several } = draft
  return device === '' && to === '' && message === '' && several === undefined ? undefined : draft
}
