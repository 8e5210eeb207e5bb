import { pduIn } from './reading.ts'

/** A message in a storage. `status`: 0 and 1 received (unread, read), 2 and 3 stored (unsent, sent). */
type Stored = { index: number; status: number; pdu: string }

/**
 * The messages of an AT+CMGL answer. Modems leave the second field out or empty, put the PDU behind the header, and
 * write a wrong length. So only the header's first two numbers and the hex octets after it are used.
 */
export function readList(lines: readonly string[]): Stored[] {
  const messages: Stored[] = []
  let head: { index: number; status: number } | undefined
  for (const line of lines) {
    const header = /^\+CMGL:\s*(\d+)\s*,\s*(\d+)(.*)$/i.exec(line)
    if (header) {
      head = { index: Number(header[1]), status: Number(header[2]) }
      const pdu = pduIn(header[3]!)
      if (pdu !== undefined) messages.push({ ...head, pdu })
    } else if (head && isPdu(line)) {
      messages.push({ ...head, pdu: line })
      head = undefined
    }
  }
  return messages
}

/** The message of an AT+CMGR answer; undefined for an empty slot, which some modems answer with only OK. */
export function readMessage(lines: readonly string[]): Omit<Stored, 'index'> | undefined {
  for (const [i, line] of lines.entries()) {
    const header = /^\+CMGR:\s*(\d+)(.*)$/i.exec(line)
    if (!header) continue
    const pdu = pduIn(header[2]!) ?? lines.slice(i + 1).find(isPdu)
    if (pdu !== undefined) return { status: Number(header[1]), pdu }
  }
  return undefined
}

function isPdu(line: string): boolean {
  return /^[0-9A-F]{14,}$/i.test(line)
}

/** The storages that AT+CPMS=? offers for reading, writing and receiving. */
export function readStorages(line: string): { mem1: string[]; mem2: string[]; mem3: string[] } {
  const [mem1 = [], mem2 = [], mem3 = []] = groupsOf(line).map(
    (group) => group.toUpperCase().match(/\b[A-Z]{2}\b/g) ?? [],
  )
  return { mem1, mem2, mem3 }
}

/** Use of the first storage, in an answer to AT+CPMS? (with its name) or AT+CPMS="SM" (without). */
export function readStorageUse(line: string): { used: number; total: number } | undefined {
  const use = /^\+CPMS:\s*(?:"?[A-Z]{2}"?\s*,\s*)?(\d+)\s*,\s*(\d+)/i.exec(line)
  return use ? { used: Number(use[1]), total: Number(use[2]) } : undefined
}

type CnmiSupport = { mode: number[]; mt: number[]; bm: number[]; ds: number[]; bfr: number[] }

/** The values that AT+CNMI=? allows for each parameter: `(0-3),(0,1),(0,2,3),(0,2),(1)`. */
export function readCnmiSupport(line: string): CnmiSupport {
  const [mode = [], mt = [], bm = [], ds = [], bfr = []] = groupsOf(line).map(numbersOf)
  return { mode, mt, bm, ds, bfr }
}

/** The groups of a test answer, without their brackets; a single value is a group too. */
function groupsOf(line: string): string[] {
  const groups: string[] = []
  let group = ''
  let inside = false
  for (const char of line.slice(line.indexOf(':') + 1)) {
    if (char === '(' || char === ')') inside = char === '('
    else if (char === ',' && !inside) {
      groups.push(group)
      group = ''
    } else group += char
  }
  return [...groups, group]
}

function numbersOf(group: string): number[] {
  return group.split(',').flatMap((item) => {
    const range = /^\s*(\d+)\s*-\s*(\d+)\s*$/.exec(item)
    if (!range) return /^\s*\d+\s*$/.test(item) ? [Number(item)] : []
    const [from, to] = [Number(range[1]), Number(range[2])]
    return to - from > 100 ? [] : Array.from({ length: to - from + 1 }, (_, i) => from + i)
  })
}

/** The signal in dBm from +CSQ (3GPP TS 27.007 section 8.5: -113 dBm plus 2 dBm per step); null if unknown. */
export function readSignal(line: string): number | null {
  const rssi = Number(/^\+CSQ:\s*(\d+)/i.exec(line)?.[1] ?? 99)
  return rssi <= 31 ? -113 + 2 * rssi : null
}

/** 3GPP TS 27.007 section 7.3, with the usual names. */
const ACCESS = ['GSM', 'GSM', 'UMTS', 'EDGE', 'HSDPA', 'HSUPA', 'HSPA', 'LTE', 'EC-GSM', 'NB-IoT', 'LTE']

/** The operator and the radio access from +COPS; both null if the modem has no network. */
export function readOperator(line: string): { operator: string | null; access: string | null } {
  const fields = /^\+COPS:\s*\d+(?:\s*,\s*\d+\s*,\s*"([^"]*)"(?:\s*,\s*(\d+))?)?/i.exec(line)
  const access = fields?.[2] === undefined ? undefined : Number(fields[2])
  const label = access === undefined ? undefined : access >= 11 && access <= 13 ? '5G NR' : ACCESS[access]
  return { operator: fields?.[1]?.trim() || null, access: label ?? null }
}

/** The SIM's own number from +CNUM; null if the SIM does not know it, as most do not. */
export function readOwnNumber(lines: readonly string[]): string | null {
  for (const line of lines) {
    const found = /^\+CNUM:\s*(?:"[^"]*")?\s*,\s*"(\+?\d{3,15})"\s*,\s*(\d+)/i.exec(line)
    if (!found) continue
    const international = Number(found[2]) === 145 && !found[1]!.startsWith('+')
    return international ? `+${found[1]}` : found[1]!
  }
  return null
}

/** 19 or 20 digits from +CCID, +ICCID, ^ICCID, +QCCID or the bare number; the F that pads 19 digits is dropped. */
export function readIccid(lines: readonly string[]): string | null {
  for (const line of lines) {
    const digits = /\b(89\d{16,18})F?\b/i.exec(line)?.[1]
    if (digits !== undefined) return digits
  }
  return null
}

/** IMEI or IMSI: 14 to 16 digits, bare or behind a prefix. */
export function readIdentity(lines: readonly string[]): string | null {
  for (const line of lines) {
    const digits = /(?:^|[\s":])(\d{14,16})\b/.exec(line)?.[1]
    if (digits !== undefined) return digits
  }
  return null
}

/** The number of the SMS centre from +CSCA; null for none. */
export function readSmsc(line: string): string | null {
  const found = /^\+CSCA:\s*"(\+?\d+)"(?:\s*,\s*(\d+))?/i.exec(line)
  if (!found) return null
  return Number(found[2]) === 145 && !found[1]!.startsWith('+') ? `+${found[1]}` : found[1]!
}

/** `READY`, `SIM PIN`, `SIM PUK`, … from +CPIN; null if there is no such line. */
export function readPinState(lines: readonly string[]): string | null {
  for (const line of lines) {
    const state = /^\+CPIN:\s*"?([A-Z0-9 -]+?)"?$/i.exec(line)?.[1]
    if (state !== undefined) return state.toUpperCase()
  }
  return null
}
