import { Suspense, useState } from 'react'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { isExhausted, phoneNumberOf, type Device } from '#console/fleet/devices/devices.ts'
import { LineButton } from './line-button.tsx'
import { conversations as words } from './text.ts'
import { MarkIcon } from '#console/ui/marks.tsx'

const DeviceChooser = lazyPart(() => import('#console/messages/messages/device-chooser.tsx'))

type Props = {
  /** The device and SIM by which the last message came or went. */
  usual: { uid: string; sim: string | null } | undefined
  /** The device that the person chose instead; empty if none. */
  chosen: string
  devices: readonly Device[] | undefined
  onChoose: (uid: string) => void
}

/** Which device a message leaves by, and what becomes of it if that device cannot send now. Two lines high. */
export function DeviceLine({ usual, chosen, devices, onChoose }: Props) {
  const [choosing, setChoosing] = useState(false)
  const uid = chosen === '' ? usual?.uid : chosen
  const device = devices?.find((one) => one.uid === uid)
  const fate = device && fateOf(device)
  const sim = chosen === '' ? usual?.sim : undefined
  const own = device && phoneNumberOf(device)
  const facts = [sim && sim !== own && words.sim(sim), own].filter(Boolean)
  return (
    <div className="mb-2 min-h-11 text-sm">
      <p className="flex items-center gap-2">
        {uid === undefined || (devices && !device) ? (
          <span className="min-w-0 flex-1">{words.anyDevice}</span>
        ) : (
          <>
            <span className={fate ? 'text-bad' : 'text-ok'}>
              <MarkIcon mark={fate ? 'square' : 'dot'} />
            </span>
            <span className="min-w-0 flex-1 truncate">
              {words.leavesBy} <b className="font-semibold">{uid}</b>
              {facts.length > 0 && ` · ${facts.join(' · ')}`}
            </span>
          </>
        )}
        {chosen !== '' && usual && <LineButton onClick={() => onChoose('')}>{words.usual}</LineButton>}
        <LineButton onClick={() => setChoosing(true)}>{words.change}</LineButton>
      </p>
      {fate && (
        <p>
          <b className="font-semibold text-bad">{words.fate[fate]}</b>
          {words.fateMeans[fate]}
        </p>
      )}
      <Suspense>
        {choosing && (
          <DeviceChooser
            devices={devices?.filter(({ status }) => status === 'connected') ?? []}
            onChoose={(choice) => {
              setChoosing(false)
              onChoose(choice === usual?.uid ? '' : choice)
            }}
            onClose={() => setChoosing(false)}
          />
        )}
      </Suspense>
    </div>
  )
}

function fateOf(device: Device): keyof typeof words.fate | undefined {
  if (device.status === 'disconnected') return 'disconnected'
  if (!device.enabled) return 'disabled'
  return isExhausted(device) ? 'exhausted' : undefined
}
