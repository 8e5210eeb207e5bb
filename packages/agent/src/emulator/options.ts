import type { Clock } from '#agent/clock.ts'

/** Least and most, in ms. */
export type Span = readonly [least: number, most: number]

export type EmulatorOptions = {
  clock?: Clock
  /** The same seed gives the same chances and latencies. */
  seed?: string
  sim?: Partial<EmulatedSim>
  network?: Partial<EmulatedNetwork>
  dialect?: Partial<Dialect>
  /** By script: what goes wrong when the nth message is handed over, from 1. */
  faults?: (nth: number) => Fault | undefined
  /** By chance: each fault, and how often it comes, 0..1. */
  chances?: readonly (readonly [fault: Fault, probability: number])[]
  /** Told of each message at the moment that it is on air, whatever the modem says of it then. */
  onAir?: (part: OnAir) => void
}

export type EmulatedSim = {
  present: boolean
  /** What the SIM says its number is; most say none. */
  number: string | null
  iccid: string
  imsi: string
  /** Null: it asks for none. */
  pin: string | null
  pin_tries: number
  smsc: string | null
  /** Messages that its memory holds. */
  places: number
}

export type EmulatedNetwork = {
  /** 3GPP TS 27.007 section 7.2: 0 not registered, 1 home, 2 searching, 3 denied, 5 roaming, … */
  registration: number
  operator: string
  /** Radio access, as +COPS says it: 0 GSM, 2 UMTS, 7 LTE. */
  access: number
  /** 0..31, or 99 for none. */
  signal: number
  /** From Ctrl-Z to the network's answer. */
  send_ms: Span
  /** From there to the delivery report. */
  report_ms: Span
  /** TP-ST of the report of a part; null for a report that never comes. */
  delivery: (part: OnAir) => number | null
  /** Sends a message again that was not acknowledged for so long. */
  resend_ms: number
}

/** A part that went on air. */
export type OnAir = {
  /** Counts what was handed over, from 1. */
  nth: number
  reference: number
  to: string
  text: string
  concat: { ref: number; refBits: 8 | 16; n: number; of: number } | null
  report_requested: boolean
  pdu: string
  at: string
}

/** What goes wrong with a message that is handed over. `on_air`: whether it went out all the same. */
export type Fault =
  /** Refused before the prompt. */
  | { kind: 'refused_at_once'; says: string }
  | { kind: 'no_prompt' }
  | { kind: 'late_prompt'; after_ms: number }
  /** The prompt, and ERROR at once. */
  | { kind: 'error_at_prompt' }
  | { kind: 'answer'; says: string; on_air: boolean; after_ms?: number }
  | { kind: 'silence'; on_air: boolean }
  | { kind: 'restart'; on_air: boolean; at?: 'prompt' | 'end' }
  | { kind: 'unplugged'; on_air: boolean; at?: 'prompt' | 'end' }
  | { kind: 'no_reference' }
  /** `+CMGS` names another reference than the report will. */
  | { kind: 'wrong_reference' }
  /** `+CMGS`, and no OK after it. */
  | { kind: 'no_ok' }
  /** News before the prompt, between it and the PDU, and inside the answer. */
  | { kind: 'news'; lines: readonly string[] }

/** How this modem behaves all the time; every one of these was seen on a real one. */
export type Dialect = {
  maker: string
  model: string
  imei: string
  /** How often a command comes back, until ATE0. */
  echo: 0 | 1 | 2
  /** News that come between a command and its echo, every time. */
  before_echo: readonly string[]
  line_end: '\r\n' | '\r\r\n'
  prompt: string
  /** A PDU that comes sooner after the prompt is lost, as is a Ctrl-Z that comes sooner after the PDU. */
  settle_ms: number
  /** Between one byte and the next; 0: at once. */
  byte_ms: number
  /** How long it says nothing when it starts. */
  start_ms: number
  /** What it prints then, 200 ms apart. */
  banner: readonly string[]
  /** After a start the SIM answers with `sim_busy_code` for so long. */
  sim_busy_ms: number
  sim_busy_code: number
  /** An OK after +CPIN. */
  cpin_ok: boolean
  /** AT+CPIN? answers with an error while the SIM is locked. */
  cpin_errors: boolean
  /** In text mode when it starts. */
  starts_in_text: boolean
  /** Needs this long without commands after its PIN, or starts anew. */
  pin_quiet_ms: number
  /** `+CPINR` tells how many tries are left. */
  cpinr: boolean
  errors: 'codes' | 'texts' | 'blank'
  /** Commands that it does not have, by name: `+CEREG`. */
  lacks: readonly string[]
  /** What it says to those. */
  refusal: string
  /** Its radio is off until AT+CFUN=1. */
  starts_off: boolean
  /** AT+CFUN? answers as AT+CFUN=? does. */
  cfun_confused: boolean
  /** The highest service of AT+CSMS: 1 wants its direct messages acknowledged. */
  csms: 0 | 1
  cnmi_support: string
  /** `mode,mt,bm,ds` with one of these ds is refused, advertised or not. */
  cnmi_refuses_ds: readonly number[]
  /** Setting AT+CNMI or AT+CSMP clears the number of the SMS centre. */
  forgets_smsc: boolean
  /** Where it can store messages; none: they only come by +CMT. */
  storages: readonly string[]
  /** Where what comes in is stored. */
  receives_into: string
  cpms_test: string | null
  first_index: number
  /** What +CMTI says, whatever is true. */
  cmti_storage: string | null
  cmti_times: 0 | 1 | 2
  says_full: string | null
  /** `no_reports`: neither AT+CMGL nor the numbers of AT+CPMS have anything of a report. */
  listing:
    | 'usual'
    | 'no_reports'
    | 'no_name'
    | 'empty_name'
    | 'one_line'
    | 'wrong_length'
    | 'wrong_indexes'
    | 'none'
  /** Where a report goes where AT+CNMI lets it come by itself, or not. */
  keeps_reports: boolean
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
  report_number: (number) => number,
  chatter: null,
}
