# A device on the server, and two through sshfs, with the options of the unit.
fleet a b c
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
  sound $name
done
