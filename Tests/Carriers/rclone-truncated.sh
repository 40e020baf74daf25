# Downloads straight into the final name: rclone is killed in the middle of files, and files are cut by hand.
# Whether a segment of `a` at `b` is shorter than it is there.
some_torn() {
  local file
  for file in b/c/tributary/Library/peers/"$(peer a)"/log/*.lz4; do
    [[ $(stat -c %s "$file") == "$(stat -c %s "a/${file#b/}")" ]] || return 0
  done
  return 1
}
fleet a b
for number in 1 2 3 4 5; do
  insert a "$number" 2000000
  sync a
done
carry a || fail upload
size() { du -sb b/c | cut -f 1; }
begun() { [[ $(size) != "$before" ]] && some_torn; }
for round in 1 2 3; do
  before=$(size)
  # Its own process group, so that rclone goes with it.
  setsid bash -c 'cd b && exec "$0" --rclone-option --bwlimit=1M --rclone-option --transfers=4 c remote:bucket/music store.db' \
    "$contrib/rclone/carry-container" >b/carry.log 2>&1 &
  group=$!
  # All of it takes twenty seconds.
  soon begun
  kill -KILL "-$group"
  wait $group 2>/dev/null
  sync b
  some_torn || fail 'no file was torn'
done
doctor b >doctor.out && fail 'doctor finds nothing'
result "doctor on a torn file: $(grep -E '^(damage|warning): .*\.lz4' doctor.out | head -n 1 | sed "s|$home/||g")"
begin=$(now)
carry b || fail 'the round after that'
sync b
converge 6 a b
result "$kind, 3 downloads killed in the middle of a file: whole after one round, $(since "$begin")"
doctor b || fail 'doctor on b'
cut=0
for file in $(cd b/c && find . -path "*/$(peer a)/*" -name '*.lz4' -printf '%P\n'); do
  truncate -s $cut "b/c/$file"
  cut=$((100 - cut))
done
truncate -s 10 "b/c/tributary/Library/peers/$(peer a)/peer.json"
doctor b >doctor.out && fail 'doctor finds no file that is cut'
insert a later
sync a
carry a || fail upload
carry b || fail 'the round after files were cut'
sync b
converge 7 a b
doctor b || fail 'doctor on b in the end'
result "$kind, all files of another device cut at 0 or 100 bytes: whole after one round"
