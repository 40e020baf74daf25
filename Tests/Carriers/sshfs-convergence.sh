# A device on the server, and two through sshfs, with the options of the unit.
device a
rmdir a/c && ln -s ../served a/c
for name in b c; do mounted $name; done
attach a --schema schema.sql
for name in b c; do attach $name; done
for name in a b c; do serve $name; done
for name in a b c; do insert $name "$name first"; done
converge 3 a b c
begin=$(now)
insert a 'from the server'
soon same 4 a b c
result "a commit on the server is on two devices with sshfs after $(since "$begin") (looks every 0.5 s)"
begin=$(now)
insert b 'from a device'
soon same 5 a b c
result "a commit through sshfs is on the others after $(since "$begin")"
for name in a b c; do
  unserve $name
  doctor $name || fail "doctor on $name"
done
