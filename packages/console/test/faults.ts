import type { Page, Route } from 'playwright-core'

type Fault = { status: number; body?: string; headers?: Record<string, string> } | 'no answer'

const refusal = (status: number, headers?: Record<string, string>): Fault => ({
  status,
  body: JSON.stringify({ detail: `The server says ${status}.`, code: 'refused' }),
  headers: { 'content-type': 'application/json', ...headers },
})

/** One failure of each kind that keeps the session. The client's tests show which answers belong to which kind. */
export const failureReplies: Record<string, Fault> = {
  '409': refusal(409),
  '429 with Retry-After': refusal(429, { 'retry-after': '60' }),
  '503': refusal(503),
  '502 of a proxy': {
    status: 502,
    body: '<html>Bad gateway</html>',
    headers: { 'content-type': 'text/html' },
  },
  'no answer': 'no answer',
}

/** Replies with status 200 and the wrong content. */
export const malformedReplies: Record<string, Fault> = {
  'a page': { status: 200, body: '<!doctype html><title>Log in to the WiFi</title>' },
  null: { status: 200, body: 'null' },
}

/** Makes this call fail from now on, overriding earlier routes. */
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
