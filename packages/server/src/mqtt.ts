import type { Config } from './config.ts'
import type { Broker } from './core/broker/broker.ts'
import { listenFault } from './core/listen-fault.ts'

export type MqttListeners = {
  /** Of MQTT over TCP; `undefined` where it is off. */
  port: number | undefined
  /** The address of choice for a device that reached us under this host name: over TLS where there is a certificate. */
  urlFor(host: string, http_url: string): string
}

/** Opens the listeners of the devices that the settings ask for, or throws the `ConfigError` about their port. */
export async function listenMqtt(broker: Pick<Broker, 'listen'>, config: Config): Promise<MqttListeners> {
  const { HOST: host, MQTT_PORT, MQTTS_PORT, TLS } = config
  const plain = MQTT_PORT === 'off' ? undefined : await open('MQTT_PORT', MQTT_PORT)
  const secure = TLS && (await open('MQTTS_PORT', MQTTS_PORT, TLS))

  async function open(variable: string, port: number, certificate?: { cert: Buffer; key: Buffer }) {
    const options = { host, port, ...(certificate && { tls: certificate }) }
    const listening = broker.listen(options)
    return (
      await listening.catch((error: unknown) => Promise.reject(listenFault(error, { variable, host, port })))
    ).port
  }

  return {
    port: plain,
    urlFor(reached, http_url) {
      if (secure !== undefined) return `mqtts://${reached}:${secure}`
      if (plain !== undefined) return `mqtt://${reached}:${plain}`
      const websocket = new URL('/mqtt', http_url.replace(/^http/, 'ws'))
      websocket.hostname = reached
      return websocket.href
    },
  }
}
