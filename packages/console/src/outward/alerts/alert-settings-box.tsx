import type { AlertSettingsChange } from '@sdd/contract/outward/alerts.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { alertSettingsQuery, putAlertSettings, useReloadAlerts } from './calls.ts'
import { alertRules as words } from './text.ts'
import { ValueField } from './value-field.tsx'
import { CompanyField } from '#console/accounts/companies/companies.tsx'
import { faultText } from '#console/core/api.ts'
import { useServerGone } from '#console/core/server-gone.ts'
import { text } from '#console/core/text.ts'
import { Box } from '#console/ui/box.tsx'
import { Notice } from '#console/ui/notice.tsx'

/** How the channels of a company are told. Users who see several companies choose one. */
export function AlertSettingsBox({
  company,
  onCompany,
}: {
  company: string | undefined
  onCompany: (id: string | undefined) => void
}) {
  const { data, isError, refetch } = useQuery(alertSettingsQuery(company))
  const reload = useReloadAlerts()
  const gone = useServerGone()
  const save = async (change: AlertSettingsChange) => {
    await putAlertSettings(change, company)
    await reload()
  }
  const telling = useMutation({ mutationFn: save, scope: { id: 'alert settings' } })
  const tells = telling.isPending ? telling.variables.tell_resolved : undefined
  return (
    <Box title={words.repetition}>
      <div className="flex flex-col gap-3">
        <CompanyField
          value={company === undefined ? undefined : Number(company)}
          onChange={(id) => onCompany(id?.toString())}
        />
        {isError && (
          <Notice tone="bad" retry={{ label: text.retry, run: () => void refetch() }}>
            {words.settingsFailed} {data && text.kept}
          </Notice>
        )}
        {data && (
          <>
            <Setting label={words.repeat} hint={words.repeatHint}>
              <ValueField
                key={company}
                label={words.repeat}
                name="repeat_mins"
                value={data.repeat_mins}
                range={{ least: 0, most: 1_440, whole: true }}
                save={(repeat_mins) => save({ repeat_mins })}
              />
            </Setting>
            <Setting label={words.join} hint={words.joinHint}>
              <ValueField
                key={company}
                label={words.join}
                name="join_secs"
                value={data.join_secs}
                range={{ least: 0, most: 600, whole: true }}
                save={(join_secs) => save({ join_secs })}
              />
            </Setting>
            <label className="flex min-h-9 items-center gap-2.5 max-md:min-h-11">
              <input
                type="checkbox"
                className="size-[18px] shrink-0"
                checked={tells ?? data.tell_resolved}
                disabled={gone}
                onChange={({ target }) => telling.mutate({ tell_resolved: target.checked })}
              />
              {words.tellResolved}
            </label>
            {telling.error && <Notice tone="bad">{faultText(telling.error, words.saveFailed)}</Notice>}
          </>
        )}
      </div>
    </Box>
  )
}

function Setting({ label, hint, children }: { label: string; hint: string; children: React.ReactNode }) {
  return (
    <div className="flex flex-col gap-1">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <span aria-hidden="true">{label}</span>
        {children}
      </div>
      <p className="text-sm text-muted">{hint}</p>
    </div>
  )
}
