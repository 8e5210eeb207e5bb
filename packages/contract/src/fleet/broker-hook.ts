import * as z from 'zod/mini'
import { route } from '@sdd/contract/core/route.ts'

// The operator of the broker may let it send more fields, so others are ignored here.

/** A text from a client of the broker. The broker sends null, or nothing, if the client gave none. */
const clientText = z._default(z.nullable(z.string().check(z.maxLength(1_024))), '')
/** The secret by which the broker authenticates. */
const secret = z.string().check(z.minLength(1, 'is required'), z.maxLength(256))

/** The format of EMQX 5: https://docs.emqx.com/en/emqx/latest/access-control/authn/http.html */
const Verdict = z.object({ result: z.enum(['allow', 'deny']), is_superuser: z.boolean() })

export const authenticateClient = route('POST /api/broker/authenticate', {
  summary: 'An external broker asks whether a client may connect (MQTT_AUTH=hook).',
  may: 'anyone',
  body: z.object({ secret, clientid: clientText, username: clientText, password: clientText }),
  reply: Verdict,
  errors: ['not_found', 'too_many_attempts'],
})

export const authorizeClient = route('POST /api/broker/authorize', {
  summary: 'An external broker asks whether a client may publish or subscribe to a topic (MQTT_AUTH=hook).',
  may: 'anyone',
  body: z.object({
    secret,
    clientid: clientText,
    username: clientText,
    topic: clientText,
    action: z.enum(['publish', 'subscribe']),
  }),
  reply: z.object({ result: z.enum(['allow', 'deny']) }),
  errors: ['not_found', 'too_many_attempts'],
})
