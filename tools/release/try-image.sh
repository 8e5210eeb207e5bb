# Runs the image with the options of deploy/compose/compose.yaml: try-image.sh ARCHIVE BASE-IMAGE
archive=$1 base=$2
umount --recursive /sys/fs/cgroup && mount -t cgroup2 none /sys/fs/cgroup
exec 3>&1

is() {
  if [ "$2" != "$3" ]; then
    echo "$1: '$2', and not '$3'"
    podman logs sdd-try 2>&1 | tail -20
    exit 1
  fi
  echo "ok: $1"
}
clean() { podman rm --force --volumes --time 0 sdd-try sdd-data >/dev/null 2>&1 || true; podman volume rm --force sdd-try >/dev/null 2>&1 || true; }
trap clean EXIT
clean

podman load --quiet --input "$archive" >/dev/null
image=localhost/sms-drone-dash:try
podman image exists "$image" || image=docker.io/library/sms-drone-dash:try

start() {
  podman run --detach --name sdd-try --cgroups=disabled --network=none --read-only --tmpfs /tmp --cap-drop=ALL \
    --security-opt=no-new-privileges --ulimit nofile=20000:20000 --ulimit nproc=4096:4096 --volume sdd-try:/data \
    "$1" >/dev/null 2>&1
  for _ in $(seq 100); do if podman healthcheck run sdd-try >/dev/null 2>&1; then return; fi; sleep 0.2; done
  is 'the health check' 'failed for 20 s' passed
}
ask() { podman exec sdd-try node -e "const a = await fetch('http://127.0.0.1:8080/$1'); console.log(a.status, (await a.text()).includes('$2'))"; }

start "$image"
is 'the console is served' "$(ask '' 'SMS DRONE DASH')" '200 true'
is 'the server is ready' "$(ask readyz '')" '200 true'
is 'the server is process 1 and runs as 10001' "$(podman exec sdd-try sh -c 'stat -c %u /proc/1; tr "\0" " " </proc/1/cmdline' | xargs)" '10001 node --max-semi-space-size=16 packages/server/src/app/main.ts'
is 'it has no capability' "$(podman exec sdd-try sed -n 's/^CapEff:\t//p' /proc/1/status)" 0000000000000000
is 'the root is read-only' "$(podman exec sdd-try sh -c 'touch /app/x 2>&1 || true' | sed 's/.*: //')" 'Read-only file system'
is 'the first password is in the log' "$(podman logs sdd-try 2>&1 | grep -c 'first superadmin')" 1
is 'a health check of a stopped server fails' "$(podman exec sdd-try env PORT=1 node health.ts >/dev/null 2>&1 && echo passed || echo failed)" failed
podman exec sdd-try node packages/server/src/app/commands/backup.ts
began=$(date +%s)
podman stop --time 15 sdd-try >/dev/null 2>&1
is 'SIGTERM ends it with 0' "$(podman inspect -f '{{.State.ExitCode}}' sdd-try)" 0
is 'within 10 s' "$(( $(date +%s) - began <= 10 ))" 1
podman rm sdd-try >/dev/null 2>&1

container=$(buildah from --pull-never "$image")
buildah config --label next=true "$container"
buildah commit --quiet --format docker --rm "$container" localhost/sms-drone-dash:next >/dev/null
start localhost/sms-drone-dash:next
is 'an update keeps the data' "$(podman logs sdd-try 2>&1 | grep -c 'first superadmin' || true)" 0
is 'and the backup' "$(podman exec sdd-try sh -c 'ls /data/backups | wc -l')" 1
podman stop --time 15 sdd-try >/dev/null 2>&1

size_of() { podman image inspect -f '{{.Size}}' "$1"; }
added_mb=$(( ($(size_of "$image") - $(size_of "$base")) / 1000000 ))
echo "image: $(( $(size_of "$image") / 1000000 )) MB, of which $added_mb MB are not the base image; the budget is 205 MB"
is 'within the budget' "$(( added_mb <= 205 ))" 1
podman image rm --force "$image" localhost/sms-drone-dash:next >/dev/null
