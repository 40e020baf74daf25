# A device's directory is copied to another device, store, container and all; both go on before they know of each other.
fleet a b c
for name in a b c; do serve $name; done
for name in a b c; do insert $name "$name before"; done
converge 4 a b c
stop b
insert b 'b unpublished'
unserve b
cp -a b d
rm -r d/syncthing d/*.log
# Syncthing takes a device with a key of its own for another device.
node d
# On another machine, its container would be where it was.
attach d
serve b
serve d
insert b 'b after the copy'
insert d 'd after the copy'
soon published b
soon published d
begin=$(now)
start b
start d
for name in a b c; do join d $name; done
converge 7 a b c d
result "a device's directory copied to a fourth device: everywhere after $(since "$begin")"
grep -q 'event=renewed' d/serve.log || fail 'the copy has no identity of its own'
grep -q 'event=renewed' b/serve.log && fail 'the original has another identity'
for name in a b c d; do
  insert $name "$name in the end"
done
converge 11 a b c d
for name in a b c d; do
  doctor $name || fail "doctor on $name"
done
