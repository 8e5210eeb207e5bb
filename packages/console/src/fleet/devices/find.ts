import type { Device } from './devices.ts'
import { foldText } from '#console/ui/fold.ts'

/** What of a device has the text, the most telling first. */
const [UID_BEGINS, UID_HAS, TEXT_HAS, SIM_HAS] = [0, 1, 2, 3]

/**
 * The devices whose uid, name, location, operator, a tag, or a number or ICCID of a SIM has this text, without accents
 * and case. Those whose uid begins with it are first, those with only a SIM that has it are last.
 */
export function findDevices(devices: readonly Device[], typed: string): Device[] {
  const wanted = foldText(typed.trim())
  const found = devices.map((device) => ({ device, place: placeOf(device, wanted) }))
  return found
    .filter(({ place }) => place !== undefined)
    .sort((a, b) => a.place! - b.place!)
    .map(({ device }) => device)
}

/** Where a device stands among those that are found, or `undefined` if it is not. `wanted` is folded. */
export function placeOf(device: Device, wanted: string): number | undefined {
  const { uid, name, location, carrier, tags = [], sim_ids = [] } = device
  const at = foldText(uid).indexOf(wanted)
  if (at >= 0) return at === 0 ? UID_BEGINS : UID_HAS
  if ([name, location, carrier, ...tags].some((text) => text && foldText(text).includes(wanted)))
    return TEXT_HAS
  const digits = wanted.replace(/[\s.-]/g, '')
  if (digits !== '' && sim_ids.some((id) => id.replace(/[\s.-]/g, '').includes(digits))) return SIM_HAS
  return undefined
}
