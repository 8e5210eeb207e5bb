import { obeyTerminal } from '#agent/cli/terminal.ts'
import { openLedger } from '#agent/ledger/ledger.ts'
import { openKillableLedger, readKillPoint } from '#test/killable.ts'
import { scriptedKind } from '#test/scripted.ts'

/** The agent itself, with the test radio. KILL_AT names the call of the ledger at which it dies. */
const kill_at = process.env['KILL_AT']
await obeyTerminal({ scripted: scriptedKind() }, (path) =>
  kill_at ? openKillableLedger(path, readKillPoint(kill_at)) : openLedger(path),
)
