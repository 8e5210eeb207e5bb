import type { Config } from '#server/core/config.ts'
import { withoutCredentials } from '@sdd/mqtt/external/address.ts'
import type { Tls } from '#server/core/certificate.ts'
import { listenFault } from '#server/core/listen-fault.ts'
import type { MqttEndpoint } from '#server/fleet/transport/endpoint.ts'

type MqttListeners = {
  /** The port of MQTT over TCP; `undefined` if it is off. */
  port: number | undefined
  /** The port of MQTT over TLS; `undefined` without a certificate. */
  secure_port: number | undefined
  /**
   * The preferred address for a device that reached us under this host name. If there is a certificate, it uses TLS,
   * either here or at the proxy through which the device came.
   */
  urlFor(host: string, http_url: string, through_proxy?: string): string
}

/**
 * Opens the MQTT listeners that the settings ask for, or none with an external broker. Throws a `ConfigError` about a
 * port that cannot be used.
 */
export async function listenMqtt(
  endpoint: Pick<MqttEndpoint, 'listen'>,
  config: Pick<Config, 'HOST' | 'MQTT_PORT' | 'MQTTS_PORT' | 'MQTT_URL' | 'MQTT_PUBLIC_URL'>,
  tls: Pick<Tls, 'context'> | undefined,
): Promise<MqttListeners> {
  // Devices connect to the external broker instead.
  if (config.MQTT_URL !== undefined) {
    const elsewhere = config.MQTT_PUBLIC_URL ?? withoutCredentials(config.MQTT_URL)
    return { port: undefined, secure_port: undefined, urlFor: () => elsewhere }
  }
  const { HOST: host, MQTT_PORT, MQTTS_PORT } = config
  const plain = MQTT_PORT === 'off' ? undefined : await open('MQTT_PORT', MQTT_PORT)
  const secure = tls && (await open('MQTTS_PORT', MQTTS_PORT, { tls }))

  async function open(variable: string, port: number, security: { tls?: Pick<Tls, 'context'> } = {}) {
    const options = { host, port, ...security }
    const listening = endpoint.listen(options)
    return (
      await listening.catch((error: unknown) => Promise.reject(listenFault(error, { variable, host, port })))
    ).port
  }

  return {
    port: plain,
    secure_port: secure,
    urlFor(reached, http_url, through_proxy) {
      if (secure !== undefined) return `mqtts://${reached}:${secure}`
      if (through_proxy !== undefined) return through_proxy
      if (plain !== undefined) return `mqtt://${reached}:${plain}`
      const websocket = new URL('/mqtt', http_url.replace(/^http/, 'ws'))
      websocket.hostname = reached
      return websocket.href
    },
  }
}
