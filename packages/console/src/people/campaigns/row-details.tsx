import type { CampaignRow } from '@sdd/contract/people/campaign-rows.ts'
import { Link } from '@tanstack/react-router'
import { outcomes } from '#console/messages/outcomes/text.ts'
import { campaignPage as words } from './page-text.ts'
import { TimedText } from '#console/ui/timed-text.tsx'

/** The text of a row, why it failed, and the way to its message in the log. */
export default function RowDetails({ row, company }: { row: CampaignRow; company: number }) {
  const { text, guid } = row
  const failure = outcomes.errorMsg(row)
  return (
    <div className="flex flex-col gap-1.5 px-4 py-3 text-sm whitespace-normal">
      <p className={text === null ? 'text-muted' : 'max-w-[70ch] wrap-anywhere'}>{text ?? words.noText}</p>
      {failure && (
        <p className="text-bad">
          <TimedText>{failure}</TimedText>
        </p>
      )}
      {guid !== null && (
        <p className="flex flex-wrap items-baseline gap-x-3 text-muted">
          <span className="mono">{guid}</span>
          <Link
            to="/logs"
            search={{ open: guid, company: String(company) }}
            className="text-link hover:underline max-md:py-3"
          >
            {words.toLog}
          </Link>
        </p>
      )}
    </div>
  )
}
