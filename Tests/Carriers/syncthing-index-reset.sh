# Syncthing forgets what it knew of the folder.
fleet a b c
for name in a b c; do serve $name; done
for name in a b c; do insert $name "$name before"; done
converge 4 a b c
stop b
for name in a b c; do insert $name "$name meanwhile"; done
timeout 60 syncthing serve --home=b/syncthing --reset-database >>b/syncthing.log 2>&1 || fail "reset of b"
begin=$(now)
start b
soon same 7 a b c
result "after an index was reset: everywhere after $(since "$begin")"
converge 7 a b c
for name in a b c; do
  doctor $name || fail "doctor on $name"
  compgen -G "$name/c/*/*/peers/*/*/*conflict*" && fail "a conflict copy at $name"
done
true
