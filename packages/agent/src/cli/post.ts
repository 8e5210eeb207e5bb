import { request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { json } from 'node:stream/consumers'
import type { Trust } from '#agent/device/trust.ts'

const ANSWER_WITHIN_MS = 30_000

/**
 * Posts JSON, once and only to this address. Resolves to the status and the JSON of the answer, or `undefined` if it
 * has no JSON. Does not use `fetch`, because that takes no list of trusted certificates.
 */
export function post(url: URL, body: unknown, trust: Trust): Promise<{ status: number; answer: unknown }> {
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? requestSecure : requestPlain
    const text = JSON.stringify(body)
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
    const options = { method: 'POST', headers, ...trust, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }
    request(url, options, (response) => {
      json(response)
        .catch(() => undefined)
        .then((answer) => resolve({ status: response.statusCode ?? 0, answer }), reject)
    })
      .on('error', reject)
      .end(text)
  })
}
