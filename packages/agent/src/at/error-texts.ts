/**
 * The texts that modems print with AT+CMEE=2, and some with any other setting: 3GPP TS 27.005 section 3.2.5.3 and
 * 24.011 annex E, 27.007 section 9.2.
 */
export const CMS_TEXTS: Readonly<Record<number, string>> = {
  1: 'Unassigned (unallocated) number',
  8: 'Operator determined barring',
  10: 'Call barred',
  21: 'Short message transfer rejected',
  27: 'Destination out of service',
  28: 'Unidentified subscriber',
  29: 'Facility rejected',
  30: 'Unknown subscriber',
  38: 'Network out of order',
  41: 'Temporary failure',
  42: 'Congestion',
  47: 'Resources unavailable, unspecified',
  50: 'Requested facility not subscribed',
  69: 'Requested facility not implemented',
  96: 'Invalid mandatory information',
  300: 'ME failure',
  301: 'SMS service of ME reserved',
  302: 'operation not allowed',
  303: 'operation not supported',
  304: 'invalid PDU mode parameter',
  305: 'invalid text mode parameter',
  310: 'SIM not inserted',
  311: 'SIM PIN required',
  312: 'PH-SIM PIN required',
  313: 'SIM failure',
  314: 'SIM busy',
  315: 'SIM wrong',
  316: 'SIM PUK required',
  317: 'SIM PIN2 required',
  318: 'SIM PUK2 required',
  320: 'memory failure',
  321: 'invalid memory index',
  322: 'memory full',
  330: 'SMSC address unknown',
  331: 'no network service',
  332: 'network timeout',
  340: 'no +CNMA acknowledgement expected',
  500: 'unknown error',
}

export const CME_TEXTS: Readonly<Record<number, string>> = {
  0: 'phone failure',
  3: 'operation not allowed',
  4: 'operation not supported',
  5: 'PH-SIM PIN required',
  10: 'SIM not inserted',
  11: 'SIM PIN required',
  12: 'SIM PUK required',
  13: 'SIM failure',
  14: 'SIM busy',
  15: 'SIM wrong',
  16: 'incorrect password',
  17: 'SIM PIN2 required',
  18: 'SIM PUK2 required',
  20: 'memory full',
  21: 'invalid index',
  22: 'not found',
  30: 'no network service',
  31: 'network timeout',
  100: 'unknown',
}

const codes = { cms: codesOf(CMS_TEXTS), cme: codesOf(CME_TEXTS) }

/** The code of an error text; null for a text that is not standardised. */
export function codeOfText(from: 'cms' | 'cme', text: string): number | null {
  return codes[from].get(text.trim().toLowerCase()) ?? null
}

function codesOf(texts: Readonly<Record<number, string>>): Map<string, number> {
  return new Map(Object.entries(texts).map(([code, text]) => [text.toLowerCase(), Number(code)]))
}
