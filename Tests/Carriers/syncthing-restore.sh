# All of a device is restored from a backup: store, container, and what Syncthing knows.
fleet a b c
for name in a b c; do serve $name; done
for name in a b c; do insert $name "$name first"; done
converge 4 a b c
stop b
unserve b
cp -a b backup
start b
serve b
for number in 1 2 3; do
  for name in a b c; do insert $name "$name $number"; done
done
converge 13 a b c
stop b
unserve b
rm -r b
mv backup b
# Before Syncthing brings what is newer.
insert b 'b restored'
begin=$(now)
start b
serve b
for name in a b c; do insert $name "$name in the end"; done
soon same 17 a b c
result "a whole device restored from a backup: everywhere after $(since "$begin")"
converge 17 a b c
for name in a b c; do doctor $name || fail "doctor on $name"; done
# As docs/carriers.md says: the store from a backup, an empty container, and a Syncthing that has forgotten it.
stop b
unserve b
cp -a b/store.db backup.db
start b
serve b
for name in a b c; do insert $name "$name after the second backup"; done
converge 20 a b c
stop b
unserve b
rm -r b/store.db* b/c
mkdir -p b/c/.stfolder
cp backup.db b/store.db
timeout 60 syncthing serve --home=b/syncthing --reset-database >>b/syncthing.log 2>&1 || fail "reset of b"
begin=$(now)
start b
up_to_date() { diff <(cd a/c && find tributary -name '*.lz4' | sort) <(cd b/c && find tributary -name '*.lz4' | sort); }
soon up_to_date
serve b
insert b 'b restored again'
soon same 21 a b c
result "a store from a backup with an emptied container: everywhere after $(since "$begin")"
converge 21 a b c
for name in a b c; do doctor $name || fail "doctor on $name"; done
