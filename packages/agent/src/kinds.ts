import { gatewayKind } from './android-gateway/kind.ts'
import type { DriverKinds } from './drivers.ts'
import { modemKind } from './modem/kind.ts'
import { simulatedKind } from './simulated/kind.ts'
import { termuxKind } from './termux/kind.ts'

/** Every driver, by its name for `--driver`. */
export const kinds: DriverKinds = {
  modem: modemKind,
  termux: termuxKind,
  'android-gateway': gatewayKind,
  simulated: simulatedKind,
}
