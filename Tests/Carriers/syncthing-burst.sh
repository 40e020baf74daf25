# Two thousand segments for a device that was away, in the order in which Syncthing happens to bring them.
fleet a b c
for name in b c; do serve $name; done
converge 1 a b c
pause a
for number in $(seq 2000); do
  echo "INSERT INTO track VALUES ('$number', randomblob(100))"
done | while read -r line; do
  t a sql store.db "$line" && t a sync store.db --quiet || exit 1
done || fail burst
before=$(segments a)
begin=$(now)
resume a
soon same 2001 a b c
result "$before segments in any order: everywhere after $(since "$begin")"
imports=$(grep -c event=imported b/serve.log)
result "in $imports imports on b, $(grep -c event=imported c/serve.log) on c"
converge 2001 a b c
for name in a b c; do
  doctor $name || fail "doctor on $name"
done
