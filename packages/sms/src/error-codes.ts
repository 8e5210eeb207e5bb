/** What a `+CMS ERROR` means for the message that was being sent, and for the SIM. */
export type CmsKind =
  /** The network or the modem cannot send now: retry the same message later. */
  | 'transient'
  /** This message can never be sent in this form. */
  | 'permanent'
  /** It is unclear whether a retry would work: retry at most once. */
  | 'once_more'
  /** The SIM can send nothing until a person takes care of it. */
  | 'sim'
  /** Nothing can be sent until the SMSC's number is set. */
  | 'no_smsc'
  /** The SMS memory is full: read and delete messages, then retry. */
  | 'memory_full'
  /** The modem is out of some resource: restart it, then retry. */
  | 'restart'
  /** The message may have been sent. It is never retried automatically; a delivery report decides. */
  | 'unknown_outcome'

/** What a `+CME ERROR` calls for. */
type CmeKind =
  /** A person must take care of the SIM. Never try another PIN. */
  | 'sim'
  /** Retry the same command a little later. */
  | 'wait'
  /** The command failed, with no further consequence. */
  | 'refused'

type ModemError<Kind> = {
  kind: Kind
  /** One sentence for a person, without the code. */
  sentence: string
}

/**
 * The meaning of `+CMS ERROR: <code>` (3GPP TS 27.005 section 3.2.5). Codes up to 127 are causes of the network (24.011
 * annex E), codes up to 255 those of TP-FCS (23.040 section 9.2.3.22). Codes from 300 are the modem's, from 512 its
 * manufacturer's. An unlisted code is retried if the network (up to 127) or the SMSC (up to 255, at most once) refused
 * the message. Any other unlisted code counts as an unknown outcome, so that no message is sent twice.
 */
export function cmsError(code: number): ModemError<CmsKind> {
  const known = CMS.get(code)
  if (known) return known
  // 24.011 table 8.4: any other cause counts as 41, a temporary failure.
  if (code > 0 && code < 128) return { kind: 'transient', sentence: 'The network refused the message' }
  if (code > 127 && code < 256) return { kind: 'once_more', sentence: 'The SMSC refused the message' }
  return { kind: 'unknown_outcome', sentence: 'The modem reported an error that no standard explains' }
}

/** The meaning of `+CME ERROR: <code>` (3GPP TS 27.007 section 9.2). */
export function cmeError(code: number): ModemError<CmeKind> {
  return CME.get(code) ?? { kind: 'refused', sentence: 'The modem refused the command' }
}

const CMS = table<CmsKind>({
  transient: {
    38: 'The network is out of order',
    41: 'The network has a temporary failure',
    42: 'The network is congested',
    47: 'The network has no resources left',
    192: 'The SMSC is busy',
    194: 'The SMSC has a failure',
    212: 'The toolkit of the SIM is busy',
    256: 'Sending is not allowed for the moment',
    258: 'The modem is busy',
    301: 'Something else uses the SMS service of the modem',
    314: 'The SIM is busy',
    320: 'The memory of the modem failed',
    331: 'There is no network service',
    512: 'The modem gave up on the message',
    515: 'The modem is busy, or the number has a character that it cannot take',
    521: 'A timer of the modem expired',
    522: 'Sending is not allowed for the moment',
  },
  permanent: {
    1: 'The number is not assigned',
    8: 'The operator bars this SIM from sending',
    10: 'Sending is barred',
    21: 'The network rejected the message: a plan without SMS, or a block against spam',
    28: 'The network does not know the subscriber, or the SMSC is of another operator',
    29: 'The network rejected the facility',
    30: 'The network does not know the recipient',
    50: 'The SIM has no subscription to this',
    69: 'The network does not have this facility',
    81: 'The reference of the transfer is not valid',
    95: 'The network finds the message not valid',
    96: 'The message lacks something that the network wants',
    97: 'The network does not know this type of message',
    98: 'The message does not fit the state of the transfer',
    99: 'The network does not know an element of the message',
    111: 'There was a protocol error',
    128: 'Telematic interworking is not supported',
    129: 'Short messages of type 0 are not supported',
    144: 'The alphabet is not supported',
    145: 'The message class is not supported',
    176: 'This type of PDU is not supported',
    193: 'The SIM has no subscription at the SMSC',
    195: 'The number is not valid',
    196: 'The recipient is barred',
    197: 'The SMSC has this message already',
    198: 'The format of the validity is not supported',
    199: 'The validity is not supported',
    302: 'The modem does not allow this',
    303: 'The modem does not support this',
    304: 'The modem finds the PDU not valid',
    305: 'The modem finds the text mode parameter not valid',
  },
  once_more: {
    27: 'The recipient is out of service',
    130: 'The message cannot replace another',
    143: 'The SMSC refused the protocol identifier',
    159: 'The SMSC refused the data coding',
    160: 'The SMSC cannot execute the command',
    161: 'The SMSC does not support the command',
    175: 'The SMSC refused the command',
    209: 'The SIM cannot store messages',
    210: 'The modem has an error',
    255: 'There was an error without a cause',
    257: 'Sending is barred',
    259: 'Sending was aborted',
    260: 'The number is not valid',
    261: 'A supplementary service did not work',
    263: 'The modem refused a block',
    321: 'There is no such place in the memory',
    340: 'No acknowledgement was expected',
    513: 'The modem could not store the message',
    514: 'The status of the message is not valid',
    516: 'There is no such place in the memory',
    517: 'The modem found a character in the PDU that it cannot take',
    519: 'The modem found a length or a character that is not valid',
    520: 'The modem found a character in the text that it cannot take',
    532: 'The SIM is not ready',
    534: 'Cell broadcast had an error',
    535: 'The packet service is busy',
    538: 'A parameter is not valid',
    549: 'The length of the PDU is wrong',
    550: 'The message type of the PDU is wrong',
    551: 'The number has a character that is no digit',
    553: 'The user-data length of the PDU is wrong',
    554: 'The length of the SMSC number is wrong',
    578: 'The packet service was not activated',
    588: 'The packet service does not have this feature',
    594: 'The packet service found the length of an address wrong',
    595: 'The packet service found a character in an address that it cannot take',
    596: 'The packet service does not know this context',
    607: 'The APN is missing or not known',
    615: 'The network failed',
    616: 'The network is down',
    625: 'The packet service does not support this type',
    630: 'The profile of the packet service is not defined',
    632: 'The packet service did not accept the quality of service',
    633: 'The packet service found the quality of service not valid',
    639: 'The service is not available yet',
    640: 'The service is not allowed for the moment',
    643: 'The packet service does not know this address',
    644: 'The packet service does not know this context',
    646: 'A parameter of the quality of service is not valid',
    764: 'An input value is missing',
    765: 'An input value is not valid',
    767: 'The modem failed',
    769: 'A part of the modem could not be controlled',
    770: 'The network rejects the SIM',
    771: 'A call is being set up',
    772: 'The SIM has no power',
  },
  sim: {
    262: 'The SIM is blocked',
    310: 'There is no SIM',
    311: 'The SIM wants its PIN',
    312: 'The modem wants the PIN that ties it to its SIM',
    313: 'The SIM has a failure',
    315: 'This is the wrong SIM',
    316: 'The SIM wants its PUK',
    317: 'The SIM wants its PIN2',
    318: 'The SIM wants its PUK2',
  },
  no_smsc: { 330: 'The modem has no number of an SMSC' },
  memory_full: {
    208: 'The SMS memory of the SIM is full',
    211: 'The SMS memory is full',
    322: 'The SMS memory is full',
  },
  restart: { 3870: 'The modem is out of resources' },
  unknown_outcome: {
    127: 'The networks could not work together; the message may have gone out',
    300: 'The modem failed; the message may have gone out',
    332: 'The network did not answer in time; the message may have gone out',
    350: 'The network did not answer; the message may have gone out',
    500: 'The modem does not know what went wrong; the message may have gone out',
  },
})

