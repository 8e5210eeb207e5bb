/** 3GPP TS 27.007 section 7.2, and whether each state allows an SMS. */
const STATES: readonly { meaning: string; sms: boolean; roaming: boolean }[] = [
  { meaning: 'not registered', sms: false, roaming: false },
  { meaning: 'home', sms: true, roaming: false },
  { meaning: 'searching', sms: false, roaming: false },
  { meaning: 'denied', sms: false, roaming: false },
  { meaning: 'unknown', sms: false, roaming: false },
  { meaning: 'roaming', sms: true, roaming: true },
  { meaning: 'home, SMS only', sms: true, roaming: false },
  { meaning: 'roaming, SMS only', sms: true, roaming: true },
  { meaning: 'attached for emergency only', sms: false, roaming: false },
  { meaning: 'home, CSFB not preferred', sms: true, roaming: false },
  { meaning: 'roaming, CSFB not preferred', sms: true, roaming: true },
  { meaning: 'attached for emergency only', sms: false, roaming: false },
]

export type Registration = {
  stat: number
  meaning: string
  /** Whether an SMS can be sent. */
  sms: boolean
  roaming: boolean
}

/**
 * The state in a `+CREG`, `+CGREG` or `+CEREG` line. An answer has the mode before it (`2,1,"18d8","ffff"`); an
 * unsolicited line does not (`1,"0001","0010",0`), but some modems write it like an answer. So the fields decide: an
 * area code is quoted or has four digits, and no mode is above 5. Undefined for a line without a state.
 */
export function readRegistration(line: string): Registration | undefined {
  const fields = line
    .slice(line.indexOf(':') + 1)
    .split(',')
    .map((field) => field.trim())
  const [first = '', second = ''] = fields
  const areaSecond = second.startsWith('"') || second.length > 3 || Number(first) > 5
  const stat = fields.length === 1 || fields.length === 3 || areaSecond ? first : second
  const state = /^\d+$/.test(stat) ? STATES[Number(stat)] : undefined
  return state && { stat: Number(stat), ...state }
}
