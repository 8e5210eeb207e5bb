import { channelFault } from './spanish.ts'

export const channelFaults = { why: channelFault }
