import KeyDialogs from '#console/accounts/api-keys/key-dialogs.tsx'
import type { KeyDialogsProps } from '#console/accounts/api-keys/calls.ts'
import { exampleLine } from '#console/tasks/tasks.ts'

/** The dialogs of API keys with the command line of a task, which the tab itself does not need. */
export default function SettingsKeyDialogs(props: KeyDialogsProps) {
  return <KeyDialogs {...props} exampleLine={exampleLine} />
}
