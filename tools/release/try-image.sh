# Runs the image with deploy/compose/compose.yaml: try-image.sh ARCHIVE BASE-IMAGE FOLDER-WITH-COMPOSE
archive=$1 base=$2
umount --recursive /sys/fs/cgroup && mount -t cgroup2 none /sys/fs/cgroup
cd "$3"
exec 3>&1
listen=127.0.0.9 server=try_server_1

is() {
  if [ "$2" != "$3" ]; then
    echo "$1: '$2', and not '$3'"
    podman logs $server 2>&1 | tail -20
    exit 1
  fi
  echo "ok: $1"
}
compose() {
  podman-compose --project-name try --podman-run-args=--cgroups=disabled --file compose.yaml --file try.yaml "$@" >compose.log 2>&1 ||
    { cat compose.log; return 1; }
}
clean() { compose down --volumes || true; podman network rm --force try_default >/dev/null 2>&1 || true; podman image rm --force localhost/sdd-next "$image" localhost/sms-drone-dash:try >/dev/null 2>&1 || true; }

# It may say several names of the image.
image=$(podman load --quiet --input "$archive" | sed -n '1s/^Loaded image: //p')
sed "s/^LISTEN=.*/LISTEN=$listen/" example.env >.env
nofile=$(ulimit -Hn)
[ "$nofile" != unlimited ] && [ "$nofile" -lt 32768 ] || nofile=32768
# podman-compose 1.0 misreads `${PROXIES:-}` if it is empty, and a limit must not exceed that of the machine.
use() {
  cat >try.yaml <<YAML
services:
  server:
    image: $1
    environment:
      PROXIES: 127.0.0.1
    ulimits:
      nofile: $nofile
      nproc: 4096
YAML
}
start() {
  use "$1"
  compose up --detach --no-build
  for _ in $(seq 300); do if podman healthcheck run $server >/dev/null 2>&1; then return; fi; sleep 0.2; done
  is 'the health check' 'failed for 60 s' passed
}
# The status, and whether the answer has this text.
ask() { curl --silent --output answer --write-out '%{http_code} ' "http://$listen:8080/$1"; grep -qF "$2" answer && echo true || echo false; }
in_server() { podman exec $server "$@"; }

use "$image"
compose down --volumes || true
trap clean EXIT

start "$image"
is 'the console is served at the published port' "$(ask '' 'SMS DRONE DASH')" '200 true'
is 'the server is ready' "$(ask readyz '')" '200 true'
is 'the port of devices is open' "$(bash -c "exec 4<>/dev/tcp/$listen/1883" && echo open)" open
is 'the server is process 1 and runs as 10001' "$(in_server sh -c 'stat -c %u /proc/1; tr "\0" " " </proc/1/cmdline' | xargs)" '10001 node --max-semi-space-size=16 packages/server/dist/main.js'
is 'it has no capability' "$(in_server sed -n 's/^CapEff:\t//p' /proc/1/status)" 0000000000000000
is 'the root is read-only' "$(in_server sh -c 'touch /app/x 2>&1 || true' | sed 's/.*: //')" 'Read-only file system'
is 'the first password is in the log' "$(podman logs $server 2>&1 | grep -c 'first superadmin')" 1
is 'a health check of a stopped server fails' "$(in_server env PORT=1 node health.ts >/dev/null 2>&1 && echo passed || echo failed)" failed
in_server node packages/server/src/app/commands/backup.ts
began=$(date +%s)
compose stop
is 'SIGTERM ends it with 0' "$(podman inspect -f '{{.State.ExitCode}}' $server)" 0
is 'within 10 s' "$(( $(date +%s) - began <= 10 ))" 1
compose down

container=$(buildah from --pull-never "$image")
buildah config --label next=true "$container"
buildah commit --quiet --format docker --rm "$container" localhost/sdd-next >/dev/null
start localhost/sdd-next
is 'it is the next image' "$(podman inspect -f '{{.Config.Labels.next}}' $server)" true
is 'an update keeps the data' "$(podman logs $server 2>&1 | grep -c 'first superadmin' || true)" 0
is 'and the backup' "$(in_server sh -c 'ls /data/backups | wc -l')" 1

size_of() { podman image inspect -f '{{.Size}}' "$1"; }
added_mb=$(( ($(size_of "$image") - $(size_of "$base")) / 1000000 ))
echo "image: $(( $(size_of "$image") / 1000000 )) MB, of which $added_mb MB are not the base image; the budget is 205 MB"
is 'within the budget' "$(( added_mb <= 205 ))" 1
