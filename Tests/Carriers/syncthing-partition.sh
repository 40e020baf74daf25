# Folders are paused, as in a partition of the network; everybody goes on, and conflicts arise.
fleet a b c
for name in a b c; do serve $name; done
converge 1 a b c
for name in a b c; do pause $name; done
insert a shared
insert b shared
sql c "UPDATE track SET cover = 'c' WHERE title = 'first'"
sql b "UPDATE track SET cover = 'b' WHERE title = 'first'"
for round in $(seq 300); do
  for name in a b c; do echo "INSERT INTO track VALUES ('$name $round', randomblob(100));"; done
done >writes
for name in a b c; do
  (cd "$name" && grep "'$name " ../writes | xargs -d '\n' -n 1 "$program" sql store.db) || fail "writes of $name"
done
[[ $(rows a) == 302 ]] || fail "a has $(rows a) rows in the partition"
begin=$(now)
for name in a b c; do resume $name; done
soon same 902 a b c
result "900 commits on 3 devices in a partition: everywhere $(since "$begin") after its end"
converge 902 a b c
for name in a b c; do
  t $name conflicts list store.db --json | grep -o '"id":"[^"]*"' >conflicts.$name
  [[ $(wc -l <conflicts.$name) == 2 ]] || fail "$name has $(wc -l <conflicts.$name) conflicts"
  cmp conflicts.a conflicts.$name || fail "conflicts of $name"
done
for name in a b c; do doctor $name || fail "doctor on $name"; done
