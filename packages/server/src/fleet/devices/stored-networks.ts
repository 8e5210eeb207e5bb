import { Networks, type NetworkSim } from '@sdd/contract/fleet/devices.ts'

/**
 * What a device's row keeps of its last snapshot. If that does not know the SIMs (`mobile: null`), `last_sims` has those
 * that an earlier one named. A modem that starts publishes such a snapshot, and so does a phone that does not answer.
 */
type StoredNetworks = Networks & { last_sims?: readonly NetworkSim[] }

/** The last snapshot as the device published it. Both parts are null before the first. */
export function networksIn(stored: string | null | undefined): Networks {
  return Networks.parse(parsed(stored))
}

/** The SIMs that the device named last. */
export function simsIn(stored: string | null | undefined): readonly NetworkSim[] {
  const networks = parsed(stored)
  return Networks.parse(networks).mobile?.sims ?? networks.last_sims ?? []
}

/** The snapshot as it is stored. `last_sims`: the SIMs that the device named before. */
export function asStoredNetworks(networks: Networks, last_sims: readonly NetworkSim[]): string {
  return JSON.stringify(networks.mobile === null ? { ...networks, last_sims } : networks)
}

function parsed(stored: string | null | undefined): Partial<StoredNetworks> {
  return stored ? (JSON.parse(stored) as StoredNetworks) : {}
}
