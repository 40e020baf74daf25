# The server goes away and comes back; everybody works on meanwhile.
device a
rmdir a/c && ln -s ../served a/c
mounted b
attach a --schema schema.sql
attach b
for name in a b; do serve $name; done
for name in a b; do insert $name "$name first"; done
converge 2 a b
for round in 1 2; do
  cut_off
  insert b "b $round"
  insert a "a $round"
  begin=$(now)
  soon grep -q 'event=failed' b/serve.log
  result "the server is cut off: noticed after $(since "$begin"): $(t b status store.db --json | grep -o '"trouble":{[^}]*}' | sed "s|$home/||g")"
  t b doctor store.db --json >doctor.out
  grep -q '"unreadable"' doctor.out || fail "doctor: $(<doctor.out)"
  t b status store.db --json | grep -q '"trouble"' || fail 'no trouble in status'
  server
  begin=$(now)
  soon same $((2 + 2 * round)) a b
  result "the server is back: everything on both after $(since "$begin")"
  converge $((2 + 2 * round)) a b
done
for name in a b; do doctor $name || fail "doctor on $name"; done
