# Syncthing and the service of one device are killed again and again while it receives.
fleet a b c
for name in a b c; do serve $name; done
converge 1 a b c
total=1
begin=$(now)
for round in $(seq 8); do
  for number in $(seq 20); do insert a "$round $number" 20000; done
  total=$((total + 20))
  sleep "0.$((round * 3 % 10))"
  stop c KILL
  kill -KILL "${services[c]}"
  wait "${services[c]}" 2>/dev/null
  insert c "killed $round"
  total=$((total + 1))
  start c
  serve c
done
soon same $total a b c
result "8 kills while $total commits were carried: everywhere after $(since "$begin")"
converge $total a b c
for name in a b c; do
  doctor $name || fail "doctor on $name"
done
