# Nodes of Syncthing: the one of device `a` has its configuration in `a/syncthing`, its API at 127.0.0.1:8001, and listens
# at 127.0.0.1:9001; that of `b` at 8002 and 9002; and so on.

# Several processes of one node would be harder to kill.
export STMONITORED=yes STNODEFAULTFOLDER=1 HOME=$home
number() { printf '%d' $(($(printf '%d' "'$1") - 96)); }
declare -A nodes
# Makes a configuration that asks nobody outside: no discovery, relays, upgrades or reports.
node() {
  local number
  number=$(number "$1")
  syncthing generate --home="$1/syncthing" --no-default-folder >"$1/generate.log" 2>&1 || fail "generate $1"
  python3 - "$1/syncthing/config.xml" "$number" "$1" <<'END' || fail "configure $1"
import sys, xml.etree.ElementTree as tree
path, number, name = sys.argv[1:]
document = tree.parse(path)
root = document.getroot()
root.find('gui/address').text = f'127.0.0.1:800{number}'
root.find('gui/apikey').text = 'key'
root.find('device').set('name', name)
options = root.find('options')
values = dict(
    listenAddress=f'tcp://127.0.0.1:900{number}', globalAnnounceEnabled='false', localAnnounceEnabled='false',
    relaysEnabled='false', natEnabled='false', startBrowser='false', urAccepted='-1', autoUpgradeIntervalH='0',
    crashReportingEnabled='false', reconnectionIntervalS='1', setLowPriority='false', announceLANAddresses='false',
    stunServer='')
for name, value in values.items():
    options.find(name).text = value
document.write(path)
END
}
identity() { syncthing --device-id --home="$1/syncthing"; }
# start NODE OPTION…
start() {
  syncthing serve --home="$1/syncthing" --no-browser --skip-port-probing "${@:2}" >>"$1/syncthing.log" 2>&1 &
  nodes[$1]=$!
  soon rest "$1" GET system/ping
}
# Ends a node with a signal: stop NODE [SIGNAL].
stop() {
  kill "-${2:-TERM}" "${nodes[$1]}"
  wait "${nodes[$1]}" 2>/dev/null
  true
}
# rest NODE METHOD PATH [BODY]
rest() {
  curl -fsS -m 60 -X "$2" -H 'X-API-Key: key' ${4+-d "$4"} "http://127.0.0.1:800$(number "$1")/rest/$3"
}
pause() { rest "$1" PATCH config/folders/music '{"paused": true}' || fail "pause $1"; }
resume() { rest "$1" PATCH config/folders/music '{"paused": false}' || fail "resume $1"; }
# Syncthing looks at once, not after its delay.
scan() { rest "$1" POST 'db/scan?folder=music' || fail "scan $1"; }
# Two nodes come to know each other: the second only listens, and knows the first when that dials.
join() {
  share "$2" "$(identity "$1")"
  share "$1" "$(identity "$2")=tcp://127.0.0.1:900$(number "$2")"
}
share() {
  "$contrib/syncthing/share-container" --home "$1/syncthing" "$1/c" music "$2" >>"$1/share.log" 2>&1 \
    || fail "$1 shares with $2"
}
# Whether a node has a device connected.
connected() { rest "$1" GET system/connections | grep -q '"connected": true'; }
# Devices with nodes that know each other, and stores: fleet DEVICE…
fleet() {
  local name other
  for name; do
    device "$name"
    node "$name" &
  done
  wait
  for name; do start "$name"; done
  for name; do
    for other; do [[ $name > $other ]] && join "$name" "$other"; done
  done
  attach "$1" --schema schema.sql
  insert "$1" first
  sync "$1"
  for name in "${@:2}"; do
    # A container that has not arrived yet looks empty.
    soon arrived "$name" Library
    # Syncthing brings a peer.json before the segments that it tells of, or after them.
    soon has_segments "$name" "$1"
    attach "$name"
    sync "$name"
  done
}
# Whether a device has as many segments as another one.
has_segments() { (($(segments "$1") >= $(segments "$2"))); }
arrived() { compgen -G "$1/c/*/$2/peers/*/peer.json"; }
