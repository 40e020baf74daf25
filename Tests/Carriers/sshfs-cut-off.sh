# The server goes away and comes back; everybody works on meanwhile.
fleet a b
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
for name in a b; do sound $name; done
