/**
 * `delivered` and `undelivered` are final. `trying`: the SMSC has not given up. `unknown`: no standard defines the
 * value, and it changes nothing.
 */
export type DeliveryState = 'delivered' | 'trying' | 'undelivered' | 'unknown'

type DeliveryStatus = {
  state: DeliveryState
  /** One sentence for a person. */
  sentence: string
}

/** 3GPP TS 23.040 section 9.2.3.15. */
const SENTENCES: Record<number, string> = {
  0x00: 'The recipient received the message',
  0x01: 'The SMSC forwarded the message and cannot say whether it arrived',
  0x02: 'The SMSC replaced the message by a newer one',
  0x20: 'The network is congested; the SMSC keeps trying',
  0x21: 'The recipient is busy; the SMSC keeps trying',
  0x22: 'The recipient does not answer; the SMSC keeps trying',
  0x23: 'The service was rejected; the SMSC keeps trying',
  0x24: 'The quality of service is not available; the SMSC keeps trying',
  0x25: 'There was an error at the recipient; the SMSC keeps trying',
  0x40: 'A remote procedure error made delivery impossible',
  0x41: 'The destination is not compatible',
  0x42: 'The recipient rejected the connection',
  0x43: 'The recipient cannot be reached at this number',
  0x44: 'The quality of service is not available',
  0x45: 'The networks do not work together for this recipient',
  0x46: 'The message expired before it could be delivered',
  0x47: 'The sender had the message deleted',
  0x48: 'The SMSC administration deleted the message',
  0x49: 'The SMSC does not know the message',
  0x60: 'The network was congested; the SMSC gave up',
  0x61: 'The recipient was busy; the SMSC gave up',
  0x62: 'The recipient did not answer; the SMSC gave up',
  0x63: 'The service was rejected; the SMSC gave up',
  0x64: 'The quality of service was not available; the SMSC gave up',
  0x65: 'There was an error at the recipient; the SMSC gave up',
}

/** The meaning of a value without its own sentence, by the two highest of its seven bits. */
const GROUPS: DeliveryStatus[] = [
  { state: 'delivered', sentence: 'The SMSC is done with the message' },
  { state: 'trying', sentence: 'The SMSC keeps trying' },
  { state: 'undelivered', sentence: 'The message cannot be delivered' },
  { state: 'undelivered', sentence: 'The message could not be delivered; the SMSC gave up' },
]

/**
 * The meaning of a TP-ST. A value without its own sentence has the meaning of its group. The standard would make it a
 * rejection, but SMSCs send such values (0x30) while they are still trying.
 */
export function deliveryStatus(status: number): DeliveryStatus {
  const group = GROUPS[status >> 5]
  const code = `status 0x${status.toString(16).toUpperCase().padStart(2, '0')}`
  if (!group) return { state: 'unknown', sentence: `The SMSC reported an undefined value (${code})` }
  return { state: group.state, sentence: SENTENCES[status] ?? `${group.sentence} (${code})` }
}
