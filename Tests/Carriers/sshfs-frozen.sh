# The server neither answers nor hangs up, as a machine that sleeps.
fleet a b
frozen=$(ps -e -o pid=,comm= | awk '$2 ~ /^sshd/ { print $1 }')
kill -STOP $frozen
insert b meanwhile
begin=$(now)
soon grep -q 'event=failed' b/serve.log
result "the server is frozen: noticed after $(since "$begin"): $(t b status store.db --json | grep -o '"trouble":{[^}]*}' | sed "s|$home/||g")"
begin=$(now)
insert b 'and more'
[[ $(rows b) == 4 ]] || fail 'the store waits for the mount'
result "meanwhile a write and a read of the store take $(since "$begin")"
kill -CONT $frozen
begin=$(now)
insert a 'on the server'
soon same 5 a b
result "the server goes on: everything on both after $(since "$begin")"
converge 5 a b
for name in a b; do sound $name; done
