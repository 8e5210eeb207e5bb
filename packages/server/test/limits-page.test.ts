import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { HASHING } from '#server/accounts/passwords/hashing.ts'
import { MOST_PASSED_OVER } from '#server/dispatch/claim/queues.ts'
import { PLACES } from '#server/outward/doors/places.ts'
import { LOOK_UPS } from '#server/outward/callbacks/addresses.ts'
import { LIMITS as MQTT } from '@sdd/mqtt/endpoint/limits.ts'
import { BROWSER_LIMITS } from '#server/core/browser-rules.ts'
import { LIMITS as HTTP } from '#server/core/http/limits.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/limits.md'), 'utf8')

const count = (figure: number) => figure.toLocaleString('en')
const secs = (ms: number) => `${ms / 1_000} s`
const size = (bytes: number) => (bytes < 1 << 20 ? `${bytes >> 10} KiB` : `${bytes >> 20} MiB`)

/** The values that each row of the page must have. */
const rows: Record<string, string> = {
  'request line and headers': `${size(HTTP.header_bytes)}, ${HTTP.headers} headers`,
  'time for the headers, for the whole request': `${secs(HTTP.headers_ms)}, ${secs(HTTP.request_ms)}`,
  body: `${size(HTTP.body_bytes)}; ${size(HTTP.stranger_body_bytes)} without a session`,
  'request bodies being read, in total': size(HTTP.bodies_bytes),
  'requests of one connection': `one at a time; ${HTTP.waiting_requests} wait`,
  'a response that the client does not read': secs(HTTP.unread_ms),
  'a connection without a request': secs(HTTP.idle_ms),
  'password hashes (logins, proofs, new passwords)': `${HASHING.at_once} at once, ${HASHING.waiting} wait; of one user, and of one address, 1 at once, ${HASHING.waiting_each} wait`,
  'DNS lookups of submitted callback addresses': `${LOOK_UPS.each} at once of a company, ${LOOK_UPS.overall} in all, for ${secs(LOOK_UPS.within_ms)}`,
  'CSV downloads in progress': `${HTTP.files_per_user} a user, ${HTTP.files} in all`,
  connections: `${count(HTTP.connections)}, of one address ${count(HTTP.connections_per_address)}`,
  'connections that are not admitted yet': `${count(MQTT.pending)}, of one address ${count(MQTT.pending_per_address)}`,
  'time from the connection to a whole CONNECT': secs(MQTT.connect_ms),
  'CONNECTs being checked': `${MQTT.asked_at_once} at a time`,
  'devices; browsers; browsers of one session; of one user': `${count(MQTT.publishers)}; ${count(MQTT.listeners)}; ${BROWSER_LIMITS.per_session}; ${BROWSER_LIMITS.per_user}`,
  'packets and WebSocket pings of one connection': `${count(MQTT.packets)} at once, then ${count(MQTT.packets_per_sec)} a second`,
  'packets of one device waiting to be stored': `${MQTT.waiting_packets}, or ${size(MQTT.waiting_bytes)}`,
  'SMS of one device held back': `${count(MQTT.held_packets)}, or ${size(MQTT.waiting_bytes)}`,
  'commands without a PUBACK': count(MQTT.unacknowledged),
  'data that the client does not read': `${size(MQTT.unsent_bytes)} for ${secs(MQTT.drain_ms)}, or ${size(MQTT.most_unsent_bytes)}`,
  'a browser that answers no ping': secs(MQTT.ping_ms),
  'messages of one queue that are looked at together, past those outside their hours, without room in a plan, too long for the rest of the day, or waiting for another device after a failure':
    count(MOST_PASSED_OVER),
  'connections of a door': `${PLACES.all}, without a key ${PLACES.strangers_per_network} of one address`,
  'earlier connections of one uid with packets not stored yet': count(MQTT.unfinished_per_name),
}

for (const [what, values] of Object.entries(rows)) {
  test(`the limits page has the right values for "${what}"`, () => {
    const row = page.split('\n').find((line) => line.startsWith(`| ${what} |`))
    assert.ok(row, 'it has a row')
    assert.ok(row.startsWith(`| ${what} | ${values}`), `${row}\nshould say: ${values}`)
  })
}
