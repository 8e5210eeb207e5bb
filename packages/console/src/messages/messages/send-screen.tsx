import { text } from '#console/core/text.ts'
import { devices as deviceWords } from '#console/fleet/devices/text.ts'
import { send as words } from './text.ts'
import { useConnectedDevices } from '#console/fleet/devices/devices.ts'
import { SendForm, useSending } from './send-form.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { Page } from '#console/ui/page.tsx'

export function SendScreen() {
  const { data: devices, isError, refetch } = useConnectedDevices()
  const sending = useSending({})
  return (
    <Page title={words.title}>
      <div className="grid min-h-0 flex-1 place-items-center overflow-y-auto px-6 pt-2 pb-16 max-md:content-start max-md:px-3 max-md:py-3">
        <div className="panel w-full max-w-[480px] border-t-4 border-t-accent p-6 max-md:p-4">
          {isError && (
            <Notice tone="bad" className="mb-4" retry={{ label: text.retry, run: () => void refetch() }}>
              {deviceWords.loadFailed}
            </Notice>
          )}
          <SendForm sending={sending} choices={devices?.map(({ uid }) => uid)} />
        </div>
      </div>
    </Page>
  )
}
