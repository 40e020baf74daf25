# A remote of rclone called `remote:`, which RCLONE_CONFIG_… defines: an S3 server where moto is here, else SFTP.

export HOME=$home TRIBUTARY=$program RCLONE_CONFIG=$home/rclone.conf
# What this machine says of other S3 servers is not about this one.
unset AWS_CA_BUNDLE
touch "$RCLONE_CONFIG"
if [[ -n ${TRIBUTARY_MOTO-} ]]; then
  kind=S3
  "$TRIBUTARY_MOTO" -H 127.0.0.1 -p 9000 >moto.out 2>&1 &
  export RCLONE_CONFIG_REMOTE_TYPE=s3 RCLONE_CONFIG_REMOTE_PROVIDER=Other RCLONE_CONFIG_REMOTE_ACCESS_KEY_ID=key \
    RCLONE_CONFIG_REMOTE_SECRET_ACCESS_KEY=secret RCLONE_CONFIG_REMOTE_REGION=us-east-1 \
    RCLONE_CONFIG_REMOTE_ENDPOINT=http://127.0.0.1:9000
  soon rclone mkdir remote:bucket
else
  kind=SFTP
  mkdir served
  rclone serve sftp --addr 127.0.0.1:9000 --user user --pass secret served >served.out 2>&1 &
  export RCLONE_CONFIG_REMOTE_TYPE=sftp RCLONE_CONFIG_REMOTE_HOST=127.0.0.1 RCLONE_CONFIG_REMOTE_PORT=9000 \
    RCLONE_CONFIG_REMOTE_USER=user RCLONE_CONFIG_REMOTE_PASS=$(rclone obscure secret)
  soon rclone mkdir remote:bucket
fi
# One round on a device: carry DEVICE OPTION…
carry() {
  (cd "$1" && XDG_STATE_HOME=$home/$1/state "$contrib/rclone/carry-container" "${@:2}" c remote:bucket/music store.db) \
    >"$1/carry.log" 2>&1
}
# A device that begins with what the remote has.
joined() {
  device "$1"
  rclone copy remote:bucket/music "$1/c" || fail "the first copy to $1"
  attach "$1"
  sync "$1"
}
# Rounds on all devices until nothing is left to bring: with two, one carries up, the other down, and back.
exchange() {
  local name round
  for round in 1 2; do
    for name; do sync "$name"; done
    for name; do carry "$name" || fail "rclone on $name"; done
  done
  for name; do sync "$name"; done
}
# Devices that begin with one row of the first: fleet DEVICE…
fleet() {
  local name
  attach "$1" --schema schema.sql
  insert "$1" first
  sync "$1"
  carry "$1" || fail 'the first upload'
  for name in "${@:2}"; do joined "$name"; done
}
