import { useState } from 'react'
import { shortcuts as words } from './shortcuts-text.ts'
import { menu } from './text.ts'
import { Modal } from '#console/ui/dialog.tsx'
import { kbdLook } from '#console/ui/field.tsx'
import { commandKey, setShortcuts, shortcutsOn } from '#console/ui/keys.ts'

const keys = [
  [commandKey('k'), 'palette'],
  ['g d · g l · …', 'jump'],
  ['g a', 'alerts'],
  ['/', 'search'],
  ['j · k', 'walk'],
  ['Enter', 'open'],
  ['c', 'copy'],
  ['x', 'select'],
  ['Shift ↑ ↓', 'range'],
  ['*', 'all'],
  ['b', 'bar'],
  ['Esc', 'close'],
  ['?', 'sheet'],
] as const

export default function Shortcuts({ onClose }: { onClose: () => void }) {
  const [on, setOn] = useState(shortcutsOn)
  return (
    <Modal title={menu.shortcuts} onClose={onClose}>
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-5 gap-y-2.5">
        {keys.map(([key, does]) => (
          <div key={key} className="contents">
            <dt>
              <kbd className={kbdLook}>{key}</kbd>
            </dt>
            <dd>{words[does]}</dd>
          </div>
        ))}
      </dl>
      <label className="mt-5 flex min-h-11 items-center gap-2.5 border-t border-line pt-3 font-medium">
        <input
          type="checkbox"
          className="size-[18px]"
          checked={on}
          onChange={() => {
            setShortcuts(!on)
            setOn(!on)
          }}
        />
        {words.on}
      </label>
    </Modal>
  )
}
