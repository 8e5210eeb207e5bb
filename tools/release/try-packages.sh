# Runs in the container of try-packages.ts, as root, in the folder of the release.
is() {
  if [ "$2" != "$3" ]; then
    echo "$1: '$2', and not '$3'"
    exit 1
  fi
  echo "ok: $1"
}
set -E
trap 'echo "failed: $BASH_COMMAND"; journalctl --no-pager -n 30 -u sms-drone-dash -u sdd-agent' ERR
wait_until() { for _ in $(seq 600); do if eval "$1"; then return; fi; sleep 0.2; done; echo "never: $1"; exit 1; }
user_of() { ps_pid=$(systemctl show -p MainPID --value "$1"); stat -c %U "/proc/$ps_pid"; }

echo '--- the commands of docs/deploying.md'
@COMMANDS@

echo '--- as installed'
is 'the server runs as its own user' "$(user_of sms-drone-dash)" sms-drone-dash
is 'the agent runs as its own user' "$(user_of sdd-agent)" sdd-agent
is 'only the user reads the data' "$(stat -c '%a %U' /var/lib/sms-drone-dash /var/lib/sdd-agent | xargs)" '700 sms-drone-dash 700 sdd-agent'
is 'only root writes the settings' "$(stat -c '%a %U %G' /etc/sms-drone-dash/server.env)" '640 root sms-drone-dash'
is 'no file of the program is writable' "$(find /usr/lib/sms-drone-dash /usr/lib/sdd-agent ! -user root -o -perm /022 ! -type l | wc -l)" 0
systemd-analyze security --no-pager sms-drone-dash | tail -1
systemd-analyze security --no-pager sdd-agent | tail -1
systemd-analyze verify sms-drone-dash.service sdd-agent.service
is 'the files are as packed' "$(cd / && md5sum --check --quiet /var/lib/dpkg/info/sms-drone-dash.md5sums && echo yes)" yes
sms-drone-dash backup
is 'there is a backup' "$(find /var/lib/sms-drone-dash/data/backups -name '*.db' | wc -l)" 1
is 'the backup belongs to the server' "$(stat -c %U /var/lib/sms-drone-dash/data/backups/*.db)" sms-drone-dash

echo '--- an upgrade keeps settings, data and what is disabled'
echo 'TZ=Europe/Madrid' >> /etc/sms-drone-dash/server.env
echo 'TZ=Europe/Madrid' >> /etc/sdd-agent/agent.env
systemctl disable --quiet sdd-agent
restarts=$(systemctl show -p MainPID --value sms-drone-dash)
sh /trial/next/install.sh server
# Without install.sh, dpkg asks about changed settings.
is 'dpkg asks before it replaces changed settings' "$(echo N | dpkg --install /trial/next/sdd-agent_*.deb 2>&1 | grep -c "^Configuration file '/etc/sdd-agent/agent.env'")" 1
is 'the next version is installed' "$(dpkg-query -W -f '${Version}' sms-drone-dash | sed 's/.*+//')" next
[ "$(systemctl show -p MainPID --value sms-drone-dash)" != "$restarts" ]
wait_until 'curl -fs http://127.0.0.1:8080/readyz >/dev/null'
is 'the message is there' "$(api logs/queue/guid/$guid | jq -r .state)" delivered
is 'the changed settings are there' "$(tail -q -n 1 /etc/sms-drone-dash/server.env /etc/sdd-agent/agent.env | xargs)" 'TZ=Europe/Madrid TZ=Europe/Madrid'
is 'the new settings are next to them' "$(tail -q -n 1 /etc/*/*.env.dpkg-dist | sort | uniq -c | xargs)" '2 # Of the next version.'
is 'and their modes are as before' "$(stat -c '%a %U %G' /etc/sms-drone-dash/server.env)" '640 root sms-drone-dash'
is 'a disabled service stays disabled' "$(systemctl is-enabled sdd-agent || true) $(systemctl is-active sdd-agent || true)" 'disabled inactive'
systemctl enable --quiet --now sdd-agent
wait_until 'api device-send-sms -d "$sms" >/dev/null 2>&1'

echo '--- removing keeps settings and data'
pid=$(systemctl show -p MainPID --value sms-drone-dash)
apt-get remove --yes sms-drone-dash sdd-agent >/dev/null
[ ! -e /proc/$pid ] && [ ! -e /usr/lib/sms-drone-dash ] && [ ! -e /usr/bin/sdd-agent ]
[ -e /var/lib/sms-drone-dash/data/sms-drone-dash.db ] && [ -e /etc/sms-drone-dash/server.env ]
sh /trial/next/install.sh server >/dev/null
wait_until 'curl -fs http://127.0.0.1:8080/readyz >/dev/null'
is 'the message is still there' "$(api logs/queue/guid/$guid | jq -r .state)" delivered

echo '--- purging deletes everything'
apt-get purge --yes sms-drone-dash sdd-agent >/dev/null
left=$(find / -xdev \( -name '*sms-drone-dash*' -o -name '*sdd-agent*' \) -not -path '/trial/*' -not -path '/proc/*' -not -path '/var/cache/*' -not -path '/run/*' | xargs)
is 'nothing is left' "$left" ''
is 'the users are gone' "$(getent passwd sms-drone-dash sdd-agent || true)" ''
touch /trial/done
