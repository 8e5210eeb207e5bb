import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { changePassword } from '../packages/contract/src/accounts/auth.ts'
import { saveUser } from '../packages/contract/src/accounts/users.ts'
import { type Client, openClient } from '../packages/contract/src/core/client.ts'
import { changeDevice } from '../packages/contract/src/fleet/device-changes.ts'
import { listDevices } from '../packages/contract/src/fleet/devices.ts'
import { sendSms } from '../packages/contract/src/messages/messages.ts'
import { discardTask, type NewTask } from '../packages/contract/src/tasks/tasks.ts'
import type { Behaviour } from '../packages/simulator/src/behaviour.ts'
import type { Fleet } from '../packages/simulator/src/fleet.ts'
import { openRadios } from '../packages/simulator/src/networks.ts'
import { TEST_NUMBERS } from '../packages/simulator/src/test-numbers.ts'
import { logIn } from './session.ts'

/** The devices with a part to play. The others are ordinary. */
const SLOW = 'drone-0004'
const FULL = 'drone-0005'
const BROKEN = 'drone-0006'
const DISABLED = 'drone-0007'
const AWAY = 'drone-0008'
const ORDINARY = ['drone-0001', 'drone-0002', 'drone-0003'] as const

const behaviours: Record<string, Partial<Behaviour>> = {
  [SLOW]: { send_ms: [20_000, 40_000] },
  [BROKEN]: { failing: 1 },
}

const changes = {
  [SLOW]: { name: 'Slow radio', note: 'Needs half a minute for each SMS.' },
  [FULL]: { name: 'Low limit', note: 'Reaches its daily limit soon.', max_sms_dayly: 3 },
  [BROKEN]: { name: 'Broken antenna', note: 'Each SMS fails, so it is quarantined again and again.' },
  [DISABLED]: { name: 'Switched off', enabled: false },
  [AWAY]: { name: 'Unplugged', note: 'Connected once, then never again.' },
}

type Named = { uid: string }
type Needs = { url: string; token: string; folder: string }
type Shop = { submit(tasks: NewTask[]): Promise<void> }

const marker = ({ folder }: Pick<Needs, 'folder'>) => join(folder, 'scenes-set')

/** The devices that connect, each with its behaviour. One leaves at the first start and stays away after that. */
export function castOf<D extends Named>(devices: readonly D[], needs: Pick<Needs, 'folder'>) {
  const left = existsSync(marker(needs))
  return devices
    .filter(({ uid }) => uid !== AWAY || !left)
    .map((device) => ({ ...device, behaviour: behaviours[device.uid] }))
}

/** Makes something happen for each screen: at the first start for good, and once a day in the queue. */
export async function playScenes(needs: Needs, { fleet, shop }: { fleet: Fleet; shop: Shop }): Promise<void> {
  const client = openClient(needs)
  if (!existsSync(marker(needs))) {
    await begin(client, fleet)
    await addOperator(needs, client)
    writeFileSync(marker(needs), '')
  }
  await shop.submit(tasksOfDay())
  await client
    .call(discardTask, { params: { guid: `discarded-${today()}` }, query: {} })
    .catch(() => undefined)
}

/** Sets the fleet up. What a person changes later stays. */
async function begin({ call }: Client, fleet: Fleet): Promise<void> {
  await untilSimsAreKnown({ call })
  for (const [uid, body] of Object.entries(changes)) await call(changeDevice, { params: { uid }, body })
  await fleet.devices.get(AWAY)?.stop()
  const send = (device_uid: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, n) =>
        call(sendSms, {
          body: { device_uid, telefono_to: `+3460022200${n}`, mensaje_sms: 'Greetings from the demo.' },
        }),
      ),
    )
  await send(FULL, changes[FULL].max_sms_dayly)
  await send(SLOW, 3)
  await send(BROKEN, 6)
}

/** They change the password at once, so that the demo's one does not have to be changed at the first login. */
async function addOperator({ url }: Pick<Needs, 'url'>, { call }: Client): Promise<void> {
  const [password, new_password] = ['a-first-password', 'drone-demo']
  await call(saveUser, {
    body: { name: 'operator', email: 'operator@example.com', role: 'user', companyId: 1, password },
  })
  const token = await logIn(url, { username: 'operator', password })
  await openClient({ url, token }).call(changePassword, { body: { password, new_password } })
}

/** A task waits for a SIM only if a device has reported that SIM. */
async function untilSimsAreKnown({ call }: Pick<Client, 'call'>): Promise<void> {
  const known = new Set<string>()
  while (![FULL, DISABLED, AWAY].every((uid) => known.has(uid))) {
    const { devices } = await call(listDevices)
    for (const { uid, carrier } of devices) if (carrier !== null) known.add(uid)
    await sleep(50)
  }
}

/** Tasks with the same guids all day, so that a restart does not repeat them. */
function tasksOfDay(): NewTask[] {
  const in_ms = (ms: number) => new Date(Date.now() + ms).toISOString()
  const task = (name: string, uid: string, fields: Partial<NewTask> = {}): NewTask => ({
    guid: `${name}-${today()}`,
    from_number: simOf(uid),
    to_number: '+34600333444',
    text: 'Your parcel arrives tomorrow between 9 and 11.',
    silent: false,
    ...fields,
  })
  const tested = Object.entries(TEST_NUMBERS).map(([to_number, { meaning }], n) =>
    task(`test-${n + 1}`, ORDINARY[n % ORDINARY.length]!, {
      to_number,
      text: `This one ends like this: ${meaning}.`,
    }),
  )
  return [
    ...tested,
    task('waits-for-device', AWAY),
    task('waits-for-limit', FULL),
    task('waits-for-enabling', DISABLED),
    task('expires', AWAY, { expires_at: in_ms(20_000) }),
    task('scheduled', ORDINARY[0], { not_before: in_ms(2 * 3_600_000) }),
    task('discarded', AWAY),
  ]
}

function simOf(uid: string): string | null {
  return openRadios(uid).sims[0]?.phone_number ?? null
}

function today(): string {
  return new Date().toISOString().slice(0, 10)
}
