import type {
  ChannelFault,
  ChannelFaultCode,
  channelFaultParams,
} from '@sdd/contract/outward/alert-channels.ts'
import type { LastErrorCode } from '@sdd/contract/outward/callbacks.ts'
import type * as z from 'zod/mini'
import type { FailureFields } from '#console/messages/outcomes/outcomes.ts'
import { outcomes } from '#console/messages/outcomes/text.ts'
import { callbacks } from '#console/outward/callbacks/text.ts'

/** Makes the sentence of each code that callbacks do not have. */
export type ChannelFaultSentences = {
  readonly [Code in Exclude<ChannelFaultCode, LastErrorCode>]: (
    facts: z.infer<(typeof channelFaultParams)[Code]>,
  ) => string
}

/** Why a message did not arrive, as callbacks say it, or in the words of the other side. */
export function callbackFault({ detail, detail_code, detail_params }: ChannelFault): string | undefined {
  if (!detail_code) return detail ?? undefined
  return callbacks.lastError({
    last_error: detail,
    last_error_code: detail_code as LastErrorCode,
    last_error_params: (detail_params ?? {}) as Record<string, string | number>,
  })
}

type SmsFailure = Omit<z.infer<typeof channelFaultParams.sms_ended>, 'state'>

/** Why the SMS to a channel failed. */
export function smsFailure({ why, why_code, why_params }: SmsFailure): string | undefined {
  const fields = { error_msg: why, error_msg_code: why_code, error_msg_params: why_params }
  return outcomes.errorMsg(fields as FailureFields)
}
