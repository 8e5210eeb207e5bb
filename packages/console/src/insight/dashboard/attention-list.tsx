import { Link } from '@tanstack/react-router'
import { dashboard as words } from './text.ts'
import { boxAreas } from './box.tsx'
import type { Concern } from './attention.ts'
import { Box } from '#console/ui/box.tsx'
import { buttonLook } from '#console/ui/button.tsx'
import { MarkIcon } from '#console/ui/marks.tsx'

const MOST = 6

/** Devices and problems that need attention, each with a link. */
export function AttentionList({ concerns }: { concerns: Concern[] }) {
  return (
    <Box
      title={words.attention}
      beside={concerns.length > 0 && <b className="font-semibold">{concerns.length}</b>}
      className={boxAreas.attention}
    >
      {concerns.length === 0 ? (
        <p className="flex items-center gap-2 py-1 text-sm text-ok">
          <MarkIcon mark="check" />
          {words.calm}
        </p>
      ) : (
        <ul className="divide-y divide-line">
          {concerns.slice(0, MOST).map((concern) => (
            <Entry key={`${concern.title} ${concern.tone}`} concern={concern} />
          ))}
        </ul>
      )}
    </Box>
  )
}

function Entry({ concern: { tone, title, detail, link, button } }: { concern: Concern }) {
  return (
    <li className="flex items-center gap-2.5 py-2 first:pt-0 last:pb-0">
      <span className={`self-start pt-1 ${tone === 'bad' ? 'text-bad' : 'text-warn'}`}>
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
