# The units of new projects and of the tutorial under a real systemd: a Debian root is booted in a container without a network,
# and runs the tutorial's commands. Hardening, socket activation, readiness, reload and restarts are those of production.
#   booted.bash TERN SERVER SHED PACKAGING
# TERN writes the project, SERVER (supervised-server) is its program; SHED is that of the tutorial, PACKAGING its folder. Ends
# with 77 where a root cannot be made or booted. The root is kept for a week: $XDG_CACHE_HOME/tern/systemd-SUITE.tar
set -euo pipefail
tern=$(realpath "$1") server=$(realpath "$2") shed=$(realpath "$3") packaging=$(realpath "$4")

skip() { echo "booted: skipped: $*"; exit 77; }
[ "$(id -u)" -eq 0 ] || skip "it needs root"
for command in mmdebstrap systemd-nspawn; do
  command -v $command >/dev/null || skip "there is no $command (Debian: mmdebstrap systemd-container)"
done
# The programs of this machine run in the root, with its libraries.
suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/tern/systemd-$suite.tar
if [ -z "$(find "$cache" -mtime -7 2>/dev/null)" ]; then
  mkdir -p "$(dirname "$cache")"
  mmdebstrap --quiet --variant=minbase --include=systemd-sysv,dbus,procps,curl,nginx-light,adduser "$suite" "$cache.new.tar" ||
    skip "mmdebstrap cannot make a root, as it says above"
  mv "$cache.new.tar" "$cache"
fi

work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
root=$work/root
mkdir "$root"
tar -C "$root" -xf "$cache"
"$tern" new shop --template minimal --folder "$work/shop" >/dev/null
cp "$work"/shop/packaging/shop.service "$work"/shop/packaging/shop.socket "$packaging/shed@.service" "$root/usr/lib/systemd/system"
cp "$server" "$root/usr/bin/shop"
cp "$shed" "$root/usr/bin/shed"
ldd "$server" "$shed" | sed -n 's/.* => \(\/[^ ]*\).*/\1/p' | sort -u | while read -r library; do
  [ -e "$root$library" ] || cp "$library" "$root/usr/local/lib"
done
mkdir "$root/etc/shed"
cp "$packaging/shed.toml" "$root/etc/shed"
cp "$packaging/nginx.conf" "$root/srv"
rm -f "$root/etc/nginx/sites-enabled/default"
chroot "$root" ldconfig
chroot "$root" sh -s <"$packaging/postinst"

cat >"$root/usr/lib/systemd/system/probe.service" <<'UNIT'
[Unit]
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/probe
ExecStopPost=/usr/bin/systemctl poweroff --no-block
TimeoutStartSec=120
[Install]
WantedBy=default.target
UNIT
cat >"$root/probe" <<'PROBE'
#!/bin/bash
exec >/log 2>&1
set -euxo pipefail
trap 'journalctl --no-pager -u shop -u "shed@*" -u nginx | grep -v microseconds | tail -n 20; sort /loaded | uniq -c' ERR
is() { [ "$1" = "$2" ] || { echo "FAILED: '$1' instead of '$2'"; false; }; }
pid() { systemctl show -p MainPID --value "$1"; }
# load URL: requests one after the other until /stop is there; prints each status that is not 200, and how many there were
load() {
  local count=0 status
  until [ -e /stop ]; do
    status=$(curl -s -o /dev/null -w '%{http_code}' "$1") || true
    [ "$status" = 200 ] || echo "status $status"
    count=$((count + 1))
  done
  echo "$count requests"
}

# A new project: a connection starts the service, which says when it is ready; no connection is refused while it restarts.
systemctl start shop.socket
is "$(curl -sS http://127.0.0.1:8080/pid)" "$(pid shop)"
is "$(systemctl is-active shop.service)" active
is "$(systemctl show -p StatusText --value shop)" "serving 127.0.0.1:8080 with 2 loops"
first=$(pid shop)
grep -qx 'NoNewPrivs:.1' /proc/$first/status
grep -qx 'CapEff:.0000000000000000' /proc/$first/status
grep -qx 'Seccomp:.2' /proc/$first/status
[ "$(awk '/^Uid/ {print $2}' /proc/$first/status)" -gt 60000 ]  # DynamicUser=
load http://127.0.0.1:8080/pid >/loaded &
sleep 0.3
systemctl restart shop
systemctl reload shop
is "$(systemctl is-active shop)" active
touch /stop; wait; rm /stop
sort /loaded | uniq -c
[[ $(cat /loaded) =~ ^[0-9]{2,}\ requests$ ]]
[ "$(pid shop)" != "$first" ]
# Killed, it comes back.
kill -KILL "$(pid shop)"
is "$(curl -sS --retry 20 --retry-all-errors --retry-delay 1 http://127.0.0.1:8080/pid)" "$(pid shop)"
systemctl stop shop.socket shop.service

# The tutorial: the commands of its page.
systemctl enable --now shed@8081 shed@8082
systemctl start nginx
cp /srv/nginx.conf /etc/nginx/sites-enabled/shed.conf
systemctl reload nginx  # which ends before nginx listens
is "$(curl -sS --retry 20 --retry-delay 1 --retry-all-errors --fail http://localhost:8080/tools)" "[]"
is "$(curl -sS -o /dev/null --retry 20 --retry-delay 1 --retry-all-errors --fail -w '%{http_code}' http://127.0.0.1:18081/readyz)" 200
is "$(stat -c %U /var/lib/shed/shed.db)" shed
load http://localhost:8080/tools >/loaded &
sleep 0.3
systemctl restart shed@8081
systemctl restart shed@8082
touch /stop; wait; rm /stop
sort /loaded | uniq -c
[[ $(cat /loaded) =~ ^[0-9]{2,}\ requests$ ]]
is "$(systemctl is-active shed@8081 shed@8082 | sort -u)" active
touch /passed
PROBE
chmod +x "$root/probe"
chroot "$root" systemctl enable probe.service 2>/dev/null

timeout --kill-after=10 200 systemd-nspawn --quiet --directory="$root" --register=no --keep-unit --boot --private-network </dev/null >"$work/console" 2>&1 || true
[ -e "$root/log" ] || { tail -n 5 "$work/console"; skip "systemd does not boot here, as it says above"; }
if [ ! -e "$root/passed" ]; then
  cat "$root/log"
  echo "booted: failed"
  exit 1
fi
echo "booted: the units of a new project and of the tutorial work"
