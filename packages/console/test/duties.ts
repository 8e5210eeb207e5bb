import type { Page } from 'playwright-core'

type DutyCode = 'password_change_required' | 'second_factor_setup_required'

const OPEN: Record<DutyCode, RegExp> = {
  password_change_required: /\/api\/(login|logout|password)$/,
  second_factor_setup_required: /\/api\/(login|logout|password|second-factor|second-factor\/confirm)$/,
}

/** Makes the server refuse every call except those of the duty. `done` ends this. */
export async function refuseUntilDutyDone(page: Page, code: DutyCode): Promise<{ done(): Promise<void> }> {
  const refuse = (url: URL) => url.pathname.startsWith('/api/') && !OPEN[code].test(url.pathname)
  await page.route(refuse, (route) =>
    route.fulfill({ status: 403, json: { detail: 'First things first.', code } }),
  )
  return { done: () => page.unroute(refuse) }
}
