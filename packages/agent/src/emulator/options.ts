import type { Clock } from '#agent/clock.ts'

/** Minimum and maximum, in ms. */
export type Span = readonly [least: number, most: number]

export type EmulatorOptions = {
  clock?: Clock
  /** The same seed gives the same random faults and latencies. */
  seed?: string
  sim?: Partial<EmulatedSim>
  network?: Partial<EmulatedNetwork>
  dialect?: Partial<Dialect>
  /** Scripted faults: the fault of the nth message, from 1. */
  faults?: (nth: number) => Fault | undefined
  /** Random faults, each with its probability, 0..1. */
  chances?: readonly (readonly [fault: Fault, probability: number])[]
  /** Called with each part when it goes on air, whatever the modem then answers. */
  onAir?: (part: OnAir) => void
}

export type EmulatedSim = {
  present: boolean
  /** The number that the SIM reports; most report none. */
  number: string | null
  iccid: string
  imsi: string
  /** Null if the SIM has no PIN. */
  pin: string | null
  pin_tries: number
  smsc: string | null
  /** The capacity of its memory, in messages. */
  places: number
}

export type EmulatedNetwork = {
  /** 3GPP TS 27.007 section 7.2: 0 not registered, 1 home, 2 searching, 3 denied, 5 roaming, … */
  registration: number
  operator: string
  /** Radio access in the codes of +COPS: 0 GSM, 2 UMTS, 7 LTE. */
  access: number
  /** 0..31, or 99 for none. */
  signal: number
  /** From Ctrl-Z to the network's answer. */
  send_ms: Span
  /** From the network's answer to the delivery report. */
  report_ms: Span
  /** TP-ST of the report of a part; null if no report arrives. */
  delivery: (part: OnAir) => number | null
  /** The network repeats a message that is not acknowledged for this long. */
  resend_ms: number
  /** The network's answer to a code, or to a choice in its menu; null for none. */
  ussd: (code: string, in_menu: boolean) => UssdReply | null
  /** From the code to the answer. */
  ussd_ms: Span
}

/** `state` as in +CUSD: 0 final, 1 a menu, 2 ended by the network, 4 not known. `cme`: refused at once. */
type UssdReply = { state: number; text?: string } | { cme: number }

/** A part that went on air. */
export type OnAir = {
  /** Counts the submitted parts, from 1. */
  nth: number
  reference: number
  to: string
  text: string
  concat: { ref: number; refBits: 8 | 16; n: number; of: number } | null
  report_requested: boolean
  pdu: string
  at: string
}

/** A fault of a submitted message. `on_air`: whether it went out anyway. */
export type Fault =
  /** Refused before the prompt. */
  | { kind: 'refused_at_once'; says: string }
  | { kind: 'no_prompt' }
  | { kind: 'late_prompt'; after_ms: number }
  /** ERROR immediately after the prompt. */
  | { kind: 'error_at_prompt' }
  | { kind: 'answer'; says: string; on_air: boolean; after_ms?: number }
  | { kind: 'silence'; on_air: boolean }
  | { kind: 'restart'; on_air: boolean; at?: 'prompt' | 'end' }
  | { kind: 'unplugged'; on_air: boolean; at?: 'prompt' | 'end' }
  | { kind: 'no_reference' }
  /** `+CMGS` names another reference than the report. */
  | { kind: 'wrong_reference' }
  /** `+CMGS` without an OK. */
  | { kind: 'no_ok' }
  /** Unsolicited lines before the prompt, between it and the PDU, and inside the answer. */
  | { kind: 'unsolicited'; lines: readonly string[] }

