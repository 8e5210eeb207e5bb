/** The guid of the message of a campaign's row. */
export function campaignGuid(id: number, line: number): string {
  return `campaign:${id}:${line}`
}

/** `undefined` if it is not the guid of a campaign's message. */
export function readCampaignGuid(guid: string): { id: number; line: number } | undefined {
  const [, id, line] = /^campaign:(\d+):(\d+)$/.exec(guid) ?? []
  return id === undefined ? undefined : { id: Number(id), line: Number(line) }
}
