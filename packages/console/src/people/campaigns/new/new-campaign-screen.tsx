import { Link } from '@tanstack/react-router'
import { newCampaign as words } from './text.ts'
import { buttonLook } from '#console/ui/button.tsx'
import { Page } from '#console/ui/page.tsx'

export function NewCampaignScreen() {
  return (
    <Page
      title={words.title}
      beside={
        <Link to="/campaigns" className={`ml-auto ${buttonLook()}`}>
          {words.back}
        </Link>
      }
    >
      {null}
    </Page>
  )
}