/** The permanent behaviour of this modem; each item was seen on a real one. */
export type Dialect = {
  maker: string
  model: string
  imei: string
  /** How often a command is echoed, until ATE0. */
  echo: 0 | 1 | 2
  /** Unsolicited lines before every echo. */
  before_echo: readonly string[]
  line_end: '\r\n' | '\r\r\n'
  prompt: string
  /** A PDU that arrives sooner after the prompt is lost, and so is a Ctrl-Z that arrives sooner after the PDU. */
  settle_ms: number
  /** Delay between two bytes; 0 for none. */
  byte_ms: number
  /** Silence after a start. */
  start_ms: number
  /** The lines after that silence, 200 ms apart. */
  banner: readonly string[]
  /** After a start the SIM answers with `sim_busy_code` for this long. */
  sim_busy_ms: number
  sim_busy_code: number
  /** Whether an OK follows +CPIN. */
  cpin_ok: boolean
  /** AT+CPIN? answers with an error while the SIM is locked. */
  cpin_errors: boolean
  /** The alphabet of AT+CSCS after a start; `UCS2` if another program left it so. */
  alphabet: 'GSM' | 'UCS2'
  /** Text mode after a start. */
  starts_in_text: boolean
  /** The silence it needs after its PIN; a command sooner than that restarts it. */
  pin_quiet_ms: number
  /** `+CPINR` reports the remaining tries. */
  cpinr: boolean
  errors: 'codes' | 'texts' | 'blank'
  /** Missing commands, by name: `+CEREG`. */
  lacks: readonly string[]
  /** The answer to a missing command. */
  refusal: string
  /** The radio is off until AT+CFUN=1. */
  starts_off: boolean
  /** Answers AT+CFUN? like AT+CFUN=?. */
  cfun_confused: boolean
  /** The highest service of AT+CSMS: 1 requires that direct messages are acknowledged. */
  csms: 0 | 1
  cnmi_support: string
  /** AT+CNMI with one of these ds values is refused, even if advertised. */
  cnmi_refuses_ds: readonly number[]
  /** Setting AT+CNMI or AT+CSMP clears the number of the SMS centre. */
  forgets_smsc: boolean
  /** Its storages; if empty, messages arrive only by +CMT. */
  storages: readonly string[]
  /** The storage for incoming messages. */
  receives_into: string
  cpms_test: string | null
  first_index: number
  /** The storage that +CMTI names, even if it is the wrong one. */
  cmti_storage: string | null
  cmti_times: 0 | 1 | 2
  says_full: string | null
  /** `no_reports`: neither AT+CMGL nor the counts of AT+CPMS include reports. */
  listing:
    | 'usual'
    | 'no_reports'
    | 'no_name'
    | 'empty_name'
    | 'one_line'
    | 'wrong_length'
    | 'wrong_indexes'
    | 'none'
  /** Reports are stored with the messages, whatever AT+CNMI says about them. */
  keeps_reports: boolean
  /**
   * How it takes codes and prints answers: in the GSM alphabet, as the hex of packed septets (Huawei), or codes in the GSM
   * alphabet and answers as the hex of UCS-2 (ZTE).
   */
  ussd: 'text' | 'packed' | 'ucs2'
  /** How it garbles the number in a report. */
  report_number: (number: string) => string
  chatter: { every_ms: number; lines: readonly string[] } | null
}

export const USUAL_SIM: EmulatedSim = {
  present: true,
  number: '+34600000001',
  iccid: '8934071100000000019',
  imsi: '214070000000001',
  pin: null,
  pin_tries: 3,
  smsc: '+34609090909',
  places: 30,
}

export const USUAL_NETWORK: EmulatedNetwork = {
  registration: 1,
  operator: 'Movistar',
  access: 7,
  signal: 18,
  send_ms: [900, 2_500],
  report_ms: [1_500, 12_000],
  delivery: () => 0,
  resend_ms: 60_000,
  ussd: answerUssd,
  ussd_ms: [800, 3_000],
}

export const USUAL_DIALECT: Dialect = {
  maker: 'SMS Drone Dash',
  model: 'Emulated modem',
  imei: '356938035643809',
  echo: 1,
  before_echo: [],
  line_end: '\r\n',
  prompt: '> ',
  settle_ms: 0,
  byte_ms: 0,
  start_ms: 500,
  banner: ['RDY', '+CFUN: 1', '+CPIN: READY', 'Call Ready', 'SMS Ready'],
  sim_busy_ms: 0,
  sim_busy_code: 14,
  cpin_ok: true,
  cpin_errors: false,
  alphabet: 'GSM',
  starts_in_text: false,
  pin_quiet_ms: 0,
  cpinr: true,
  errors: 'codes',
  lacks: ['^CURC'],
  refusal: 'ERROR',
  starts_off: false,
  cfun_confused: false,
  csms: 1,
  cnmi_support: '(0-2),(0-3),(0,2),(0-2),(0,1)',
  cnmi_refuses_ds: [],
  forgets_smsc: false,
  storages: ['SM', 'ME', 'SR'],
  receives_into: 'SM',
  cpms_test: null,
  first_index: 1,
  cmti_storage: null,
  cmti_times: 1,
  says_full: null,
  listing: 'usual',
  keeps_reports: false,
  ussd: 'text',
  report_number: (number) => number,
  chatter: null,
}

/** A balance in one line and in two, a menu, letters beyond the GSM alphabet, and silence; the network does not know other codes. */
function answerUssd(code: string, in_menu: boolean): UssdReply | null {
  if (in_menu) return { state: 0, text: code === '1' ? 'Su saldo es de 12,50 EUR.' : 'Gracias.' }
  switch (code) {
    case '*100#':
      return { state: 0, text: 'Su saldo es de 12,50 EUR. Valido hasta el 31/12.' }
    case '*101#':
      return { state: 0, text: 'Своё: 12,50 €' }
    case '*111#':
      return { state: 1, text: 'Elija: 1 Saldo, 2 Recargar' }
    case '*112#':
      return { state: 0, text: 'Saldo: 12,50 EUR\nValido hasta el 31/12.' }
    case '*199#':
      return null
    default:
      return { state: 4 }
  }
}
