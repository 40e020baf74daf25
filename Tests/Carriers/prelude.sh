# What every scenario begins with. A device `a` is a directory `a` with a store `a/store.db`, a container `a/c`, and a
# state directory of its own. `$program` is the command, `$home` the directory of all devices.

fail() {
  echo "FAILED: $*"
  for log in */*.log; do
    [[ -s $log ]] && echo "== the end of $log" && tail -n 10 "$log" | cut -c 1-300
  done
  exit 1
}
# What tools/carriers shows.
result() { echo "RESULT: $*"; }
now() { date +%s.%N; }
# The seconds since a moment.
since() { awk -v a="$1" -v b="$(now)" 'BEGIN { printf "%.1f s", b - a }'; }
# Waits until a command succeeds, for ten minutes at most, which stand for "never".
soon() {
  local end=$((SECONDS + ${patience:-600}))
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < end)) || fail "never: $*"
    sleep 0.05
  done
}

# The command on a device: t DEVICE ARGUMENT…
t() { (cd "$1" && XDG_STATE_HOME=$home/$1/state exec "$program" "${@:2}"); }
sql() { t "$1" sql store.db "${@:2}" || fail "sql on $1: ${*:2}"; }
insert() { sql "$1" "INSERT INTO track (title, cover) VALUES ('$2', randomblob(${3:-10}))"; }
rows() { sql "$1" 'SELECT count(*) FROM track' | tr -d ' \n'; }
# So that rows inserted apart are apart, whatever their numbers.
schema='CREATE TABLE track (title TEXT PRIMARY KEY, cover BLOB)'
device() {
  mkdir -p "$1/c"
  echo "$schema" >"$1/schema.sql"
}
attach() {
  [[ -d $1 ]] || device "$1"
  t "$1" attach store.db --container c --name "${content:-Library}" --peer-name "$1" --quiet "${@:2}" || fail "attach $1"
}
sync() {
  t "$1" sync store.db "${@:2}" >"$1/sync.log" 2>&1 || fail "sync on $1 exits $?"
}
# The service of a device: serve DEVICE; its process is ${services[DEVICE]}.
declare -A services
serve() {
  echo '{"stores": ["store.db"], "interval": 0.5}' >"$1/serve.json"
  # Not by `t`, whose shell would take the signal.
  (cd "$1" && XDG_STATE_HOME=$home/$1/state exec "$program" serve --config serve.json 2>>serve.log) &
  services[$1]=$!
}
# Ends it as systemd does.
unserve() {
  kill "${services[$1]}" && wait "${services[$1]}" || fail "the service of $1 exits $?"
}
# Whether the devices have that many rows, and the same: same COUNT DEVICE…
same() {
  local count=$1 device digest first=
  shift
  for device; do
    [[ $(rows "$device") == "$count" ]] || return 1
  done
  for device; do
    digest=$(t "$device" digest store.db) || return 1
    : "${first:=$digest}"
    [[ $digest == "$first" ]] || return 1
  done
}
# Waits for that, then compares each store with the logs that it can see.
converge() {
  soon same "$@"
  local device
  for device in "${@:2}"; do
    soon t "$device" verify store.db
  done
}
# What doctor says of a device but notes; it exits 3 if it found something.
doctor() { t "$1" doctor store.db; }
published() { t "$1" status store.db --json | grep -q '"unpublished":0'; }
peer() { t "$1" status store.db --json | grep -oE '"peer":"[0-9a-f]{32}"' | head -n 1 | cut -d '"' -f 4; }
segments() { find "$1/c" -path '*/log/*.lz4' | wc -l; }
