fleet a b c
for name in a b c; do serve $name; done
converge 1 a b c
begin=$(now)
insert a blue
soon same 2 a b c
result "a commit on the other two devices after $(since "$begin")"
for round in 1 2 3; do
  for name in a b c; do insert $name "$name $round"; done
done
begin=$(now)
converge 11 a b c
result "9 commits on 3 devices everywhere after $(since "$begin")"
begin=$(now)
insert b scanned
soon published b
scan b
soon same 12 a b c
result "a commit with a scan at once: $(since "$begin")"
for name in a b c; do
  unserve $name
  doctor $name || fail "doctor on $name"
done
