import {
  type Behaviour,
  type Failure,
  INVALID_NUMBER,
  NO_ANSWER,
  NO_CREDIT,
  NO_NETWORK,
} from '#simulator/behaviour.ts'

/** What always happens to messages for one number. */
type TestNumber = {
  meaning: string
  /** The modem reports this failure, and nothing goes on air. */
  failure?: Failure
  /** Only the first attempt fails. */
  once?: true
  shares?: Partial<Behaviour>
}

const ON_AIR = { failing: 0, blocked: 0, unanswered: 0, undelivered: 0, unreported: 0, replying: 0 }

/** Numbers with a fixed outcome on simulated devices. Ofcom reserves them for drama, so no network serves them. */
export const TEST_NUMBERS: Readonly<Record<string, TestNumber>> = {
  '+447700900001': { meaning: 'fails: invalid number', failure: INVALID_NUMBER },
  '+447700900002': { meaning: 'fails: no credit on the SIM', failure: NO_CREDIT },
  '+447700900003': { meaning: 'sent, not delivered: absent subscriber', shares: { undelivered: 1 } },
  '+447700900004': { meaning: 'uncertain: the modem does not answer', failure: NO_ANSWER },
  '+447700900005': { meaning: 'sent, without a delivery report', shares: { unreported: 1 } },
  '+447700900006': { meaning: 'delivered, and answered', shares: { replying: 1, stopping: 0 } },
  '+447700900007': { meaning: 'delivered, and answered with BAJA', shares: { replying: 1, stopping: 1 } },
  '+447700900008': { meaning: 'fails once: no network', failure: NO_NETWORK, once: true },
}

/** The device's behaviour towards this number. */
export function behaviourTowards(to: string, behaviour: Behaviour): Behaviour {
  const fixed = TEST_NUMBERS[to]
  return fixed ? { ...behaviour, ...ON_AIR, ...fixed.shares } : behaviour
}

/** The failure that the number asks for in this attempt, if any. */
export function fixedFailure(to: string, attempt: number): Failure | undefined {
  const fixed = TEST_NUMBERS[to]
  return fixed?.once && attempt > 1 ? undefined : fixed?.failure
}
