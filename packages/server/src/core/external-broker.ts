import * as z from 'zod'
import { addressParts } from '@sdd/mqtt/external/address.ts'

const WHICH_BROKER = 'must be like mqtt://user:password@host:1883 or mqtts://user:password@host:8883'

/** The settings for an external broker. */
export const externalBroker = {
  MQTT_URL: z
    .string()
    .refine((url) => addressParts(url) !== undefined, WHICH_BROKER)
    .optional()
    .meta({
      description:
        'MQTT 5 broker to which devices connect instead of the embedded one: mqtt://user:password@host or mqtts://…; see docs/external-broker.md',
    }),
  MQTT_PUBLIC_URL: z
    .string()
    .regex(/^(mqtts?|wss?):\/\/[^\s/@]+(\/\S*)?$/, 'must be like mqtts://broker.example:8883, without a user')
    .optional()
    .meta({ description: 'address of that broker for devices', unset: 'MQTT_URL without its user' }),
  MQTT_CA_FILE: z.string().optional().meta({
    description: 'certificate authorities trusted for that broker, in PEM',
    unset: 'those that Node trusts',
  }),
  MQTT_AUTH: z
    .enum(['dynamic-security', 'hook'], 'must be dynamic-security or hook')
    .default('dynamic-security')
    .meta({
      description:
        'how that broker authenticates devices: dynamic-security (Mosquitto), or hook (it asks this server over HTTP, as EMQX does)',
    }),
  MQTT_HOOK_SECRET: z
    .string()
    .min(20, 'must have 20 to 256 characters')
    .max(256, 'must have 20 to 256 characters')
    .optional()
    .meta({
      description:
        'with MQTT_AUTH=hook: the secret with which the broker authenticates itself, 20 to 256 characters',
    }),
}
