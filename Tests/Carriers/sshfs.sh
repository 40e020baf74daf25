# A server of SSH at 127.0.0.1:9000, whose user is the one who runs this; its files are in `served`.

mkdir -p ssh served /run/sshd
export HOME=$home
for name in host key; do ssh-keygen -q -t ed25519 -N '' -f ssh/$name || fail 'no key was made'; done
cp ssh/key.pub ssh/authorized
chmod 600 ssh/*
cat >ssh/config <<END
Port 9000
ListenAddress 127.0.0.1
HostKey "$home/ssh/host"
AuthorizedKeysFile "$home/ssh/authorized"
PidFile none
PermitRootLogin prohibit-password
StrictModes no
UsePAM no
Subsystem sftp internal-sftp
END
server() {
  /usr/sbin/sshd -D -e -f "$home/ssh/config" 2>>"$home/ssh/server.log" &
  sshd=$!
  soon bash -c 'exec 3<>/dev/tcp/127.0.0.1/9000'
}
# Ends the server, and the connections that it serves.
cut_off() {
  local children
  children=$(ps -e -o pid=,ppid= | awk -v server="$sshd" '$2 == server { print $1 }')
  # Its connections each have a process below that one, too.
  for child in $children; do
    kill -KILL $(ps -e -o pid=,ppid= | awk -v parent="$child" '$2 == parent { print $1 }') "$child" 2>/dev/null
  done
  kill "$sshd"
  wait "$sshd" 2>/dev/null
  true
}
# The options of the unit in tools/contrib, but the key.
options=$(sed -n 's/^Options=//p' "$contrib/systemd/srv-shared.mount" | sed 's/_netdev,//; s/,IdentityFile=.*//')
# mounted DEVICE [OPTION]: the container of a device lies on the server.
mounted() {
  mkdir -p "$1/c"
  sshfs "$(id -un)@127.0.0.1:$home/served" "$1/c" -p 9000 -o "${2-$options}" \
    -o "IdentityFile=\"$home/ssh/key\",StrictHostKeyChecking=no,UserKnownHostsFile=/dev/null" \
    >>"$1/sshfs.log" 2>&1 || fail "sshfs on $1"
}
# Waits until doctor finds nothing: for a second, the system may still know a file by its former size.
sound() { soon doctor "$1"; }
server
# A device whose container is on the server itself, and others that mount it; each has a row, and all have all:
# fleet DEVICE MOUNTED…
fleet() {
  local name
  device "$1"
  rmdir "$1/c" && ln -s ../served "$1/c"
  attach "$1" --schema schema.sql
  for name in "${@:2}"; do
    mounted "$name"
    attach "$name"
  done
  for name; do
    serve "$name"
    insert "$name" "$name first"
  done
  converge $# "$@"
}
