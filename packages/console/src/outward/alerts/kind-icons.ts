import type { ChannelKind } from '@sdd/contract/outward/alert-channels.ts'
import { Bell, Mail, Send, Smartphone, Webhook, type LucideIcon } from 'lucide-react'

export const kindIcons: Record<ChannelKind, LucideIcon> = {
  email: Mail,
  webhook: Webhook,
  telegram: Send,
  ntfy: Bell,
  sms: Smartphone,
}
