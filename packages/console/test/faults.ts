import type { Page, Route } from 'playwright-core'

type Fault = { status: number; body?: string; headers?: Record<string, string> } | 'no answer'

const refusal = (status: number, headers?: Record<string, string>): Fault => ({
  status,
  body: JSON.stringify({ detail: `The server says ${status}.`, code: 'refused' }),
  headers: { 'content-type': 'application/json', ...headers },
})

/** Every way in which a call can fail and leave the session as it is. */
export const faults: Record<string, Fault> = {
  '400': refusal(400),
  '403': refusal(403),
  '404': refusal(404),
  '409': refusal(409),
  '413': refusal(413),
  '422': refusal(422),
  '429 with Retry-After': refusal(429, { 'retry-after': '60' }),
  '500': refusal(500),
  '503': refusal(503),
  '507': refusal(507),
  '500 without a body': { status: 500 },
  '502 of a proxy': {
    status: 502,
    body: '<html>Bad gateway</html>',
    headers: { 'content-type': 'text/html' },
  },
  'no answer': 'no answer',
}

/** Answers of 200 that are not what was asked for. */
export const nonsense: Record<string, Fault> = {
  'a page': { status: 200, body: '<!doctype html><title>Log in to the WiFi</title>' },
  'half a JSON': { status: 200, body: '{"devices": [' },
  'another JSON': { status: 200, body: '"ok"' },
  null: { status: 200, body: 'null' },
}

/** From now on this call fails so, whatever it did before. */
export async function failWith(
  page: Page,
  [method, path]: readonly [string, string],
  fault: Fault,
): Promise<void> {
  const url = (wanted: URL) => wanted.pathname === path
  const answer = async (route: Route) => {
    if (route.request().method() !== method) await route.fallback()
    else if (fault === 'no answer') await route.abort()
    else await route.fulfill(fault)
  }
  await page.route(url, answer)
}
