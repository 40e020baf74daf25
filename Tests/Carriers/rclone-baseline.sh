# Baselines and the removal of what they cover, by three devices that meet only in the remote.
fleet a b c
for round in $(seq 10); do
  for name in a b c; do insert $name "$name $round" 2000 && sync $name; done
done
exchange a b c
converge 31 a b c
before=$(segments a)
t a baseline store.db >/dev/null || fail baseline
exchange a b c
for name in a b c; do insert $name "$name in the end"; done
exchange a b c
converge 34 a b c
joined d
converge 34 a b c d
result "$kind: $before segments before the baseline, $(rclone lsf -R --files-only remote:bucket/music | grep -c /log/) at the remote after it"
for name in a b c d; do
  doctor $name || fail "doctor on $name"
done
