import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { dashboard as words } from './text.ts'
import type { Concern } from './attention.ts'
import { Box } from '#console/ui/box.tsx'
import { Button, buttonLook } from '#console/ui/button.tsx'
import { MarkIcon } from '#console/ui/marks.tsx'

const MOST = 9

/** Devices and problems that need attention, each with a link. One line if there are none. */
export function AttentionList({ concerns }: { concerns: Concern[] }) {
  const [all, setAll] = useState(false)
  return (
    <Box
      title={words.attention}
      beside={
        concerns.length > 0 ? (
          <b className="font-semibold">{concerns.length}</b>
        ) : (
          <span className="flex items-center gap-2 text-ok">
            <MarkIcon mark="check" />
            {words.calm}
          </span>
        )
      }
    >
      {concerns.length > 0 && (
        <ul className="grid gap-x-6 gap-y-3 md:grid-cols-2 xl:grid-cols-3">
          {concerns.slice(0, all ? undefined : MOST).map((concern) => (
            <Entry key={`${concern.title} ${concern.tone}`} concern={concern} />
          ))}
        </ul>
      )}
      {concerns.length > MOST && (
        <Button tone="ghost" size="sm" aria-expanded={all} className="mt-3" onClick={() => setAll(!all)}>
          {all ? words.fewer : words.more(concerns.length - MOST)}
        </Button>
      )}
    </Box>
  )
}

function Entry({ concern: { tone, title, detail, link, button } }: { concern: Concern }) {
  return (
    <li className="flex min-w-0 items-start gap-2.5">
      <span className={`pt-1 ${tone === 'bad' ? 'text-bad' : 'text-warn'}`}>
        <MarkIcon mark={tone === 'bad' ? 'square' : 'triangle'} />
      </span>
      <div className="min-w-0 flex-1">
        <b className="block font-semibold [overflow-wrap:anywhere]">{title}</b>
        <p className="text-sm text-muted">{detail}</p>
      </div>
      <Link {...link} aria-label={`${button}: ${title}`} className={buttonLook({ size: 'sm' })}>
        {button}
      </Link>
    </li>
  )
}
