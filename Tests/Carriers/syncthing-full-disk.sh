# The file system of one receiver's container is full.
device c
mount -t tmpfs -o size=2m none c/c || fail mount
fleet a b c
for name in a b c; do serve $name; done
converge 1 a b c
for number in $(seq 20); do insert a "large $number" 200000; done
soon same 21 a b
insert c small
in_trouble() { t c status store.db --json | grep -q "\"kind\":\"full\""; }
soon in_trouble
result "a full receiver has $(rows c) of 22 rows; its status: $(t c status store.db --json | grep -o '"trouble":{[^}]*}' \
  | sed "s|$home/||g")"
doctor c >doctor.out && fail 'doctor finds nothing'
grep -q 'free space there' doctor.out || fail "doctor: $(<doctor.out)"
mount -o remount,size=64m c/c || fail remount
begin=$(now)
# Syncthing itself tries again after some minutes.
scan c
soon same 22 a b c
result "after there was room, and with a scan: everywhere after $(since "$begin")"
converge 22 a b c
for name in a b c; do
  doctor $name || fail "doctor on $name"
done
