import { text } from '#console/core/text.ts'
import { Page } from '#console/ui/page.tsx'

export function DashboardScreen() {
  return <Page title={text.dashboard.title}>{null}</Page>
}