const CME = table<CmeKind>({
  refused: {
    0: 'The modem failed',
    1: 'The modem has no connection to its radio',
    2: 'The link of the modem is reserved',
    3: 'The modem does not allow this',
    4: 'The modem does not support this',
    20: 'The memory is full',
    21: 'There is no such place in the memory',
    22: 'It was not found',
    23: 'The memory failed',
    24: 'The text is too long',
    25: 'The text has a character that the modem cannot take',
    26: 'The number is too long',
    27: 'The number has a character that the modem cannot take',
    32: 'The network allows only emergency calls',
    40: 'The modem is locked to a network and wants its PIN',
    41: 'The modem is locked to a network and wants its PUK',
    42: 'The modem is locked to a network subset and wants its PIN',
    43: 'The modem is locked to a network subset and wants its PUK',
    44: 'The modem is locked to a provider and wants its PIN',
    45: 'The modem is locked to a provider and wants its PUK',
    46: 'The modem is locked to a company and wants its PIN',
    47: 'The modem is locked to a company and wants its PUK',
    100: 'The modem does not know what went wrong',
    103: 'The network does not accept the SIM',
    106: 'The network does not accept the modem',
    107: 'The network does not allow packet services',
    111: 'The SIM may not use this network',
    112: 'The SIM may not use this location area',
    113: 'The SIM may not roam here',
    132: 'The network does not support the service',
    133: 'The SIM has no subscription to the service',
    134: 'The service is out of order for the moment',
    148: 'The packet service had an error',
    149: 'The packet service did not accept the login',
    150: 'The class of the modem is not valid',
  },
  sim: {
    5: 'The modem wants the PIN that ties it to its SIM',
    10: 'There is no SIM',
    11: 'The SIM wants its PIN',
    12: 'The SIM wants its PUK',
    13: 'The SIM has a failure',
    15: 'This is the wrong SIM',
    16: 'The PIN is wrong',
    17: 'The SIM wants its PIN2',
    18: 'The SIM wants its PUK2',
  },
  wait: {
    14: 'The SIM is busy',
    30: 'There is no network service',
    31: 'The network did not answer in time',
    515: 'The modem is still starting, or busy with another command',
  },
})

function table<Kind extends string>(
  byKind: Record<Kind, Record<number, string>>,
): Map<number, ModemError<Kind>> {
  const rows = Object.entries<Record<number, string>>(byKind) as [Kind, Record<number, string>][]
  return new Map(
    rows.flatMap(([kind, sentences]) =>
      Object.entries(sentences).map(([code, sentence]) => [Number(code), { kind, sentence }] as const),
    ),
  )
}
