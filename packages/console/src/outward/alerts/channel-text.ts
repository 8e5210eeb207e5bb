import { wording } from '#console/core/language.ts'
import { channelFault } from './spanish.ts'

export const channelFaults = wording('channelFaults', {
  /** Why a message to a channel did not arrive; undefined if nothing is known. */
  why: channelFault,
})
