import type { RowState } from '@sdd/contract/people/campaign-rows.ts'
import type { CampaignClass, CampaignState } from '@sdd/contract/people/campaigns.ts'
import type { ConversationStatus } from '@sdd/contract/people/conversations.ts'
import type { KeywordAction } from '@sdd/contract/messages/keywords.ts'
import type { Generated } from '@sdd/storage/tables.ts'

/** The tables about people, a part of schema.ts. */

/** ISO 8601 in UTC with milliseconds. */
type Instant = string

export type Contacts = {
  company_id: number
  /** In the stored form (see `keptNumber`). */
  number: string
  name: string | null
  /** The name as searches compare it. */
  name_key: string
  /** JSON: texts by name. */
  fields: string
  consent_at: Instant | null
  consent_how: string | null
  /** The name of the user who recorded it. */
  consent_by: string | null
  updated_at: Instant
}

/** The lists that a contact is in. */
export type ContactLists = { company_id: number; list: string; number: string }

/**
 * A conversation: all traffic between a company and one number. Every commit that stores messages writes the rows of
 * their numbers, so a row is narrow. Its texts, states and names are in the rows that it points to.
 */
export type Conversations = {
  id: Generated<number>
  company_id: number
  /** As stored in messages; of a sender that is no number, its name to the letter. */
  number: string
  status: ConversationStatus
  /** The user who takes care of it. */
  assigned_to: number | null
  /** When its last message was stored. */
  last_at: string
  /** The last message that was sent, and the last SMS that was received (`inbox`). */
  message_id: number | null
  inbox_id: number | null
  /** The last SMS that was typed on a device itself. */
  typed_id: number | null
  /** The received SMS up to this one are read. */
  read_id: Generated<number>
}

export type Templates = {
  id: Generated<number>
  company_id: number
  name: string
  /** The name as it is compared. */
  name_key: string
  text: string
}

/** Words to which the server reacts. */
export type Keywords = {
  id: Generated<number>
  company_id: number
  word: string
  /** The word as it is compared. */
  word_key: string
  answer: string | null
  action: KeywordAction
}

/** The automatic answers to a number on its latest day. */
export type AutoAnswers = { company_id: number; number: string; day: string; count: number; last_at: Instant }

export type Campaigns = {
  id: Generated<number>
  company_id: number
  name: string
  /** The name as searches compare it. */
  name_key: string
  text: string
  class: CampaignClass
  /** \`removed\`: deleted, with rows that are still to be removed. */
  state: CampaignState | 'removed'
  /** JSON: names of lists. */
  lists: string
  via: string | null
  not_before: Instant | null
  expires_at: Instant | null
  created_at: Instant
  created_by: string | null
  started_at: Instant | null
  paused_at: Instant | null
  paused_by: string | null
  finished_at: Instant | null
  rows: number
  /** Changes with each change of the draft or its rows. */
  version: number
  /** Names the start that prepares the draft, until then at most. */
  starting: string | null
  starting_until: Instant | null
}

export type CampaignRows = {
  campaign_id: number
  /** Counted from 1. */
  line: number
  /** In the stored form; as it was written, if it cannot be a number. */
  number: string
  name: string | null
  name_key: string
  /** JSON: texts by name. */
  fields: string
  /** The time that its upload asked for. */
  at: Instant | null
  /** When its turn comes, or '' if it is at once. */
  due_at: Instant | ''
  state: RowState
  reason: string | null
  /** JSON: why it cannot be sent, whatever the text is; or why it was skipped as invalid. */
  fault: string | null
  /** Sending it again cannot help. */
  blocked: 0 | 1
  message_id: number | null
  /** When its state changed last. */
  changed_at: Instant | null
}

/** The rows of a started campaign by state, and how many messages left by minute (\`YYYY-MM-DDTHH:MM\`). */
export type CampaignCounts = { campaign_id: number; figure: string; count: number }
