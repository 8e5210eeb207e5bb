import { Uid } from '@sdd/contract/core/fields.ts'
import { fromAddress } from '#server/accounts/passwords/failures.ts'
import { tryCounted } from '#server/accounts/passwords/trying.ts'
import type { Config } from '#server/core/config.ts'
import { addressParts } from '@sdd/mqtt/external/address.ts'
import { Refusal } from '#server/core/refusal.ts'
import { hashSecret, isSecret } from '#server/core/secrets.ts'
import { openAdmission } from '#server/fleet/devices/devices.ts'
import { ORDERED_FILTERS, SHARED_FILTERS } from './at-broker.ts'
import { isServerId, PREFIX } from './broker-access.ts'
import { commandsOf, publishedTopic } from './device-topics.ts'

type Verdict = { result: 'allow' | 'deny'; is_superuser: false }

/** Answers an external broker's questions about its clients, which are the devices and the servers. */
export type BrokerHook = {
  authenticate(
    asked: { secret: string; clientid: string; username: string; password: string },
    address: string,
  ): Promise<Verdict>
  authorize(
    asked: {
      secret: string
      clientid: string
      username: string
      topic: string
      action: 'publish' | 'subscribe'
    },
    address: string,
  ): Promise<Verdict>
}

/** The most wrong secrets from one address in 15 minutes. */
const MOST_WRONG = 20
/** EMQX asks about a shared subscription without its `$share/…/`. Other brokers may ask with it. */
const OUR_FILTERS: ReadonlySet<string> = new Set([
  ...SHARED_FILTERS,
  ...SHARED_FILTERS.map((filter) => filter.replace(`$share/${PREFIX}/`, '')),
  ...ORDERED_FILTERS,
])
const COMMANDS = /^devices\/[^/+#]+\/commands$/

/** `not_found` if the broker has its own client list, `forbidden` if the caller is not the broker. */
export function openHook(
  needs: Parameters<typeof tryCounted>[0],
  { MQTT_URL, MQTT_AUTH, MQTT_HOOK_SECRET }: Pick<Config, 'MQTT_URL' | 'MQTT_AUTH' | 'MQTT_HOOK_SECRET'>,
): BrokerHook {
  const expected = MQTT_URL !== undefined && MQTT_AUTH === 'hook' ? hashSecret(MQTT_HOOK_SECRET!) : undefined
  const us = addressParts(MQTT_URL ?? '')
  const our_password = hashSecret(us?.password ?? '')

  const { db } = needs
  const admitDevice = openAdmission({ db })

  async function requireBroker(secret: string, address: string): Promise<void> {
    if (expected === undefined)
      throw new Refusal('not_found', 'This server answers no broker: set MQTT_AUTH to hook.')
    if (isSecret(secret, expected)) return
    await tryCounted(needs, fromAddress('hook', address, MOST_WRONG))
    throw new Refusal('forbidden', 'This is not the secret of MQTT_HOOK_SECRET.', {
      params: { reason: 'broker_secret' },
    })
  }

  const isUs = (username: string) => us?.username !== undefined && username === us.username

  async function mayConnect(clientid: string, username: string, password: string): Promise<boolean> {
    if (isUs(username)) return isSecret(password, our_password)
    if (clientid !== username || !Uid.safeParse(username).success || isServerId(username)) return false
    const fault = db.fault()
    if (fault !== undefined) throw fault
    return (await admitDevice(username, password)) !== undefined
  }

  function may(clientid: string, username: string, topic: string, action: 'publish' | 'subscribe'): boolean {
    if (isUs(username)) return action === 'publish' ? COMMANDS.test(topic) : OUR_FILTERS.has(topic)
    if (clientid !== username || !Uid.safeParse(username).success) return false
    if (action === 'subscribe') return topic === commandsOf(username)
    return publishedTopic(username, topic) !== undefined
  }

  return {
    async authenticate({ secret, clientid, username, password }, address) {
      await requireBroker(secret, address)
      return verdict(await mayConnect(clientid, username, password))
    },
    async authorize({ secret, clientid, username, topic, action }, address) {
      await requireBroker(secret, address)
      return verdict(may(clientid, username, topic, action))
    },
  }
}

function verdict(may: boolean): Verdict {
  return { result: may ? 'allow' : 'deny', is_superuser: false }
}
